"""What the office's first page shows of reports: what waits, and one table."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby

import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.books.jobs import RATE_SECTION
from events.checks.queries.likely import LikelyMember, likely_at
from events.importers.records import ReportedEvent
from events.models import CorrectionRequest, PendingMember, Section, Submission
from events.office.queries import newcomers_who_wait
from events.reports.pages.chips import deadline_chip, unread_chip
from events.reports.pages.findings import CountChip, count_chips
from events.reports.queries.reports import open_tasks, reports_for_office
from events.reports.services.submissions import reported_in
from players.fide.queries import members_to_link
from players.identity.queries import suspected
from players.models import Player
from ratings_site.common.desk.queries import Waiting, age, says_what_waits, waiting_in
from ratings_site.common.jobs.queries import unmended_jobs
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.looks.icons import icon_svg

MOST_LISTED = 50
DECIDED = (Submission.State.ACCEPTED, Submission.State.WITHDRAWN)
# Nobody works through more than so many pairs of people before looking again.
MOST_COUNTED = 1000
MOST_NEWCOMERS = 60


def worst_of(submission: Submission) -> CountChip | None:
    """Return the gravest kind of finding, as counted when the report was sent."""
    chips = count_chips(submission.finding_counts)
    return chips[0] if chips else None


class QueueTable(tables.Table):
    """Reports, those to decide by default: the oldest first."""

    caption = gettext_lazy("Reports")

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
        linkify=True,
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

    def __init__(self, *args, now: datetime, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.now = now

    def render_age(self, value: datetime, record: Submission) -> str:
        """Say how long it has waited; what is decided waits no more."""
        if record.state in DECIDED:
            return ""
        return age(value, self.now)

    def render_event_name(self, record: Submission) -> str:
        return format_html("{}{}", record, unread_chip(record))

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


@dataclass(frozen=True, slots=True)
class FailedRating:
    """A section whose rating failed, and the job to try again."""

    job_id: int
    section: Section
    message: str


def failed_ratings() -> list[FailedRating]:
    """Return the failed ratings that nobody has tried again, in two queries."""
    jobs = list(unmended_jobs(RATE_SECTION)[:MOST_LISTED])
    sections = Section.objects.select_related("event").in_bulk(
        [job.args.get("section_id") for job in jobs]
    )
    return [
        FailedRating(job.pk, section, job.message)
        for job in jobs
        if (section := sections.get(job.args.get("section_id"))) is not None
    ]


# What waits


@says_what_waits
def _what_waits(now: datetime) -> list[Waiting]:
    queue = reverse("events:queue")
    return [
        waiting_in(
            reports_for_office(),
            since="submitted_at",
            what=_("reports to decide"),
            url=f"{queue}#reports",
            now=now,
        ),
        waiting_in(
            Submission.objects.filter(state__in=Submission.EDITABLE),
            since="received_at",
            what=_("reports that TDs have not handed in"),
            url=f"{queue}?report=open#reports",
            now=now,
        ),
        waiting_in(
            open_tasks(),
            since="opened_at",
            what=_("ratings to look up"),
            url=f"{queue}#tasks",
            now=now,
        ),
        waiting_in(
            newcomers_who_wait(),
            since="told_at",
            what=_("new members without a number"),
            url=reverse("events:newcomers"),
            now=now,
        ),
        waiting_in(
            CorrectionRequest.objects.filter(state__in=CorrectionRequest.OPEN_STATES),
            since="asked_at",
            what=_("corrections asked for"),
            url=reverse("events:corrections"),
            now=now,
        ),
    ]


def people_that_wait() -> list[Waiting]:
    """Count the members that look alike, and those to link with a FIDE ID."""
    found = (
        (
            _("suspected duplicates"),
            "players_office:duplicates",
            suspected(),
        ),
        (_("FIDE IDs to link"), "players_office:links", members_to_link()),
    )
    return [
        Waiting(what, reverse(name), members.order_by()[:MOST_COUNTED].count())
        for what, name, members in found
    ]


# New members of reports


@dataclass(frozen=True, slots=True)
class LikelyRow:
    """A member whom a newcomer may be; only the office sees whether the days agree."""

    member: LikelyMember
    birth: str


@dataclass(frozen=True, slots=True)
class NewcomerRow:
    """A newcomer without a number, and what was typed beside it."""

    newcomer: PendingMember
    likely: tuple[LikelyRow, ...]
    typed: str = ""
    was_ticked: bool | None = None

    @property
    def is_ticked(self) -> bool:
        """Tell whether the box is ticked: as it was sent, else if nobody is so alike.

        Where a member has the name and the birth date, the clerk looks twice.
        """
        if self.was_ticked is not None:
            return self.was_ticked
        return not any(one.birth == SAME_BIRTH for one in self.likely)


SAME_BIRTH = gettext_lazy("same birth date")
SAME_YEAR = gettext_lazy("same year of birth")
OTHER_BIRTH = gettext_lazy("other birth date")


def newcomer_rows(
    typed: Mapping[int, str], ticked: Collection[int] | None = None
) -> tuple[list[NewcomerRow], bool]:
    """Return the newcomers, those of the oldest report first, and whether more wait.

    *typed* and *ticked* are what was sent, to be shown again.
    """
    waiting = list(
        newcomers_who_wait().order_by("submission_id", "pk")[: MOST_NEWCOMERS + 1]
    )
    shown = waiting[:MOST_NEWCOMERS]
    likely = _likely_of(shown)
    births = dict(
        Player.objects.filter(
            member_id__in={one.member_id for found in likely.values() for one in found}
        ).values_list("member_id", "birth_date")
    )
    rows = [
        NewcomerRow(
            newcomer,
            tuple(
                LikelyRow(one, _births_compared(newcomer, births.get(one.member_id)))
                for one in likely.get(newcomer.pk, ())
            ),
            typed.get(newcomer.pk, ""),
            None if ticked is None else newcomer.pk in ticked,
        )
        for newcomer in shown
    ]
    return rows, len(waiting) > MOST_NEWCOMERS


def _likely_of(newcomers: Sequence[PendingMember]) -> dict[int, list[LikelyMember]]:
    """Return likely members by newcomer (three queries for each report)."""
    found: dict[int, list[LikelyMember]] = {}
    for submission, own in groupby(newcomers, key=lambda one: one.submission):
        reported = reported_in(submission)
        spots = _spots_of(reported)
        at = {one.pk: spots[one.number] for one in own if one.number in spots}
        likely = likely_at(reported, at.values())
        found |= {pk: likely[spot] for pk, spot in at.items() if spot in likely}
    return found


def _spots_of(reported: ReportedEvent) -> dict[str, tuple[int, int]]:
    """Return section and pairing number by what stands for the member ID."""
    return {
        entry.member_id: (section.number, entry.pairing_number)
        for section in reported.sections
        for entry in section.entries
    }


def _births_compared(newcomer: PendingMember, birth_date: date | None) -> str:
    if birth_date is None:
        return ""
    if newcomer.birth_date == birth_date:
        return SAME_BIRTH
    if newcomer.birth_year == birth_date.year:
        return SAME_YEAR
    return OTHER_BIRTH
