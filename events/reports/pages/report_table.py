"""The table of reports on the desk."""

from datetime import date
from typing import Any

from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.models import Submission
from events.reports.pages.chips import chip, deadline_chip, unread_chip
from events.reports.pages.findings import count_chips
from events.reports.queries.messages import ReportWithUnread
from ratings_site.common.ui.formatting import format_day, in_title_case
from ratings_site.common.ui.tables import Table, column, csv_fields


class ReportTable(Table):
    """A TD's reports, or those of all TDs with their senders."""

    caption = _("Reports")
    row_header = "event_name"
    tiebreak = ("-pk",)
    csv_columns = csv_fields(
        "",
        report="pk",
        event=str,
        status="state",
        ends="ends",
        entries="entry_count",
        sent_by=lambda report: str(report.uploaded_by),
        received=lambda report: timezone.localdate(report.received_at),
        submitted=lambda report: (
            report.submitted_at and timezone.localdate(report.submitted_at)
        ),
    )

    event_name = column(_("Event"), "name", empty_values=())
    state = column(_("Status"), "labeled")
    finding_counts = column(_("Issues"), "labeled", orderable=False)
    ends = column(_("Ended"), "labeled")
    entry_count = column(_("Entries"), "num labeled")
    uploaded_by = column(_("Sent by"), "labeled", order_by="uploaded_by__username")
    received_at = column(_("Received"), "day labeled nowrap wide-only")
    submitted_at = column(_("Submitted"), "day labeled nowrap", default="")

    class Meta:
        attrs = {"class": "cardlike walk"}

    def __init__(self, *args: Any, with_senders: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not with_senders:
            self.columns.hide("uploaded_by")

    def render_event_name(self, record: ReportWithUnread) -> SafeString:
        url, name = record.get_absolute_url(), in_title_case(str(record))
        link = format_html('<a href="{}">{}</a>', url, name)
        if not (unread := unread_chip(record)):
            return link
        return format_html('{} <a href="{}#messages">{}</a>', link, url, unread)

    def render_state(self, record: Submission) -> SafeString:
        words = record.get_state_display()
        return format_html('<span class="chip {}">{}</span>', record.state, words)

    def render_finding_counts(self, value: dict[str, int]) -> SafeString:
        chips = [(chip(one.level, one.level, one.text),) for one in count_chips(value)]
        if not chips:
            return format_html('<span class="quiet">{}</span>', gettext("none"))
        return format_html_join(" ", "{}", chips)

    def render_ends(self, value: date, record: Submission) -> SafeString:
        return format_html("{} {}", format_day(value), deadline_chip(record))
