"""Queries for reports."""

from collections.abc import Sequence
from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from events.access import is_office, visible_charges
from events.models import OfficeTask, Submission
from events.reports.queries.messages import ReportWithUnread, with_unread
from players.members.queries import find_players
from players.models import Player
from ratings_site.common.accounts.queries import second_approval_denial
from ratings_site.common.models import User
from ratings_site.common.names.phonetics import searchable


def reports_of(user: User) -> QuerySet[ReportWithUnread]:
    reports = with_unread(Submission.objects.filter(uploaded_by=user), for_office=False)
    return reports.select_related("uploaded_by").defer("content", "reader_findings")


def daily_report_count(user: User) -> int:
    """Count the reports that an account has created within 24 hours."""
    since = timezone.now() - timedelta(days=1)
    return Submission.objects.filter(uploaded_by=user, received_at__gt=since).count()


def charged_affiliates(user: User) -> list[str]:
    """Return the affiliates with statements; for the office "" stands for all."""
    charges = visible_charges(user).order_by()
    if is_office(user):
        return [""] if charges.exists() else []
    return list(charges.values_list("affiliate__affiliate_id", flat=True).distinct())


def reports_for_office() -> QuerySet[ReportWithUnread]:
    """Return the submitted reports, oldest first, without large columns."""
    waiting = all_reports().filter(state=Submission.State.SUBMITTED)
    waiting = waiting.select_related("affiliate", "claimed_by")
    return waiting.order_by("submitted_at", "pk")


def all_reports() -> QuerySet[ReportWithUnread]:
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


def candidates_for(name: str, *, limit: int = 12) -> list[Player]:
    """Return members for a reported name, or else for the family name."""
    words = searchable(name).split()
    for text in (" ".join(words), *words[:1]):
        found = find_players(text).prefetch_related("memberships__type")[:limit]
        if players := list(found):
            return players
    return []


def open_tasks() -> QuerySet[OfficeTask]:
    return (
        OfficeTask.objects.open()
        .exclude(submission__state=Submission.State.WITHDRAWN)
        .select_related("player", "submission")
    )


def senders_of(submission: Submission) -> set[int]:
    """Return the accounts that uploaded and submitted a report."""
    both = (submission.uploaded_by_id, submission.submitted_by_id)
    return {pk for pk in both if pk is not None}


def denial_reason(submission: Submission, actor: User) -> str:
    """Return why *actor* cannot accept a report, or ""."""
    return denial_reasons([submission], actor).get(submission.pk, "")


def denial_reasons(submissions: Sequence[Submission], actor: User) -> dict[int, str]:
    """Return why *actor* cannot accept reports, by report (one query)."""
    everybody = {one for submission in submissions for one in senders_of(submission)}
    refusals = {actor.pk: _second_approval_message()} | {
        one.pk: sentence
        for one in User.objects.filter(pk__in=everybody - {actor.pk})
        if (sentence := second_approval_denial(actor, one))
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


def _second_approval_message() -> str:
    return _(
        "You uploaded or submitted this report, so another person in the office "
        "has to accept it."
    )
