"""Chips in lists of reports: due dates and unread messages."""

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from events.models import Submission
from events.records.deadlines import deadline_of
from events.reports.queries.messages import ReportWithUnread
from ratings_site.common.ui.icons import icon_svg


def deadline_chip(report: Submission) -> SafeString:
    found = deadline_of(report, timezone.localdate())
    return chip(found.level, "clock", found.text) if found else SafeString("")


def unread_chip(report: ReportWithUnread) -> SafeString:
    """Return the number of unread messages as a chip (``with_unread``)."""
    if not report.unread:
        return SafeString("")
    words = ngettext("{number} new message", "{number} new messages", report.unread)
    return format_html(
        " {}", chip("warning", "note", words.format(number=report.unread))
    )


def chip(level: str, icon: str, text: str) -> SafeString:
    return format_html(
        '<span class="chip {}">{} {}</span>', level, SafeString(icon_svg(icon)), text
    )
