"""Forgetting a member: contact data and account go, what history needs stays.

A member or guardian asks for it; the office does it, or refuses and says why.
"""

from dataclasses import dataclass

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.models import PendingMember
from players.members.queries import same_person_ids
from players.models import (
    Claim,
    Contact,
    ForgetRequest,
    Guardian,
    GuardianAccount,
    IntakeRow,
    Invitation,
    Player,
)
from players.models.player import NOBODY
from ratings.models import RatingChange
from ratings.my_data.queries import meant, spoken_for
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.models import ApiKey, Notice, NoticeSetting, User, Webhook
from ratings_site.common.notices.services import (
    Kind,
    News,
    count_unread,
    notify,
    register,
)

PERMISSION = "players.forget_member"
# What a record of a member may lose.
PERSONAL = (
    *("account", "birth_date", "gender", "state"),
    *("given_name", "family_name", "suffix"),
)

WISH = register(
    Kind(
        "players.forget",
        gettext_lazy("Wishes to be forgotten"),
        gettext_lazy("What the office decided on your wish to be forgotten."),
    )
)


class NotForgotten(Refusal):
    """The member cannot be forgotten; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that stays, and the reason."""

    what: str
    why: str


def kept(member: Player) -> list[Kept]:
    """Say what stays of a member who is forgotten."""
    stays = [
        Kept(
            _("Member number, entries, results and ratings"),
            _("Every opponent’s rating was computed from them."),
        ),
        Kept(
            _("Reports as they were sent, with the names in them"),
            _("They prove what was played; they are never public."),
        ),
        Kept(
            _("Files of members as they were sent"),
            _("They prove what was taken in; only the office keeps them."),
        ),
        Kept(
            _("The record of acts"),
            _("It says who decided what. Personal values are not in it."),
        ),
    ]
    if _needs_birth_date(member):
        stays.append(
            Kept(
                _("Birth date"),
                _("The first rating rests on the age; only the office sees it."),
            )
        )
    if not settings.FORGET_NAMES:
        stays.append(
            Kept(
                _("Name"),
                _("The federation publishes results under the players’ names."),
            )
        )
    return stays


def _needs_birth_date(member: Player) -> bool:
    """A first rating may rest on the age, and a rerate computes it again."""
    numbers = same_person_ids([member.pk])[member.pk]
    lines = RatingChange.objects.filter(player__in=numbers, pre_rating=None)
    return lines.filter(calculation__section__isnull=False).exists()


def forget_member(*, player_id: int, actor: User, reason: str) -> Player:
    """Take away what is personal of a member and of the member's account.

    Nothing of the ledger changes: the birth date stays where a first rating rests on
    it. Cannot be undone. Refused for accounts of the office.
    """
    require(actor, PERMISSION)
    if not reason.strip():
        raise NotForgotten(_("Say who asked for it, and how you know."))
    with transaction.atomic():
        player = Player.objects.select_for_update(of=("self",)).get(pk=player_id)
        before = {name: getattr(player, name) for name in PERSONAL}
        numbers = same_person_ids([player.pk])[player.pk]
        still_meant = meant(_open_wishes().filter(player__in=numbers))
        account, player.account = player.account, None
        if account is not None:
            _forget_account(account)
        if settings.FORGET_NAMES:
            _forget_notices(player, numbers)
        rows = 0
        for model in (Claim, Contact, Guardian, GuardianAccount, Invitation):
            rows += model.objects.filter(player__in=numbers).delete()[0]
        rows += _forget_as_newcomer(numbers)
        member_ids = Player.objects.filter(pk__in=numbers).values("member_id")
        rows += IntakeRow.objects.filter(key__in=member_ids).delete()[0]
        player.gender = player.state = ""
        if not _needs_birth_date(player):
            player.birth_date = None
        if settings.FORGET_NAMES:
            _take_name(player)
            for duplicate in Player.objects.filter(merged_into=player):
                _take_name(duplicate)
                duplicate.save()
        if not rows and before == {name: getattr(player, name) for name in before}:
            raise NotForgotten(_("Nothing personal is left that could go."))
        player.save()
        record("player.forgotten", subject=player, actor=actor, reason=reason)
        for wish in _open_wishes().filter(player__in=numbers):
            _decide(wish, ForgetRequest.State.DONE, actor=actor, reason=reason)
            if wish.pk in still_meant:
                notify([_news(wish)])
    return player


def _take_name(player: Player) -> None:
    player.given_name, player.family_name = NOBODY
    player.suffix = ""


# Asking for it


def ask_to_be_forgotten(*, player_id: int, actor: User) -> ForgetRequest:
    """Lay a wish before the office; only for members whom the account speaks for."""
    with transaction.atomic():
        player = Player.objects.select_for_update(of=("self",)).get(pk=player_id)
        if player not in spoken_for(actor):
            raise NotForgotten(_("Your account does not speak for this member."))
        open_ones = _open_wishes().filter(player=player)
        if meant(open_ones):
            raise NotForgotten(_("The office has this wish already."))
        open_ones.delete()  # of an account that no longer speaks for the member
        wish = ForgetRequest.objects.create(player=player, account=actor)
        record("player.forget_asked", subject=player, actor=actor)
    return wish


def refuse_to_forget(*, request_id: int, actor: User, reason: str) -> ForgetRequest:
    """Leave the member as they are; who asked reads the reason."""
    require(actor, PERMISSION)
    with transaction.atomic():
        wish = _open_wishes().filter(pk=request_id).first()
        if wish is None:
            raise NotForgotten(_("This wish does not wait for the office."))
        _decide(wish, ForgetRequest.State.REFUSED, actor=actor, reason=reason)
        if meant([wish]):
            notify([_news(wish)])
        record("player.forget_refused", subject=wish.player, actor=actor, reason=reason)
    return wish


def _open_wishes() -> QuerySet[ForgetRequest]:
    asked = ForgetRequest.objects.filter(state=ForgetRequest.State.ASKED)
    return asked.select_for_update(of=("self",)).select_related("player")


def _decide(wish: ForgetRequest, state: str, *, actor: User, reason: str) -> None:
    wish.state, wish.decided_by, wish.reason = state, actor, reason
    wish.decided_at = timezone.now()
    wish.save()


def _news(wish: ForgetRequest) -> News:
    def write() -> tuple[str, str]:
        if wish.state == ForgetRequest.State.REFUSED:
            title = _("The office does not forget {name}")
            return title.format(name=wish.player.name), wish.reason
        title = _("{name} is forgotten")
        return title.format(name=wish.player.name), _("What could go is gone.")

    return News(WISH, wish.account_id, f"forget:{wish.pk}", "/my-data/", write)


def _forget_notices(player: Player, numbers: list[int]) -> None:
    """Delete what others, above all a child's guardians, were told under the name."""
    claims = Claim.objects.filter(player__in=numbers)
    wishes = ForgetRequest.objects.filter(player__in=numbers)
    offers = Invitation.objects.filter(player__in=numbers).exclude(at_age=None)
    guards = GuardianAccount.objects.filter(player__in=numbers)
    keys = [
        f"{kind}:{number}"
        for kind, rows in (
            ("claim", claims),
            ("forget", wishes),
            ("own-account", offers),
        )
        for number in rows.values_list("pk", flat=True)
    ]
    told = {
        account
        for rows in (claims, wishes, guards)
        for account in rows.values_list("account", flat=True)
    }
    named = Q(key__in=keys)
    for number in numbers:  # as news of a child is kept
        named |= Q(key__endswith=f":{number}", title__contains=player.name)
    Notice.objects.filter(named, account__in=told).delete()
    count_unread(told)


def _forget_as_newcomer(numbers: list[int]) -> int:
    """Leave of what a report told of a new member the year of birth; count the rows."""
    told = PendingMember.objects.filter(resolved_to__in=numbers)
    told = told.exclude(email="", birth_date=None)
    for one in told:
        if one.birth_date is not None:
            one.birth_date, one.birth_year = None, one.birth_date.year
        one.email = ""
        one.save()
    return len(told)


def _forget_account(account: User) -> None:
    """Close an account and take its data away; what it did stays its own."""
    if account.is_staff or account.is_superuser:
        raise NotForgotten(
            _("This account works in the office. Take its rights away first.")
        )
    for owned in (
        EmailAddress.objects.filter(user=account),
        Authenticator.objects.filter(user=account),
        ApiKey.objects.filter(owner=account),
        Webhook.objects.filter(owner=account),
        Notice.objects.filter(account=account),
        NoticeSetting.objects.filter(account=account),
        Claim.objects.filter(account=account),
        GuardianAccount.objects.filter(account=account),
    ):
        owned.delete()
    account.username = f"forgotten-{account.pk}"
    account.email = account.first_name = account.last_name = ""
    account.is_active = False
    account.set_unusable_password()
    account.save()
    account.groups.clear()
