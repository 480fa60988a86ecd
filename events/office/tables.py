"""The reports of the queue, and how late reports are, as lists."""

from collections.abc import Mapping
from datetime import date, datetime

import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.models import Submission
from events.office.queries.clean import LeftOut, Why
from events.reports.pages.chips import deadline_chip, unread_chip
from events.reports.pages.findings import CountChip, count_chips
from ratings_site.common.desk.queries import age
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.looks.icons import icon_svg
from ratings_site.common.looks.tables import NUMBER, Table

DECIDED = (Submission.State.ACCEPTED, Submission.State.WITHDRAWN)


def worst_of(submission: Submission) -> CountChip | None:
    """Return the gravest kind of finding, as counted when the report was sent."""
    chips = count_chips(submission.finding_counts)
    return chips[0] if chips else None


class ChosenColumn(tables.Column):
    """Boxes to tick, under a heading for those who hear the page."""

    @property
    def header(self) -> SafeString:
        return format_html('<span class="vh">{}</span>', _("Chosen"))


class QueueTable(Table):
    """Reports, those to decide by default: the oldest first."""

    caption = gettext_lazy("Reports")

    chosen = ChosenColumn(
        accessor="pk",
        orderable=False,
        attrs={"td": {"class": "tick fit"}, "th": {"class": "fit"}},
    )
    age = tables.Column(
        verbose_name=gettext_lazy("Waits"),
        accessor="since",
        attrs={
            "td": {"class": "num", "data-label": gettext_lazy("Waits")},
            "th": {"class": "num"},
        },
    )
    event_name = tables.Column(
        verbose_name=gettext_lazy("Event"),
        empty_values=(),
        attrs={"td": {"class": "name"}, "th": {"class": "name"}},
    )
    ends = tables.Column(
        verbose_name=gettext_lazy("Ended"),
        attrs={"td": {"data-label": gettext_lazy("Ended")}},
    )
    entry_count = tables.Column(
        verbose_name=gettext_lazy("Entries"),
        attrs={
            "td": {"class": "num", "data-label": gettext_lazy("Entries")},
            "th": {"class": "num"},
        },
    )
    worst = tables.Column(
        verbose_name=gettext_lazy("Worst finding"),
        empty_values=(),
        orderable=False,
        attrs={"td": {"data-label": gettext_lazy("Worst finding")}},
    )
    state = tables.Column(
        verbose_name=gettext_lazy("Who has it"),
        attrs={"td": {"data-label": gettext_lazy("Who has it")}},
    )
    uploaded_by = tables.Column(
        verbose_name=gettext_lazy("Sent by"),
        orderable=False,
        attrs={"td": {"data-label": gettext_lazy("From")}},
    )
    affiliate = tables.Column(
        verbose_name=gettext_lazy("Affiliate"),
        orderable=False,
        default="Unknown",
        attrs={"td": {"data-label": gettext_lazy("For")}},
    )

    class Meta:
        model = Submission
        fields = ()
        sequence = (
            "chosen",
            "age",
            "event_name",
            "ends",
            "entry_count",
            "worst",
            "state",
            "uploaded_by",
            "affiliate",
        )
        attrs = {"class": "cardlike walk"}
        template_name = "partials/table.html"

    def __init__(
        self, *args, now: datetime, out: Mapping[int, LeftOut], back: str = "", **kwargs
    ) -> None:
        super().__init__(*args, **kwargs)
        self.now, self.out = now, out
        self.back = back

    def render_chosen(self, record: Submission) -> str:
        """Offer a clean report to be accepted with others."""
        if record.state != Submission.State.SUBMITTED or record.pk in self.out:
            return ""
        return format_html(
            '<input type="checkbox" name="report" value="{0}" data-key="x" '
            'aria-label="{1}"><input type="hidden" name="on_page" value="{0}">',
            record.pk,
            _("Choose {report}").format(report=record),
        )

    def render_age(self, value: datetime, record: Submission) -> str:
        """Say how long it has waited; what is decided waits no more."""
        if record.state in DECIDED:
            return ""
        return age(value, self.now)

    def render_event_name(self, record: Submission) -> str:
        return format_html(
            '<a href="{}{}">{}</a>{}{}',
            record.get_absolute_url(),
            self.back,
            record,
            unread_chip(record),
            self._acts_on(record),
        )

    def _acts_on(self, report: Submission) -> SafeString:
        """Link to what can be decided on a report that waits, each with its key."""
        if report.state != Submission.State.SUBMITTED:
            return SafeString("")
        out = self.out.get(report.pk)
        acts = [("b", "events:return", _("Return"))]
        if out is None or out.why not in (Why.OWN, Why.FINDINGS):
            acts.insert(0, ("a", "events:accept", _("Accept")))
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
            _take(report, self.back),
        )

    def render_ends(self, value: date, record: Submission) -> str:
        return format_html("{} {}", day_in_words(value), deadline_chip(record))

    def render_state(self, record: Submission) -> str:
        """Say who has to act on the report, or who decided."""
        if record.state in DECIDED:
            by = f" by {record.decided_by}" if record.decided_by else ""
            return f"{record.get_state_display()}{by}"
        if record.state == Submission.State.SUBMITTED:
            return str(record.claimed_by or _("nobody yet"))
        return record.get_state_display()

    def render_affiliate(self, value) -> str:
        return value.name

    def render_worst(self, record: Submission) -> str:
        chip = worst_of(record)
        if chip is None:
            return "none"
        return format_html(
            '<span class="chip {}">{} {}</span>',
            chip.level,
            SafeString(icon_svg(chip.level)),
            chip.text,
        )


def _take(report: Submission, back: str) -> SafeString:
    """Offer a report that nobody has; who takes one over looks at it first."""
    if report.claimed_by_id:
        return SafeString("")
    return format_html(
        '<button class="linklike" type="submit" name="holder" value="" '
        'formaction="{}{}" data-key="t">{}<span class="vh"> {}</span></button>',
        reverse("events:claim", args=[report.pk]),
        back,
        _("Take"),
        report,
    )


class LatenessTable(Table):
    """How late reports come, by affiliate or by who sent them."""

    caption = gettext_lazy("How late reports come")

    name = tables.Column(order_by=("family", "given", "name"), verbose_name="")
    reports = tables.Column(verbose_name=gettext_lazy("Reports"), attrs=NUMBER)
    late = tables.Column(verbose_name=gettext_lazy("Late"), attrs=NUMBER)
    average = tables.Column(
        verbose_name=gettext_lazy("Days late on average"), attrs=NUMBER
    )
    most = tables.Column(verbose_name=gettext_lazy("At most"), attrs=NUMBER)

    class Meta:
        attrs = {"class": "walk"}

    def __init__(self, *args, who: str, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.columns["name"].column.verbose_name = who

    def render_name(self, record: dict[str, str]) -> str:
        full = " ".join(
            record[part] for part in ("given", "family") if record.get(part)
        )
        return full or record["name"]

    def render_average(self, value: float) -> str:
        return f"{value:.1f}"
