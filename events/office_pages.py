"""What the office's queue shows: plain records and one table."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.safestring import SafeString

from events.desk_pages import CountChip, count_chips
from events.models import Section, Submission
from events.queries import unmended_jobs
from events.rating_jobs import RATE_SECTION
from ratings_site.common.icons import icon_svg

MOST_LISTED = 50


def age(since: datetime, now: datetime) -> str:
    """Return how long something has waited, in the largest fitting unit.

    >>> age(datetime(2024, 5, 4, 12), datetime(2024, 5, 6, 13))
    '2 days'
    """
    waited = max(now - since, timedelta(0))
    for unit, length in (
        ("day", timedelta(days=1)),
        ("hour", timedelta(hours=1)),
        ("minute", timedelta(minutes=1)),
    ):
        if number := waited // length:
            return f"{number} {unit}" + ("" if number == 1 else "s")
    return "just now"


def worst_of(submission: Submission) -> CountChip | None:
    """Return the gravest kind of finding, as counted when the report was sent."""
    chips = count_chips(submission.finding_counts)
    return chips[0] if chips else None


class QueueTable(tables.Table):
    """Reports that wait for the office, the oldest first."""

    age = tables.Column(
        verbose_name="Waits",
        accessor="submitted_at",
        attrs={"td": {"class": "num", "data-label": "Waits"}, "th": {"class": "num"}},
    )
    event_name = tables.Column(
        verbose_name="Event",
        linkify=True,
        empty_values=(),
        attrs={"td": {"class": "name"}, "th": {"class": "name"}},
    )
    ends = tables.Column(verbose_name="Ended", attrs={"td": {"data-label": "Ended"}})
    entry_count = tables.Column(
        verbose_name="Entries",
        attrs={
            "td": {"class": "num", "data-label": "Entries"},
            "th": {"class": "num"},
        },
    )
    worst = tables.Column(
        verbose_name="Worst finding",
        empty_values=(),
        orderable=False,
        attrs={"td": {"data-label": "Worst finding"}},
    )
    uploaded_by = tables.Column(
        verbose_name="Sent by", orderable=False, attrs={"td": {"data-label": "From"}}
    )
    affiliate = tables.Column(
        verbose_name="Affiliate",
        orderable=False,
        default="Unknown",
        attrs={"td": {"data-label": "For"}},
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
            "uploaded_by",
            "affiliate",
        )
        attrs = {"class": "cardlike walk"}
        template_name = "partials/table.html"

    def __init__(self, *args, now: datetime, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.now = now

    def render_age(self, value: datetime) -> str:
        return age(value, self.now)

    def render_event_name(self, record: Submission) -> str:
        return str(record)

    def render_ends(self, value) -> str:
        return f"{value.day} {value:%B %Y}"

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
