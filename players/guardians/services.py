"""Who speaks for a child: a guardian's address, and guardians' accounts."""

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from players.guardians.notices import is_child, is_of_age
from players.models import Contact, Guardian, GuardianAccount, Invitation, Player
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.models import User


class GuardianRefused(Refusal):
    """The address is not taken; the sentence says why."""


def state_guardian(*, player_id: int, email: str, actor: User) -> Guardian:
    """Keep where notices about a child go, as said from the member's own account.

    Only the office changes it afterward (in the admin): a child must not turn a
    parent's letters to itself. The address stands nowhere else, not in the audit.
    """
    with transaction.atomic():
        player = Player.objects.select_for_update(of=("self",)).get(pk=player_id)
        if player.account_id != actor.pk:
            raise GuardianRefused(_("This is not the member of your account."))
        if email.casefold() == actor.email.casefold():
            raise GuardianRefused(
                _("This is the address of the account itself. Give the guardian’s.")
            )
        if Guardian.objects.filter(player=player).exists():
            raise GuardianRefused(
                _("An address is on record already. Ask the office to change it.")
            )
        guardian = Guardian.objects.create(player=player, email=email)
        record("player.guardian_stated", subject=player, actor=actor)
    return guardian


def why_no_guardian(player: Player) -> str:
    """Say why nobody can become a member's guardian; blank if nothing is against it."""
    if is_of_age(player.birth_date, timezone.localdate()):
        return _("{name} is of age and needs no guardian.").format(name=player.name)
    return ""


def become_guardian(*, player: Player, account: User, actor: User) -> GuardianAccount:
    """Let an account speak for a child; part of the transaction that locked *player*.

    Its address becomes the one to which notices about the child go, if none is stated.
    """
    if sentence := why_no_guardian(player):
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


def shut_out(*, guardian: GuardianAccount, actor: User) -> None:
    """Close the ways by which a guardian whose account was ended could come back.

    Part of the transaction that ended it. Codes, letters and links go to addresses on
    record, so the account's own stay there no longer.
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
        offered = invitation.at_age is not None  # again tonight, to who speaks now
        if handed_over or offered or invitation.email.casefold() in addresses:
            invitation.delete()
    facts = {"account": guardian.account.username}
    record("player.guardian_account_ended", subject=player, actor=actor, facts=facts)


def _addresses_of(account: User) -> set[str]:
    others = EmailAddress.objects.filter(user=account).values_list("email", flat=True)
    return {email.casefold() for email in [account.email, *others]} - {""}


def keep_reported_guardian(*, player: Player, email: str) -> None:
    """Keep the address that a report gave for a child who is new here.

    Only for somebody under the age of children's notices, and never in the place of
    an address on record.
    """
    if email and is_child(player.birth_date, timezone.localdate()):
        Guardian.objects.get_or_create(player=player, defaults={"email": email})
