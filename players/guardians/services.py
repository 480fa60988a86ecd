"""A child's guardians: the address for notices, and guardian accounts."""

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from players.guardians.notices import is_child, is_of_age
from players.models import Contact, Guardian, GuardianAccount, Invitation, Player
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.models import User


class GuardianRefused(Refusal):
    """The address or the account is refused; the message says why."""


def set_guardian_email(*, player_id: int, email: str, actor: User) -> Guardian:
    """Save the address for notices about a child, entered from the member's account.

    Only the office changes it afterward (in the admin): a child must not redirect a
    parent's mail to their own address. The address is stored nowhere else, not in the
    audit.
    """
    with transaction.atomic():
        player = Player.objects.select_for_update(of=("self",)).get(pk=player_id)
        if player.account_id != actor.pk:
            raise GuardianRefused(_("Your account isn’t linked to this member."))
        if email.casefold() == actor.email.casefold():
            raise GuardianRefused(
                _("This is your account’s own address. Enter the parent or guardian’s.")
            )
        if Guardian.objects.filter(player=player).exists():
            raise GuardianRefused(
                _(
                    "We already have an address on record. Ask the ratings "
                    "office to change it."
                )
            )
        guardian = Guardian.objects.create(player=player, email=email)
        record("player.guardian_stated", subject=player, actor=actor)
    return guardian


def guardian_denial_reason(player: Player) -> str:
    """Return why a member cannot get a guardian, or "" if they can."""
    if is_of_age(player.birth_date, timezone.localdate()):
        return _("{name} is an adult and needs no guardian.").format(name=player.name)
    return ""


def add_guardian_account(
    *, player: Player, account: User, actor: User | None
) -> GuardianAccount:
    """Make an account a child's guardian, in the transaction that locked *player*.

    Its address receives the notices about the child, if there is none on record.
    """
    if sentence := guardian_denial_reason(player):
        raise GuardianRefused(sentence)
    guardian, is_new = GuardianAccount.objects.get_or_create(
        player=player, account=account, ended_at=None
    )
    if account.email and not Guardian.objects.filter(player=player).exists():
        Guardian.objects.create(player=player, email=account.email)
    if is_new:
        facts = {"account": account.username}
        record("player.guardian_account", subject=player, actor=actor, facts=facts)
    return guardian


def revoke_guardian_access(*, guardian: GuardianAccount, actor: User) -> None:
    """Close the ways in which an ended guardian account could regain access.

    Runs in the transaction that ended it. Codes, letters and links go to addresses on
    record, so the account's own addresses are deleted there.
    """
    player = guardian.player.canonical
    numbers = Q(player=player) | Q(player__merged_into=player)
    addresses = _addresses_of(guardian.account)
    for kept in (Guardian, Contact):
        for row in kept.objects.filter(numbers):
            if row.email.casefold() in addresses:
                row.delete()
    for invitation in Invitation.objects.filter(numbers, used_at=None):
        handed_over = invitation.as_guardian and not invitation.email
        offered = invitation.at_age is not None  # offered again tonight
        if handed_over or offered or invitation.email.casefold() in addresses:
            invitation.delete()
    facts = {"account": guardian.account.username}
    record("player.guardian_account_ended", subject=player, actor=actor, facts=facts)


def _addresses_of(account: User) -> set[str]:
    others = EmailAddress.objects.filter(user=account).values_list("email", flat=True)
    return {email.casefold() for email in [account.email, *others]} - {""}


def save_reported_guardian(*, player: Player, email: str) -> None:
    """Save the guardian's address that a report gave for a child who is new.

    Only for a member under the age of children's notices, and never replacing an
    address on record.
    """
    if email and is_child(player.birth_date, timezone.localdate()):
        Guardian.objects.get_or_create(player=player, defaults={"email": email})
