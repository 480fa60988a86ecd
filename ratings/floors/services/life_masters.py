"""Decide on original Life Masters, whom the ledger shows (2025 text, section 5)."""

from django.db import transaction
from django.utils.translation import gettext as _

from players.models import Player
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.floors.queries.floors import numbers_of
from ratings.floors.queries.life_masters import Candidate, candidate_of
from ratings.floors.services.floors import (
    GRANT,
    FloorRefused,
    enter_floor,
    member,
    save_checked,
)
from ratings.models import Floor, LifeMasterSetAside
from ratings_site.common.accounts.permissions import require
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import User


def confirm_life_master(*, player_id: int, reason: str, actor: User) -> Floor:
    """Give an original Life Master the floor of 2200, from the 300th game's event on.

    The games are counted again: a candidate with too few is refused. The floor is one
    of the Regular rating, and the title counts games there only.
    """
    require(actor, GRANT)
    with transaction.atomic():
        hold_ratings()
        candidate = _candidate(player_id)
        rules = rules_in_force(candidate.starts)
        if _floors_of(candidate.player):
            raise FloorRefused(
                _("{name} has the floor of an original Life Master already.").format(
                    name=candidate.player.name
                )
            )
        floor = Floor(
            player=candidate.player,
            system=System.OTBR,
            kind=Floor.Kind.LIFE_MASTER,
            level=rules.olm_floor,
            starts=candidate.starts,
            reason=reason.strip(),
            evidence=_evidence(candidate),
            granted_by=actor,
        )
        return enter_floor(floor, actor=actor)


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
        raise FloorRefused(
            _(
                "{name} has not played 300 games of sections begun with an "
                "established Regular rating above 2200; matches do not count "
                "(rating system, section 5)."
            ).format(name=player.name)
        )
    return candidate


def _floors_of(player: Player) -> bool:
    floors = Floor.objects.filter(player__in=numbers_of(player))
    return floors.filter(kind=Floor.Kind.LIFE_MASTER).exists()


def _evidence(candidate: Candidate) -> str:
    last = candidate.completed_in
    return (
        f"{candidate.games} games counted; the 300th in {last.title}, "
        f"which ended {day_in_words(last.day)}."
    )
