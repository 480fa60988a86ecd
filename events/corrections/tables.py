"""The tables of correction requests."""

from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.corrections.queries import is_overdue
from events.models import CorrectionRequest
from ratings_site.common.dashboard.queries import age
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import format_day
from ratings_site.common.ui.icons import icon_svg
from ratings_site.common.ui.tables import Table, column, csv_fields

CHIPS = {
    "asked": "open",
    "confirmed": "submitted",
    "objected": "warning",
    "approved": "accepted",
    "refused": "returned",
    "withdrawn": "waiting",
}


class CorrectionTable(Table):
    """The requests that concern *reader*."""

    caption = _("Correction requests")
    row_header = "event"
    tiebreak = ("-pk",)
    csv_columns = csv_fields(
        "",
        request="pk",
        event_id="section__event__event_id",
        event="section__event__name",
        section="section__number",
        correction="kind",
        status="state",
        requested=lambda one: timezone.localdate(one.asked_at),
        requested_by=lambda one: str(one.asked_by),
    )

    event = column(
        _("Event"),
        "name",
        accessor="section",
        order_by=("section__event__name", "section__number"),
    )
    kind = column(_("Correction"), "labeled")
    state = column(_("Status"), "labeled")
    asked_at = column(_("Requested"), "labeled")

    class Meta:
        attrs = {"class": "cardlike walk"}

    def __init__(self, *args: Any, reader: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.reader = reader

    def url_of(self, record: CorrectionRequest) -> str:
        return record.get_absolute_url()

    def render_event(self, record: CorrectionRequest) -> SafeString:
        section = record.section
        words = gettext("{event_name}, section {number}").format(
            event_name=section.event.name, number=section.number
        )
        return format_html('<a href="{}">{}</a>', self.url_of(record), words)

    def render_state(self, record: CorrectionRequest) -> SafeString:
        chip, words = CHIPS[record.state], record.get_state_display()
        return format_html('<span class="chip {}">{}</span>', chip, words)

    def render_asked_at(self, value: datetime, record: CorrectionRequest) -> str:
        day = format_day(value)
        if record.asked_by_id == self.reader.pk:
            return day
        return format_html('{} <span class="quiet">{}</span>', day, record.asked_by)


class PendingTable(CorrectionTable):
    """The open requests with their age, for the office."""

    caption = _("Pending corrections")

    asked_at = column(_("Waiting"), "labeled")
    asked_by = column(_("Requested by"), "labeled", order_by="asked_by__username")

    class Meta(CorrectionTable.Meta):
        sequence = ("asked_at", "event", "kind", "state", "asked_by")

    def url_of(self, record: CorrectionRequest) -> str:
        return reverse("events:decide_correction", args=[record.pk])

    def render_asked_at(self, value: datetime, record: CorrectionRequest) -> str:
        now = timezone.now()
        waits = age(value, now)
        if not is_overdue(record, now):
            return waits
        icon, word = SafeString(icon_svg("warning")), gettext("overdue")
        return format_html(
            '{} <span class="chip warning">{} {}</span>', waits, icon, word
        )
