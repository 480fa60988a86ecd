"""Delete a member's data: contact data and account, but not rating history.

A member or guardian requests it; the office deletes the data or declines.
"""

from datetime import date

from allauth.account.models import EmailAddress
from allauth.idp.oidc.models import Token
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.models import PendingMember
from players.guardians.queries import linked_members
from players.members.queries import same_person, same_person_ids
from players.models import (
    Claim,
    Contact,
    Follow,
    ForgetRequest,
    Guardian,
    GuardianAccount,
    GuardianConsent,
    IntakeRow,
    Invitation,
    Player,
    PrivacyRequest,
    ShareLink,
)
from players.models.player import FORGOTTEN_NAME
from ratings.models import RatingChange
from ratings.pages.my_data.queries import still_linked
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.approvals.tasks import delete_bulk_results
from ratings_site.common.audit.services import record
from ratings_site.common.models import (
    ApiKey,
    Notice,
    NoticeSetting,
    ProgramAccess,
    User,
    Webhook,
)
from ratings_site.common.notices.services import (
    NoticeDraft,
    count_unread,
    notify,
    register,
)

PERMISSION = "players.forget_member"
# The member's fields that can be cleared.
PERSONAL = (
    *("account", "birth_date", "birth_year", "gender", "state"),
    *("given_name", "family_name", "suffix"),
)

DELETION_NOTICE = register(
    "players.forget",
    gettext_lazy("Deletion requests"),
    gettext_lazy("The office decided on your deletion request."),
)


class DeletionRefused(Refusal):
    """The member's data cannot be deleted, for the reason in the message."""


def retained_data(member: Player) -> list[tuple[str, str]]:
    """Return the data of a member that a deletion retains, each with the reason."""
    stays = [
        (
            _("Member ID, entries, results, and ratings"),
            _("Your opponents’ ratings were calculated from them."),
        ),
        (
            _("Original rating reports, with the names in them"),
            _("They prove what was played. They are never public."),
        ),
        (
            _("Original files of member data"),
            _("They prove what was imported. Only the ratings office can see them."),
        ),
        (
            _("The activity log"),
            _("It shows who decided what. It contains no personal data."),
        ),
    ]
    if any(_retained_birth(member)):
        stays.append(
            (
                _("Birth date"),
                _(
                    "The first rating depends on it. Only the ratings office "
                    "can see it."
                ),
            )
        )
    if not settings.FORGET_NAMES:
        stays.append(
            (_("Name"), _("The federation publishes results under the players’ names."))
        )
    return stays


def _retained_birth(member: Player) -> tuple[date | None, int | None]:
    """Return the birth date or year if an initial rating by age depends on it."""
    numbers = same_person_ids([member.pk])[member.pk]
    lines = RatingChange.objects.filter(player__in=numbers, pre_rating=None)
    if not lines.filter(calculation__section__isnull=False).exists():
        return None, None
    is_by_year = member.birth_date is None and settings.BIRTH_YEAR_AS_MID_YEAR
    return member.birth_date, member.birth_year if is_by_year else None


def delete_member_data(*, player_id: int, actor: User, reason: str) -> Player:
    """Delete the personal data of a member and of the member's account.

    The ledger does not change: the birth date stays if an initial rating depends on it.
    Cannot be undone. Raises DeletionRefused for accounts of the office.
    """
    require_permission(actor, PERMISSION)
    if not reason.strip():
        raise DeletionRefused(
            _("Enter who asked for the deletion and how you verified it.")
        )
    with transaction.atomic():
        player = Player.objects.select_for_update(of=("self",)).get(pk=player_id)
        before = {name: getattr(player, name) for name in PERSONAL}
        numbers = same_person_ids([player.pk])[player.pk]
        linked_ids = still_linked(_open_deletion_requests().filter(player__in=numbers))
        account, player.account = player.account, None
        if account is not None:
            _delete_account_data(account)
        if settings.FORGET_NAMES:
            _delete_notices(player, numbers)
        rows = 0
        for model in (
            *(Claim, Contact, Guardian, GuardianAccount, Invitation),
            *(Follow, GuardianConsent, PrivacyRequest, ShareLink),
        ):
            rows += model.objects.filter(player__in=numbers).delete()[0]
        rows += _clear_pending_members(numbers)
        member_ids = Player.objects.filter(pk__in=numbers).values("member_id")
        rows += IntakeRow.objects.filter(key__in=member_ids).delete()[0]
        player.gender = player.state = ""
        player.birth_date, player.birth_year = _retained_birth(player)
        if settings.FORGET_NAMES:
            known_as = Player.objects.filter(pk__in=numbers)
            delete_bulk_results({one.family_name for one in known_as} - {""})
            _anonymize_name(player)
            for duplicate in Player.objects.filter(merged_into=player):
                _anonymize_name(duplicate)
                duplicate.save()
        if not rows and before == {name: getattr(player, name) for name in before}:
            raise DeletionRefused(_("There is no personal data left to delete."))
        player.save()
        record("player.forgotten", subject=player, actor=actor, reason=reason)
        for deletion_request in _open_deletion_requests().filter(player__in=numbers):
            deletion_request.decide(ForgetRequest.State.DONE, by=actor, reason=reason)
            deletion_request.save()
            if deletion_request.pk in linked_ids:
                notify([_news(deletion_request)])
    return player


def _anonymize_name(player: Player) -> None:
    player.given_name, player.family_name = FORGOTTEN_NAME
    player.suffix = ""


# Requests


def request_deletion(*, player_id: int, actor: User) -> ForgetRequest:
    """Create a deletion request, for members linked to the account only."""
    with transaction.atomic():
        player = Player.objects.select_for_update(of=("self",)).get(pk=player_id)
        if player not in linked_members(actor):
            raise DeletionRefused(_("Your account isn’t linked to this member."))
        open_requests = _open_deletion_requests().filter(same_person([player.pk]))
        if still_linked(open_requests):
            raise DeletionRefused(_("The office already has this request."))
        open_requests.delete()  # of an account that is no longer linked to the member
        deletion_request = ForgetRequest.objects.create(player=player, account=actor)
        record("player.forget_asked", subject=player, actor=actor)
    return deletion_request


def decline_deletion(*, request_id: int, actor: User, reason: str) -> ForgetRequest:
    """Decline a deletion request; the requester is notified of the reason."""
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        deletion_request = _open_deletion_requests().filter(pk=request_id).first()
        if deletion_request is None:
            raise DeletionRefused(_("This request is no longer open."))
        deletion_request.decide(ForgetRequest.State.REFUSED, by=actor, reason=reason)
        deletion_request.save()
        if still_linked([deletion_request]):
            notify([_news(deletion_request)])
        record(
            "player.forget_refused",
            subject=deletion_request.player,
            actor=actor,
            reason=reason,
        )
    return deletion_request


def _open_deletion_requests() -> QuerySet[ForgetRequest]:
    return (
        ForgetRequest.objects.open()
        .select_for_update(of=("self",))
        .select_related("player")
    )


def _news(deletion_request: ForgetRequest) -> NoticeDraft:
    def write() -> tuple[str, str]:
        if deletion_request.state == ForgetRequest.State.REFUSED:
            title = _("The office declined to delete the data of {name}")
            return title.format(
                name=deletion_request.player.full_name
            ), deletion_request.reason
        title = _("The personal data of {name} is deleted")
        return title.format(name=deletion_request.player.full_name), _(
            "Contact data and the account are deleted."
        )

    return NoticeDraft(
        DELETION_NOTICE,
        deletion_request.account_id,
        f"forget:{deletion_request.pk}",
        "/my-data/",
        write,
    )


def _delete_notices(player: Player, numbers: list[int]) -> None:
    """Delete notices to others, such as guardians, that contain the member's name."""
    claims = Claim.objects.filter(player__in=numbers)
    deletion_requests = ForgetRequest.objects.filter(player__in=numbers)
    offers = Invitation.objects.filter(player__in=numbers).exclude(at_age=None)
    guards = GuardianAccount.objects.filter(player__in=numbers)
    keys = [
        f"{kind}:{number}"
        for kind, rows in (
            ("claim", claims),
            ("forget", deletion_requests),
            ("own-account", offers),
        )
        for number in rows.values_list("pk", flat=True)
    ]
    accounts = {
        account
        for rows in (claims, deletion_requests, guards)
        for account in rows.values_list("account", flat=True)
    }
    named = Q(key__in=keys)
    for number in numbers:  # the key format of notices about a child
        named |= Q(key__endswith=f":{number}", title__contains=player.full_name)
    named &= Q(account__in=accounts)
    for number in numbers:  # also to accounts that no longer follow the member
        named |= Q(key__startswith="followed:", key__endswith=f":{number}")
    notices = Notice.objects.filter(named)
    accounts.update(notices.values_list("account", flat=True))
    notices.delete()
    count_unread(accounts)


def _clear_pending_members(numbers: list[int]) -> int:
    """Reduce reported data of new members to the year of birth; count the rows."""
    reported = PendingMember.objects.filter(resolved_to__in=numbers)
    reported = reported.exclude(email="", birth_date=None)
    for one in reported:
        if one.birth_date is not None:
            one.birth_year = one.birth_date.year
            one.birth_date = None
        one.email = ""
        one.save()
    return len(reported)


def _delete_account_data(account: User) -> None:
    """Deactivate an account and delete its data; its actions stay attributed to it."""
    if account.is_staff or account.is_superuser:
        raise DeletionRefused(
            _("This is a staff account. Remove its permissions first.")
        )
    for owned in (
        EmailAddress.objects.filter(user=account),
        Authenticator.objects.filter(user=account),
        ApiKey.objects.filter(owner=account),
        Token.objects.filter(user=account),
        ProgramAccess.objects.filter(owner=account),
        Webhook.objects.filter(owner=account),
        Notice.objects.filter(account=account),
        NoticeSetting.objects.filter(account=account),
        Claim.objects.filter(account=account),
        GuardianAccount.objects.filter(account=account),
        GuardianConsent.objects.filter(account=account),
        Follow.objects.filter(account=account),
        ShareLink.objects.filter(account=account),
    ):
        owned.delete()
    account.username = f"forgotten-{account.pk}"
    account.email = account.first_name = account.last_name = ""
    account.is_active = False
    account.set_unusable_password()
    account.save()
    account.groups.clear()
