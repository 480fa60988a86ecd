"""Report data of the office dashboard: pending work, and the queue."""

from typing import Self

from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from events.models import CorrectionRequest, Section, Submission
from events.records.jobs import RATE_SECTION
from events.reports.filters import ReportFilter
from events.reports.queries.messages import ReportWithUnread
from events.reports.queries.reports import open_tasks, reports_for_office
from events.review.queries.newcomers import pending_newcomers
from events.review.tables import QueueTable
from players.fide.queries import members_to_link
from players.identity.queries import suspected_duplicates
from ratings_site.common.approvals.pages import ListState
from ratings_site.common.dashboard.queries import PendingItem, register_count
from ratings_site.common.jobs.queries import unretried_failures
from ratings_site.common.models import Job, User

MAX_LISTED = 50
# The most pairs of members that are counted.
MAX_COUNTED = 1000


class Queue(ListState):
    """The queue with the filter and order that a clerk has chosen.

    The pages of a report pass it on, so that the next report is the next in it.
    """

    query_name = "queue"

    def __init__(self, said: QueryDict, view: str = "events:queue") -> None:
        said = said.copy()
        said.pop("page", None)
        super().__init__(said, view)

    @classmethod
    def from_request(cls, request: HttpRequest, view: str = "events:queue") -> Self:
        return super().from_request(request, view)

    def reports(self, user: User) -> QuerySet[ReportWithUnread]:
        """Return the reports to review; invalid filters are ignored."""
        form = ReportFilter(self.said, user=user)
        form.is_valid()
        table = QueueTable(form.reports(), now=timezone.now(), out={})
        if order_by := self.said.getlist(table.prefixed_order_by_field):
            table.order_by = order_by
        found: QuerySet[ReportWithUnread] = table.data.data
        return found.filter(state=Submission.State.SUBMITTED)

    def after(self, pk: int, user: User) -> int | None:
        """Return the number of the next report, or None after the last."""
        numbers = list(self.reports(user).values_list("pk", flat=True))
        after = numbers[numbers.index(pk) + 1 :] if pk in numbers else numbers
        return after[0] if after else None


def failed_ratings() -> list[tuple[Job, Section]]:
    """Return the failed jobs without a retry and their sections, in two queries."""
    jobs = list(unretried_failures(RATE_SECTION)[:MAX_LISTED])
    sections = Section.objects.select_related("event").in_bulk(
        [job.args.get("section_id") for job in jobs]
    )
    return [
        (job, section)
        for job in jobs
        if (section := sections.get(job.args.get("section_id"))) is not None
    ]


# Pending work


register_count(
    reports_for_office,
    order=10,
    what=ngettext_lazy("report to review", "reports to review"),
    page="events:queue",
    at="#reports",
    since="submitted_at",
)
register_count(
    open_tasks,
    order=30,
    what=ngettext_lazy("rating to look up", "ratings to look up"),
    page="events:queue",
    at="#tasks",
    since="opened_at",
)
register_count(
    pending_newcomers,
    order=40,
    what=ngettext_lazy("new member without an ID", "new members without an ID"),
    page="events:newcomers",
    since="told_at",
)
register_count(
    CorrectionRequest.objects.open,
    order=50,
    what=ngettext_lazy("correction request", "correction requests"),
    page="events:corrections",
    since="asked_at",
)


def pending_member_work() -> list[PendingItem]:
    """Count suspected duplicates, and members to link with a FIDE ID."""
    found = (
        (_("possible duplicates"), "players_office:duplicates", suspected_duplicates()),
        (_("FIDE IDs to link"), "players_office:links", members_to_link()),
    )
    return [
        PendingItem(what, reverse(name), members.order_by()[:MAX_COUNTED].count())
        for what, name, members in found
    ]
