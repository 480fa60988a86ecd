"""Tables of the queue and of late reports."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.models import Affiliate, Submission
from events.reports.pages.chips import chip, deadline_chip, unread_chip
from events.reports.pages.findings import CountChip, count_chips
from events.reports.queries.messages import ReportWithUnread
from events.review.queries.bulk_eligibility import IneligibleReason, IneligibleReport
from ratings_site.common.dashboard.queries import age
from ratings_site.common.ui.formatting import format_day
from ratings_site.common.ui.tables import NUMBER, Table, column

DECIDED = (Submission.State.ACCEPTED, Submission.State.WITHDRAWN)


def most_severe_chip(submission: Submission) -> CountChip | None:
    """Return the most severe kind of finding, as counted at the last check."""
    chips = count_chips(submission.finding_counts)
    return chips[0] if chips else None


def _number(label: Any, **options: Any) -> tables.Column:
    """Return a column of numbers without separators, which sorts the lowest first."""
    attrs = {"td": {"class": "num", "data-label": label}, "th": {"class": "num"}}
    return tables.Column(verbose_name=label, attrs=attrs, **options)


class CheckboxColumn(tables.Column):  # type: ignore[misc]
    """Checkboxes under a heading for screen readers."""

    @property
    def header(self) -> SafeString:
        return format_html('<span class="vh">{}</span>', gettext("Select"))


class QueueTable(Table):
    """The reports of the queue."""

    caption = _("Reports")

    chosen = CheckboxColumn(
        accessor="pk",
        orderable=False,
        attrs={"td": {"class": "tick fit"}, "th": {"class": "fit"}},
    )
    age = _number(_("Waiting"), accessor="since")
    event_name = column(_("Event"), "name", empty_values=())
    ends = column(_("Ended"), "labeled")
    entry_count = _number(_("Entries"))
    worst = column(_("Most serious issue"), "labeled", empty_values=(), orderable=False)
    state = column(_("Assigned to"), "labeled")
    uploaded_by = column(_("Sent by"), "labeled", orderable=False)
    affiliate = column(_("Affiliate"), "labeled", orderable=False, default=_("Unknown"))

    class Meta:
        model = Submission
        fields = ()
        attrs = {"class": "cardlike walk"}
        template_name = "partials/table.html"

    def __init__(
        self,
        *args: Any,
        now: datetime,
        out: Mapping[int, IneligibleReport],
        back: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.now, self.out = now, out
        self.back = back

    def render_chosen(self, record: Submission) -> str:
        """Show a checkbox for a clean report."""
        if record.state != Submission.State.SUBMITTED or record.pk in self.out:
            return ""
        return format_html(
            '<input type="checkbox" name="report" value="{0}" data-key="x" '
            'aria-label="{1}"><input type="hidden" name="on_page" value="{0}">',
            record.pk,
            gettext("Select {report}").format(report=record),
        )

    def render_age(self, value: datetime, record: Submission) -> str:
        """Show the time since submission, except for decided reports."""
        if record.state in DECIDED:
            return ""
        return age(value, self.now)

    def render_event_name(self, record: ReportWithUnread) -> str:
        return format_html(
            '<a href="{}{}">{}</a>{}{}',
            record.get_absolute_url(),
            self.back,
            record,
            unread_chip(record),
            self._action_links(record),
        )

    def _action_links(self, report: Submission) -> SafeString:
        """Link to the decisions on a pending report, each with its shortcut."""
        if report.state != Submission.State.SUBMITTED:
            return SafeString("")
        out = self.out.get(report.pk)
        acts = [("b", "events:return", gettext("Return"))]
        never = (IneligibleReason.OWN, IneligibleReason.FINDINGS)
        if out is None or out.why not in never:
            acts.insert(0, ("a", "events:accept", gettext("Accept")))
        links = format_html_join(
            " ",
            '<a href="{}{}" data-key="{}">{}<span class="vh"> {}</span></a>',
            (
                (reverse(name, args=[report.pk]), self.back, key, word, report)
                for key, name, word in acts
            ),
        )
        return format_html(
            ' <span class="row-acts">{} {}</span>',
            links,
            _claim_button(report, self.back),
        )

    def render_ends(self, value: date, record: Submission) -> str:
        day = format_html('<span class="nowrap">{}</span>', format_day(value))
        return format_html("{} {}", day, deadline_chip(record))

    def render_state(self, record: Submission) -> str:
        """Show who must act on the report, or who decided."""
        if record.state in DECIDED:
            state = record.get_state_display()
            if not record.decided_by:
                return state
            return gettext("{state} by {name}").format(
                state=state, name=record.decided_by
            )
        if record.state == Submission.State.SUBMITTED:
            return str(record.claimed_by or gettext("Unassigned"))
        return record.get_state_display()

    def render_affiliate(self, value: Affiliate) -> str:
        return value.name

    def render_worst(self, record: Submission) -> str:
        worst = most_severe_chip(record)
        if worst is None:
            return gettext("none")
        return chip(worst.level, worst.level, worst.text)


def _claim_button(report: Submission, back: str) -> SafeString:
    """Show the button for an unassigned report; others are opened first."""
    if report.claimed_by_id:
        return SafeString("")
    return format_html(
        '<button class="linklike" type="submit" name="holder" value="" '
        'formaction="{}{}" data-key="t">{}<span class="vh"> {}</span></button>',
        reverse("events:claim", args=[report.pk]),
        back,
        gettext("Assign to me"),
        report,
    )


class LatenessTable(Table):
    """Lateness of reports, by affiliate or by sender."""

    caption = _("Late reports")

    name = tables.Column(order_by=("family", "given", "name"), verbose_name="")
    reports = tables.Column(verbose_name=_("Reports"), attrs=NUMBER)
    late = tables.Column(verbose_name=_("Late"), attrs=NUMBER)
    average = tables.Column(verbose_name=_("Average days late"), attrs=NUMBER)
    most = tables.Column(verbose_name=_("Most days late"), attrs=NUMBER)

    class Meta:
        attrs = {"class": "walk"}

    def __init__(self, *args: Any, who: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.columns["name"].column.verbose_name = who

    def render_name(self, record: dict[str, str]) -> str:
        full = " ".join(
            record[part] for part in ("given", "family") if record.get(part)
        )
        return full or record["name"]

    def render_average(self, value: float) -> str:
        return f"{value:.1f}"
