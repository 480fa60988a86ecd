"""What the office's first page shows of reports: what waits, and one table."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from events.books.jobs import RATE_SECTION
from events.models import CorrectionRequest, Section, Submission
from events.office.queries.newcomers import newcomers_who_wait
from events.office.tables import QueueTable
from events.reports.filters import ReportFilter
from events.reports.queries.reports import open_tasks, reports_for_office
from players.fide.queries import members_to_link
from players.identity.queries import suspected
from ratings_site.common.acts.pages import ListShown
from ratings_site.common.desk.queries import Waiting, says_what_waits, waiting_in
from ratings_site.common.jobs.queries import unmended_jobs
from ratings_site.common.models import User

MOST_LISTED = 50
# Nobody works through more than so many pairs of people before looking again.
MOST_COUNTED = 1000


class Queue(ListShown):
    """The queue that somebody works through: its filter and its order.

    The pages of a report hand it on, so that the next report is the next one there.
    """

    handed_on_as = "queue"

    def __init__(self, said: QueryDict, view: str = "events:queue") -> None:
        said = said.copy()
        said.pop("page", None)
        super().__init__(said, view)

    @classmethod
    def handed_on(cls, request: HttpRequest, view: str = "events:queue") -> Self:
        return super().handed_on(request, view)

    def reports(self, user: User) -> QuerySet[Submission]:
        """Return what waits for a decision; a fault in the address is passed over."""
        form = ReportFilter(self.said, user=user)
        form.is_valid()
        table = QueueTable(form.reports(), now=timezone.now(), out={})
        if order_by := self.said.getlist(table.prefixed_order_by_field):
            table.order_by = order_by
        return table.data.data.filter(state=Submission.State.SUBMITTED)

    def after(self, pk: int, user: User) -> int | None:
        """Return the report that comes after one, or None after the last."""
        numbers = list(self.reports(user).values_list("pk", flat=True))
        after = numbers[numbers.index(pk) + 1 :] if pk in numbers else numbers
        return after[0] if after else None


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
            what=ngettext_lazy("report to decide", "reports to decide"),
            url=f"{queue}#reports",
            now=now,
        ),
        waiting_in(
            Submission.objects.filter(state__in=Submission.EDITABLE),
            since="received_at",
            what=ngettext_lazy(
                "report that its TD has not handed in",
                "reports that TDs have not handed in",
            ),
            url=f"{queue}?report=open#reports",
            now=now,
        ),
        waiting_in(
            open_tasks(),
            since="opened_at",
            what=ngettext_lazy("rating to look up", "ratings to look up"),
            url=f"{queue}#tasks",
            now=now,
        ),
        waiting_in(
            newcomers_who_wait(),
            since="told_at",
            what=ngettext_lazy(
                "new member without a number", "new members without a number"
            ),
            url=reverse("events:newcomers"),
            now=now,
        ),
        waiting_in(
            CorrectionRequest.objects.filter(state__in=CorrectionRequest.OPEN_STATES),
            since="asked_at",
            what=ngettext_lazy("correction asked for", "corrections asked for"),
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
