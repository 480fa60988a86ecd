"""What the desk, the office and the public pages read."""

from collections.abc import Sequence
from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from events.models import OfficeTask, Submission, SubmissionFile
from events.reports.queries.messages import with_unread
from players.members.queries import find_players
from players.models import Player
from ratings_site.common.accounts.queries import why_not_second
from ratings_site.common.models import User
from ratings_site.common.names.sounds import searchable


def reports_of(user) -> QuerySet[Submission]:
    reports = Submission.objects.filter(uploaded_by=user)
    return with_unread(reports, for_office=False).defer("content", "reader_findings")


def sent_in_a_day(user: User) -> int:
    """Count the reports an account has sent or begun within 24 hours."""
    since = timezone.now() - timedelta(days=1)
    return Submission.objects.filter(uploaded_by=user, received_at__gt=since).count()


def reports_for_office() -> QuerySet[Submission]:
    """Return the queue: oldest first, without the bulky working copies."""
    return (
        with_unread(
            Submission.objects.filter(state=Submission.State.SUBMITTED), for_office=True
        )
        .select_related("uploaded_by", "affiliate", "claimed_by")
        .defer("content", "reader_findings")
        .order_by("submitted_at", "pk")
    )


def all_reports() -> QuerySet[Submission]:
    reports = with_unread(Submission.objects.all(), for_office=True)
    return reports.select_related("uploaded_by").defer("content", "reader_findings")


def decided_reports() -> QuerySet[Submission]:
    """Return accepted and returned reports, the latest decision first."""
    return (
        Submission.objects.filter(decided_at__isnull=False)
        .select_related("uploaded_by", "decided_by", "event")
        .defer("content", "reader_findings")
        .order_by("-decided_at", "-pk")
    )


def files_of(submission: Submission) -> QuerySet[SubmissionFile]:
    """Return the uploaded files without their content."""
    return submission.files.defer("content")


def candidates_for(name: str, *, limit: int = 12) -> list[Player]:
    """Return members a reported name may mean; by the family name if need be."""
    words = searchable(name).split()
    for text in (" ".join(words), *words[:1]):
        found = find_players(text).prefetch_related("memberships__type")[:limit]
        if players := list(found):
            return players
    return []


def open_tasks() -> QuerySet[OfficeTask]:
    return (
        OfficeTask.objects.filter(state=OfficeTask.State.OPEN)
        .exclude(submission__state=Submission.State.WITHDRAWN)
        .select_related("player", "submission")
    )


def senders_of(submission: Submission) -> set[int]:
    """Return the accounts that uploaded and submitted a report."""
    return {submission.uploaded_by_id, submission.submitted_by_id} - {None}


def why_not_decide(submission: Submission, actor: User) -> str:
    """Say why somebody cannot accept a report; blank if nothing is against it."""
    return why_not_decide_each([submission], actor).get(submission.pk, "")


def why_not_decide_each(
    submissions: Sequence[Submission], actor: User
) -> dict[int, str]:
    """Say of each report that somebody cannot accept why not (one query)."""
    everybody = {one for submission in submissions for one in senders_of(submission)}
    refusals = {actor.pk: _two_people()} | {
        one.pk: sentence
        for one in User.objects.filter(pk__in=everybody - {actor.pk})
        if (sentence := why_not_second(actor, one))
    }
    return {
        submission.pk: refusals[against[0]]
        for submission in submissions
        if (
            against := sorted(
                senders_of(submission) & refusals.keys(),
                key=lambda one: (one != actor.pk, one),
            )
        )
    }


def _two_people() -> str:
    return _(
        "Two people see to a report: you uploaded or submitted this one, so "
        "somebody else of the office has to accept it."
    )
