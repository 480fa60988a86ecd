"""Tables of at most fifty rows a page."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from events.models import Affiliate, Event
from ratings_site.common.ui.formatting import in_title_case
from ratings_site.common.ui.tables import Table, column, csv_fields


class EventTable(Table):
    """The rated events."""

    caption = _("Events")
    row_header = "name"
    tiebreak = ("-ends", "-event_id")
    csv_columns = csv_fields(
        "event_id name starts ends city state",
        affiliate_id="affiliate__affiliate_id",
        affiliate="affiliate__name",
        sections="section_count",
        entries="entry_count",
    )

    name = column(_("Event"), "name", linkify=True)
    ends = column(_("Ended"), "day nowrap", order_by=("ends", "event_id"))
    city = column(_("Place"), order_by=("state", "city"))
    section_count = column(_("Sections"), "num labeled", orderable=False)
    entry_count = column(_("Entries"), "num labeled")

    class Meta:
        model = Event
        fields = ("name", "ends", "city", "section_count", "entry_count")
        attrs = {"class": "walk cardlike"}
        empty_text = _("No events match. Try fewer letters, or clear some filters.")

    def render_name(self, value: str) -> str:
        return in_title_case(value)

    def render_city(self, record: Event) -> str:
        return record.place


class AffiliateTable(Table):
    """The affiliates with their events within a year."""

    caption = _("Affiliates")
    row_header = "name"
    tiebreak = ("name", "affiliate_id")
    nullable = frozenset({"last"})
    csv_columns = csv_fields(
        "affiliate_id name state", events_last_12_months="recent", last_event="last"
    )

    name = column(
        _("Affiliate"),
        "name",
        linkify=lambda record: reverse("events:affiliate", args=[record.affiliate_id]),
    )
    affiliate_id = column(_("ID"), "tnum wide-only")
    state = column(_("State"))
    recent = column(_("Events in the last 12 months"), "num labeled")
    last = column(_("Last event"), "day labeled nowrap", default="")

    class Meta:
        model = Affiliate
        fields = ("name", "affiliate_id", "state", "recent", "last")
        attrs = {"class": "walk cardlike"}
        empty_text = _("No affiliates match. Try fewer letters, or any state.")
