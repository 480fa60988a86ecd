"""Access rules for the pages of reports and of the ratings office."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import (
    Count,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from events.models import EventOfficial, FeeCharge, Official, Section, Submission
from players.members.queries import kept_records
from players.models import Player
from players.models.name_viewer import show_all_names
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
    merged = Official.objects.filter(player__merged_into=OuterRef("player"))
    row = (
        User.objects.filter(pk=user.pk)
        .select_related("player__official")
        .annotate(
            merged_td=Subquery(merged.values("pk")[:1]),
            reports_due=_number_of(mine),
            reports_waiting=waiting if user.is_staff else Value(0),
        )
        .first()
    )
    if row is None:
        return AccountSummary()
    player = getattr(row, "player", None)
    User._meta.get_field("player").set_cached_value(user, player)
    official = getattr(player, "official", None)
    if row.merged_td:
        official = td_records(account=user.pk).first()
    return AccountSummary(
        player,
        official,
        row.reports_due,
        row.reports_waiting,
    )


def _number_of(reports: QuerySet[Submission]) -> Coalesce:
    counted = reports.order_by().annotate(all=Value(1)).values("all")
    return Coalesce(Subquery(counted.annotate(number=Count("pk")).values("number")), 0)


def td_records(**member: object) -> QuerySet[Official]:
    """Return the TD records of people under any member number (one query).

    If a person has two, the one that ends later counts and comes first.
    """
    kept = kept_records(**member)
    mine = Q(player__in=kept) | Q(player__merged_into__in=kept)
    rows = Official.objects.filter(mine).select_related("player__merged_into")
    return rows.order_by("-certified_until", "pk")


def td_field(field: str, member: str = "") -> Subquery:
    """Return a field of the TD record that counts for the person of each row.

    *member* leads from the row to its member: "" for members, or "player__".
    """
    person = Coalesce(OuterRef(f"{member}merged_into"), OuterRef(f"{member}pk"))
    # Two index lookups per row; an OR on Official would read all TDs each time.
    numbers = Player.objects.filter(Q(pk=person) | Q(merged_into=person))
    records = numbers.exclude(official=None).order_by(
        "-official__certified_until", "official__pk"
    )
    return Subquery(records.values(f"official__{field}")[:1])


def officials_of(**member: object) -> dict[int, Official]:
    """Return the TD records that count by the key of the kept record (one query)."""
    records = td_records(**member).reverse()
    return {one.player.canonical.pk: one for one in records}


def officials_by_id(member_ids: Iterable[str]) -> dict[str, Official]:
    """Return the TD record of each member ID, for those of TDs (two queries)."""
    asked = Player.objects.filter(member_id__in=set(member_ids))
    found = officials_of(pk__in=asked.order_by().values("pk"))
    numbers = asked.order_by().values_list("member_id", "merged_into", "pk")
    people = {member_id: kept or pk for member_id, kept, pk in numbers}
    return {one: found[pk] for one, pk in people.items() if pk in found}


def is_account_of(user: User, member: str = "player") -> Q:
    """Return the condition that a row's member, or the kept record, has the account."""
    return Q((f"{member}__account", user)) | Q(
        (f"{member}__merged_into__account", user)
    )


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
    mine = directed.filter(is_account_of(user))
    return mine.filter(
        Q(section_number=None) | Q(section_number=section.number)
    ).exists()


def require_office(user: User | AnonymousUser) -> None:
    if not is_office(user):
        raise PermissionDenied(_("This page is for clerks of the ratings office."))


def show_names_to_td(user: User | AnonymousUser) -> None:
    """Show all names to a certified TD or a clerk, in this request only."""
    official = official_of(user)
    if is_office(user) or (official and official.is_certified_on(timezone.localdate())):
        show_all_names()


def require_reporter(user: User | AnonymousUser) -> None:
    """Raise PermissionDenied unless the account may send reports: TDs and staff.

    Certified TDs see the names of private members in the rest of the request.
    """
    if official_of(user) is None and not is_office(user):
        raise PermissionDenied(
            _(
                "Only tournament directors and clerks of the ratings office can send "
                "rating reports."
            )
        )
    show_names_to_td(user)


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


def visible_charges(user: User) -> QuerySet[FeeCharge]:
    """Return all charges for the office, for TDs those of affiliates that list them."""
    charges = FeeCharge.objects.all()
    if is_office(user):
        return charges
    listed = Official.objects.filter(is_account_of(user)).order_by()
    return charges.filter(affiliate__in=listed.values("affiliates"))


def charges_or_404(user: User, affiliate_id: str) -> QuerySet[FeeCharge]:
    """Return an affiliate's charges for its listed TDs and the office.

    For the office, "" stands for all affiliates.
    """
    charges = visible_charges(user)
    if affiliate_id or not is_office(user):
        charges = charges.filter(affiliate__affiliate_id=affiliate_id)
    if not charges.exists():
        raise Http404(_("There are no rating fees to show."))
    return charges


def _require_reporter(request: HttpRequest) -> None:
    require_reporter(request.user)
    if request.method not in ("GET", "HEAD"):
        require_certified(request.user)


# For TDs and staff; a TD whose certification has ended can only read.
reporter_required = restrict(_require_reporter)
office_required = restrict(lambda request: require_office(request.user))
