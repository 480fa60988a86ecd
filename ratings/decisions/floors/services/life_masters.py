"""Decide on candidates for original Life Master (2025 text, section 5)."""

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from players.models import Player
from ratings.decisions.floors.queries.floors import numbers_of
from ratings.decisions.floors.queries.life_masters import (
    Candidate,
    get_candidate,
    title_rules,
)
from ratings.decisions.floors.services.floors import LIFE_MASTER, enter_floor
from ratings.decisions.floors.services.validation import (
    GRANT,
    FloorRefused,
    member,
    validate_and_save,
)
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.models import Floor, LifeMasterSetAside
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import ApprovedAction, register_approved_action
from ratings_site.common.approvals.services import propose
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.models import PendingAct, User
from ratings_site.common.ui.formatting import format_day


def propose_life_master(*, player_id: int, reason: str, actor: User) -> PendingAct:
    """Propose the floor of an original Life Master for a second approval.

    It is above the floor from results, like every granted floor.
    """
    require_permission(actor, GRANT)
    floor = life_master_floor(player_id)
    return propose(
        LIFE_MASTER,
        title=f"Original Life Master {floor.player}: Regular floor {floor.level} from "
        f"{format_day(floor.starts)}",
        payload={"player_id": floor.player_id},
        actor=actor,
        reason=reason.strip(),
        url=reverse("ratings:life_master", args=[floor.player.member_id]),
    )


@register_approved_action(LIFE_MASTER, permission=GRANT)
def confirm_life_master(act: ApprovedAction) -> Floor:
    """Give an original Life Master the floor after the second approval."""
    with transaction.atomic():
        lock_ratings()
        floor = life_master_floor(act.payload["player_id"])
        floor.reason = act.reason
        floor.granted_by, floor.approved_by = act.proposed_by, act.approved_by
        return enter_floor(floor, actor=act.approved_by)


def life_master_floor(player_id: int) -> Floor:
    """Return the unsaved floor of 2200, from the event of the 300th game on.

    The games are counted again, and a candidate with too few is refused. The floor is
    for the Regular rating, because only Regular games count for the title.
    """
    candidate = _candidate(player_id)
    if _floors_of(candidate.player):
        raise FloorRefused(
            _("{name} already has the Original Life Master floor.").format(
                name=candidate.player.name
            )
        )
    return Floor(
        player=candidate.player,
        system=System.OTBR,
        kind=Floor.Kind.LIFE_MASTER,
        level=rules_in_force(candidate.starts).olm_floor,
        starts=candidate.starts,
        evidence=_evidence(candidate),
    )


def set_aside_life_master(
    *, player_id: int, reason: str, actor: User
) -> LifeMasterSetAside:
    """Save that a candidate does not get the title, with the reason."""
    require_permission(actor, GRANT)
    with transaction.atomic():
        candidate = _candidate(player_id)
        if _floors_of(candidate.player):
            raise FloorRefused(
                _("{name} is an Original Life Master. End the floor instead.").format(
                    name=candidate.player.name
                )
            )
        decision = LifeMasterSetAside(
            player=candidate.player,
            games=candidate.games,
            reason=reason.strip(),
            decided_by=actor,
        )
        validate_and_save(decision)
        record("life_master.set_aside", subject=decision, actor=actor, reason=reason)
    return decision


def _candidate(player_id: int) -> Candidate:
    player = member(player_id)
    candidate = get_candidate(player)
    if candidate is None:
        rules = title_rules()
        raise FloorRefused(
            _(
                "{name} has not played {games} qualifying games for the title "
                "(rating system, section 5)."
            ).format(name=player.name, games=rules.olm_games)
        )
    return candidate


def _floors_of(player: Player) -> bool:
    floors = Floor.objects.filter(player__in=numbers_of(player))
    return floors.filter(kind=Floor.Kind.LIFE_MASTER).exists()


def _evidence(candidate: Candidate) -> str:
    last = candidate.completed_in
    return (
        f"{candidate.games} games counted; the {title_rules().olm_games}th in "
        f"{last.title}, "
        f"which ended {format_day(last.section.ends)}."
    )
