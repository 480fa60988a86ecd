"""What the desk, the office and the public pages read."""

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


def why_not_decide(submission: Submission, actor: User) -> str:
    """Say why somebody cannot accept a report; blank if nothing is against it."""
    first = {submission.uploaded_by_id, submission.submitted_by_id}
    if actor.pk in first:
        return _(
            "Two people see to a report: you uploaded or submitted this one, so "
            "somebody else of the office has to accept it."
        )
    sent_by = User.objects.filter(pk__in=first - {None}).order_by("pk")
    return next(filter(None, (why_not_second(actor, one) for one in sent_by)), "")
