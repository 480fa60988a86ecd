"""Decide on original Life Masters, whom the ledger shows (2025 text, section 5)."""

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from players.models import Player
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.floors.queries.floors import numbers_of
from ratings.floors.queries.life_masters import (
    Candidate,
    candidate_of,
    title_rules,
)
from ratings.floors.services.floors import LIFE_MASTER, enter_floor
from ratings.floors.services.shared import GRANT, FloorRefused, member, save_checked
from ratings.models import Floor, LifeMasterSetAside
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Approved, second_person
from ratings_site.common.acts.services import propose
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import PendingAct, User


def propose_life_master(*, player_id: int, reason: str, actor: User) -> PendingAct:
    """Put the floor of an original Life Master before a second person.

    It lies above what the results give, like every granted floor.
    """
    require(actor, GRANT)
    floor = floor_of_title(player_id)
    return propose(
        LIFE_MASTER,
        title=f"Original Life Master {floor.player}: Regular floor {floor.level} from "
        f"{day_in_words(floor.starts)}",
        payload={"player_id": floor.player_id},
        actor=actor,
        reason=reason.strip(),
        url=reverse("ratings:life_master", args=[floor.player.member_id]),
    )


@second_person(LIFE_MASTER, permission=GRANT)
def confirm_life_master(act: Approved) -> Floor:
    """Give an original Life Master the floor, once a second person has approved it."""
    with transaction.atomic():
        hold_ratings()
        floor = floor_of_title(act.payload["player_id"])
        floor.reason = act.reason
        floor.granted_by, floor.approved_by = act.proposed_by, act.approved_by
        return enter_floor(floor, actor=act.approved_by)


def floor_of_title(player_id: int) -> Floor:
    """Return the floor of 2200, from the 300th game's event on, not yet granted.

    The games are counted again: a candidate with too few is refused. The floor is one
    of the Regular rating, and the title counts games there only.
    """
    candidate = _candidate(player_id)
    if _floors_of(candidate.player):
        raise FloorRefused(
            _("{name} has the floor of an original Life Master already.").format(
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
    """Remember that a candidate does not get the title, and why."""
    require(actor, GRANT)
    with transaction.atomic():
        candidate = _candidate(player_id)
        if _floors_of(candidate.player):
            raise FloorRefused(
                _("{name} is an original Life Master. End the floor instead.").format(
                    name=candidate.player.name
                )
            )
        decision = LifeMasterSetAside(
            player=candidate.player,
            games=candidate.games,
            reason=reason.strip(),
            decided_by=actor,
        )
        save_checked(decision)
        record("life_master.set_aside", subject=decision, actor=actor, reason=reason)
    return decision


def _candidate(player_id: int) -> Candidate:
    player = member(player_id)
    candidate = candidate_of(player)
    if candidate is None:
        rules = title_rules()
        raise FloorRefused(
            _(
                "{name} has not played {games} games that count for the title "
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
        f"which ended {day_in_words(last.day)}."
    )
