"""Tables of at most fifty rows a page."""

from datetime import date

import django_tables2 as tables
from django.utils.translation import gettext_lazy as _

from events.models import Event
from ratings_site.common.ui.formatting import format_day
from ratings_site.common.ui.tables import Table

# Number columns that are hidden on phones.
WIDE_NUMBER = {"th": {"class": "num wide-only"}, "td": {"class": "num wide-only"}}


class EventTable(Table):
    """The rated events."""

    caption = _("Events")

    name = tables.Column(
        verbose_name=_("Event"), linkify=True, order_by=("name", "-ends", "-event_id")
    )
    ends = tables.Column(
        verbose_name=_("Ended"),
        order_by=("ends", "event_id"),
        attrs={"td": {"class": "nowrap"}},
    )
    city = tables.Column(verbose_name=_("Place"), order_by=("state", "city", "-ends"))
    section_count = tables.Column(
        verbose_name=_("Sections"), orderable=False, attrs=WIDE_NUMBER
    )
    entry_count = tables.Column(
        verbose_name=_("Entries"), orderable=False, attrs=WIDE_NUMBER
    )

    class Meta:
        model = Event
        fields = ("name", "ends", "city", "section_count", "entry_count")
        attrs = {"class": "walk"}
        empty_text = _("No events match. Try fewer letters, or clear some filters.")

    def render_ends(self, value: date) -> str:
        return format_day(value)

    def render_city(self, record: Event) -> str:
        return record.place
