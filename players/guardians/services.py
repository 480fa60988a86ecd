"""A guardian's address: stated once by the member, changed by the office only."""

from django.db import transaction
from django.utils.translation import gettext as _

from players.models import Guardian, Player
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
