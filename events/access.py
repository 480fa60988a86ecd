"""Who may reach what. Every page of the desk and the office asks here."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import (
    PermissionDenied,
)
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from events.models import EventOfficial, Official, Section, Submission
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import User


def is_office(user: User | AnonymousUser) -> bool:
    """Tell whether the account belongs to ratings-office staff."""
    return (
        user.is_active and user.is_staff and user.has_perm("events.review_submission")
    )


def official_of(user: User | AnonymousUser) -> Official | None:
    """Return the TD this account belongs to, if it does.

    Each page asks several times; the account in hand remembers it.
    """
    return getattr(getattr(user, "player", None), "official", None)


def may_ask(user: User | AnonymousUser) -> bool:
    """Tell whether the account may ask for corrections: members, TDs, staff."""
    if not user.is_authenticated:
        return False
    return getattr(user, "player", None) is not None or is_office(user)


def is_td_of(user: User | AnonymousUser, section: Section) -> bool:
    """Tell whether the account sent the event's report or directed the section."""
    if not user.is_authenticated:
        return False
    if section.event.submission.uploaded_by_id == user.pk:
        return True
    directed = EventOfficial.objects.filter(event=section.event_id)
    mine = directed.filter(player__account=user)
    return mine.filter(
        Q(section_number=None) | Q(section_number=section.number)
    ).exists()


def require_office(user: User | AnonymousUser) -> None:
    if not is_office(user):
        raise PermissionDenied(_("This page belongs to the ratings office."))


def require_reporter(user: User | AnonymousUser) -> None:
    """Let TDs and staff through: those who may send a report."""
    if official_of(user) is None and not is_office(user):
        raise PermissionDenied(_("Only tournament directors can send rating reports."))


def why_not_send(user: User | AnonymousUser) -> str:
    """Say why a TD may send and change nothing now; blank if nothing stands against it.

    Who sends a report has to be certified today; that the directors were certified when
    the event was played is a matter of the report. Own reports can be read at any time.
    """
    official = official_of(user)
    if official is None or official.is_certified_on(timezone.localdate()):
        return ""
    if is_office(user):
        return ""
    return _(
        "Your certification as a tournament director ended on "
        "{certified_until}. You can read your reports; to send or "
        "change one, renew the certification first, or ask the office."
    ).format(certified_until=day_in_words(official.certified_until))


def require_certified(user: User | AnonymousUser) -> None:
    """Let certified TDs and staff through: those who may change a report now."""
    if sentence := why_not_send(user):
        raise PermissionDenied(sentence)


def submission_for(user: User | AnonymousUser, pk: int) -> Submission:
    """Return a report the person may see: a TD's own, or any for the office.

    Somebody else's report answers 404, so that its existence is not given away.
    """
    submission = (
        Submission.objects.select_related(
            "uploaded_by__player", "affiliate", "decided_by", "claimed_by"
        )
        .filter(pk=pk)
        .first()
    )
    if submission is None or (
        submission.uploaded_by_id != user.pk and not is_office(user)
    ):
        raise Http404(_("There is no report of this number among yours."))
    return submission


View = Callable[..., HttpResponseBase]


def for_reporters(view: View) -> View:
    """Let signed-in TDs and staff through; nothing here is for caches.

    A TD whose certification has ended can look, and change nothing.
    """

    @never_cache
    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        require_reporter(request.user)
        if request.method not in ("GET", "HEAD"):
            require_certified(request.user)
        return view(request, **kwargs)

    return guarded


def for_office(view: View) -> View:
    """Let the office's staff through; nothing here is for caches."""

    @never_cache
    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        require_office(request.user)
        return view(request, **kwargs)

    return guarded
