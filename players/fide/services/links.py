"""Links between members and FIDE IDs."""

from django.db import transaction
from django.utils.translation import gettext as _

from players.fide.queries import fide_player
from players.fide.services.ratings import write_external_ratings
from players.members.services import refuse_duplicate
from players.models import FideLinkRefusal, Player
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.db.exceptions import refuse_conflict
from ratings_site.common.db.locks import lock_ratings_or_refuse
from ratings_site.common.models import User

PERMISSION = "players.link_fide_id"
# Names of the actions in the preview registry.
LINK, UNLINK = "players.link_fide_id", "players.unlink_fide_id"


class LinkRefused(Refusal):
    """The link cannot be made; the message says why."""


def link_fide_id(*, player_id: int, fide_id: int, actor: User, reason: str) -> Player:
    """Link a member to a FIDE ID and copy the ratings of the stored lists."""
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        lock_ratings_or_refuse(LinkRefused)
        player = _lock_player(player_id)
        if player.fide_id:
            raise LinkRefused(
                _("{player} already has FIDE ID {fide_id}.").format(
                    player=player, fide_id=player.fide_id
                )
            )
        refuse_duplicate(player, LinkRefused)
        if other := Player.objects.filter(fide_id=str(fide_id)).first():
            raise LinkRefused(
                _(
                    "{other} has FIDE ID {fide_id}. If the two are the same person, "
                    "merge them."
                ).format(other=other, fide_id=fide_id)
            )
        player.fide_id = str(fide_id)
        if listed := fide_player(fide_id):
            player.federation = listed.federation
        taken = _("FIDE ID {fide_id} was just linked to another member.")
        with refuse_conflict(LinkRefused(taken.format(fide_id=fide_id))):
            player.save()
        write_external_ratings(
            {player.pk: fide_id}, actor=actor, note=f"linked to FIDE ID {fide_id}."
        )
        record(
            "player.fide_id_linked",
            subject=player,
            actor=actor,
            reason=reason,
            facts={"fide_id": fide_id},
        )
    return player


def unlink_fide_id(*, player_id: int, actor: User, reason: str) -> Player:
    """Remove a wrong FIDE ID and the ratings that came with it."""
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        lock_ratings_or_refuse(LinkRefused)
        player = _lock_player(player_id)
        if not player.fide_id:
            raise LinkRefused(_("{player} has no FIDE ID.").format(player=player))
        taken, player.fide_id = player.fide_id, None
        player.save()
        write_external_ratings(
            {player.pk: None}, actor=actor, note=f"FIDE ID {taken} was taken away."
        )
        record(
            "player.fide_id_unlinked",
            subject=player,
            actor=actor,
            reason=reason,
            facts={"fide_id": taken},
        )
    return player


def decline_link(
    *, player_id: int, fide_id: int, actor: User, reason: str
) -> FideLinkRefusal:
    """Record that a suggested FIDE ID belongs to another person."""
    require_permission(actor, PERMISSION)
    with refuse_conflict(LinkRefused(_("This suggestion has already been declined."))):
        declined = FideLinkRefusal.objects.create(
            player_id=player_id, fide_id=fide_id, by=actor, reason=reason
        )
        record(
            "player.fide_id_declined",
            subject=declined.player,
            actor=actor,
            reason=reason,
            facts={"fide_id": fide_id},
        )
    return declined


def _lock_player(player_id: int) -> Player:
    return Player.objects.select_for_update(of=("self",)).get(pk=player_id)
