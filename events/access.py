"""Who may reach what. Every page of the desk and the office asks here."""

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404

from events.models import Official, Submission
from ratings_site.common.models import User


def is_office(user: User | AnonymousUser) -> bool:
    """Tell whether the account belongs to ratings-office staff."""
    return (
        user.is_active and user.is_staff and user.has_perm("events.review_submission")
    )


def official_of(user: User | AnonymousUser) -> Official | None:
    """Return the TD this account belongs to, if it does."""
    if not user.is_authenticated:
        return None
    return (
        Official.objects.filter(player__account=user).select_related("player").first()
    )


def require_office(user: User | AnonymousUser) -> None:
    if not is_office(user):
        raise PermissionDenied("This page belongs to the ratings office.")


def require_reporter(user: User | AnonymousUser) -> None:
    """Let TDs and staff through: those who may send a report."""
    if official_of(user) is None and not is_office(user):
        raise PermissionDenied("Only tournament directors can send rating reports.")


def submission_for(user: User | AnonymousUser, pk: int) -> Submission:
    """Return a report the person may see: a TD's own, or any for the office.

    Somebody else's report answers 404, so that its existence is not given away.
    """
    submission = (
        Submission.objects.select_related("uploaded_by", "affiliate", "decided_by")
        .filter(pk=pk)
        .first()
    )
    if submission is None or (
        submission.uploaded_by_id != user.pk and not is_office(user)
    ):
        raise Http404("There is no report of this number among yours.")
    return submission


def editable_submission_for(user: User | AnonymousUser, pk: int) -> Submission:
    submission = submission_for(user, pk)
    if not submission.is_editable:
        raise PermissionDenied(
            "This report is with the office and cannot be changed now."
        )
    return submission
