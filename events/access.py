"""Access rules for the pages of reports and of the ratings office."""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from events.models import EventOfficial, Official, Section, Submission
from players.models import Player
from ratings_site.common.accounts.permissions import restrict
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import long_day


def is_office(user: User | AnonymousUser) -> bool:
    """Return whether the account belongs to ratings-office staff."""
    return (
        user.is_active and user.is_staff and user.has_perm("events.review_submission")
    )


@dataclass(frozen=True, slots=True)
class AccountSummary:
    """The facts about an account that the menu of every page shows."""

    player: Player | None = None
    official: Official | None = None
    reports_due: int = 0  # drafts and returned reports of this TD
    reports_waiting: int = 0  # submitted reports, for clerks


def account_summary(user: User | AnonymousUser) -> AccountSummary:
    """Return the account's facts for the menu in one query, cached on *user*.

    ``refresh_from_db`` clears the cached player, and these facts with it.
    """
    if not user.is_authenticated:
        return AccountSummary()
    facts = vars(user).get("_facts")
    if facts is None or not User._meta.get_field("player").is_cached(user):
        facts = vars(user)["_facts"] = _read_account_summary(user)
    return facts


def _read_account_summary(user: User) -> AccountSummary:
    waiting = _number_of(Submission.objects.filter(state=Submission.State.SUBMITTED))
    mine = Submission.objects.filter(
        uploaded_by=OuterRef("pk"), state__in=Submission.EDITABLE
    )
    row = (
        User.objects.filter(pk=user.pk)
        .select_related("player__official")
        .annotate(
            reports_due=_number_of(mine),
            reports_waiting=waiting if user.is_staff else Value(0),
        )
        .first()
    )
    if row is None:
        return AccountSummary()
    player = getattr(row, "player", None)
    User._meta.get_field("player").set_cached_value(user, player)
    return AccountSummary(
        player,
        getattr(player, "official", None),
        row.reports_due,
        row.reports_waiting,
    )


def _number_of(reports: QuerySet[Submission]) -> Coalesce:
    counted = reports.order_by().annotate(all=Value(1)).values("all")
    return Coalesce(Subquery(counted.annotate(number=Count("pk")).values("number")), 0)


def official_of(user: User | AnonymousUser) -> Official | None:
    """Return the account's TD record, or None."""
    return account_summary(user).official


def can_request_corrections(user: User | AnonymousUser) -> bool:
    """Return whether the account may request corrections: members, TDs, staff."""
    if not user.is_authenticated:
        return False
    return getattr(user, "player", None) is not None or is_office(user)


def is_td_of(user: User | AnonymousUser, section: Section) -> bool:
    """Return whether the account sent the event's report or directed the section."""
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
        raise PermissionDenied(_("This page is for clerks of the ratings office."))


def require_reporter(user: User | AnonymousUser) -> None:
    """Raise PermissionDenied unless the account may send reports: TDs and staff."""
    if official_of(user) is None and not is_office(user):
        raise PermissionDenied(
            _(
                "Only tournament directors and clerks of the ratings office can send "
                "rating reports."
            )
        )


def submission_denial_reason(user: User | AnonymousUser) -> str:
    """Return why a TD cannot send or change reports now, or "".

    The sender must be certified today. Whether the directors were certified on the day
    of the event is checked in the report. TDs can always read their own reports.
    """
    official = official_of(user)
    if official is None or official.is_certified_on(timezone.localdate()):
        return ""
    if is_office(user):
        return ""
    return _(
        "Your TD certification ended on {certified_until}. You can read your reports. "
        "To send or change a report, renew your certification or contact the office."
    ).format(certified_until=long_day(official.certified_until))


def require_certified(user: User | AnonymousUser) -> None:
    """Raise PermissionDenied if the account may not change reports now."""
    if sentence := submission_denial_reason(user):
        raise PermissionDenied(sentence)


def get_submission_or_404(user: User | AnonymousUser, pk: int) -> Submission:
    """Return a report the account may see: a TD's own, or any for the office.

    Raise Http404 for any other report, so that its existence is not revealed.
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
        raise Http404(
            _(
                "You have no report with this number. Only its TD and clerks of the "
                "ratings office can open a report."
            )
        )
    return submission


def _require_reporter(request: HttpRequest) -> None:
    require_reporter(request.user)
    if request.method not in ("GET", "HEAD"):
        require_certified(request.user)


# For TDs and staff; a TD whose certification has ended can only read.
reporter_required = restrict(_require_reporter)
office_required = restrict(lambda request: require_office(request.user))
