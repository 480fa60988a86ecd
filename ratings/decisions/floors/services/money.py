"""Floors by prizes: proposed from a section, granted after a second approval."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from events.models import Section
from players.models import Player
from ratings.decisions.floors.queries.floors import numbers_of
from ratings.decisions.floors.services.floors import MONEY, enter_floor
from ratings.decisions.floors.services.validation import GRANT, FloorRefused, member
from ratings.engine.floors import money_floor
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.systems import System
from ratings.models import Floor, RatingChange
from ratings_site.common.approvals.kinds import ApprovedAction, register_approved_action
from ratings_site.common.approvals.services import propose
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.models import PendingAct, User


@dataclass(frozen=True, slots=True)
class MoneyProposal:
    """The floor that results from a large prize.

    *systems* are those of the section in which the floor is made; in those *left_out*
    the player was not established, and gets none.
    """

    player: Player
    section: Section
    prize: int
    limit: int
    level: int
    starts: date
    systems: tuple[System, ...]
    left_out: tuple[System, ...]


def money_proposal(
    *, player: Player, section: Section, prize: int, limit: int
) -> MoneyProposal:
    """Return the floor that results from a prize. Raises FloorRefused if none.

    *prize* is in dollars, *limit* that of the section, or of the prize in a section
    without one. The floor begins on the event's last day, however late it is reported.
    """
    rules = rules_in_force(section.starts, settings.RATING_EDITION)
    least, highest = rules.money_floor_prize, rules.highest_money_floor
    if prize < least:
        raise FloorRefused(
            _(
                "Only prizes of ${least:,} or more set a floor; this one is "
                "${prize:,} (rating system, section 5)."
            ).format(least=least, prize=prize)
        )
    if not rules.lowest_rating <= limit <= highest:
        raise FloorRefused(
            _(
                "Only under-{highest} sections and prizes, or lower ones, set a "
                "floor. The limit entered is {limit} (rating system, section 5)."
            ).format(highest=highest, limit=limit)
        )
    systems, left_out = _systems_of(player, section, rules)
    return MoneyProposal(
        player=player,
        section=section,
        prize=prize,
        limit=limit,
        level=money_floor(limit, rules),
        starts=section.event.ends,
        systems=systems,
        left_out=left_out,
    )


def _systems_of(
    player: Player, section: Section, rules: Rules
) -> tuple[tuple[System, ...], tuple[System, ...]]:
    """Return the systems of the section with a floor, and those without."""
    lines = RatingChange.objects.filter(
        player__in=numbers_of(player),
        calculation__section=section,
        calculation__is_current=True,
    )
    games_before = {
        System(system): games
        for system, games in lines.values_list("calculation__system", "pre_games")
    }
    if not games_before:
        raise FloorRefused(
            _(
                "{name} has no rating from {section}. Check the event ID and the "
                "section. The section must be rated first."
            ).format(name=player.name, section=section)
        )
    made = tuple(
        system
        for system in System
        if system in games_before and makes_floor(games_before[system], rules)
    )
    if not made:
        raise FloorRefused(
            _(
                "{name} started {section} without an established rating. A prize "
                "sets a floor only for an established rating."
            ).format(name=player.name, section=section)
        )
    left_out = (system for system in System if system in games_before)
    return made, tuple(one for one in left_out if one not in made)


def makes_floor(games: int, rules: Rules) -> bool:
    """Return whether a prize makes a floor for a rating on so many games before."""
    return games > rules.established_after or not rules.money_floor_needs_established


def propose_money_floor(
    *,
    player_id: int,
    section_id: int,
    prize: int,
    limit: int,
    reason: str,
    actor: User,
    evidence: str = "",
) -> PendingAct:
    """Propose the floor of a large prize for a second approval."""
    player = member(player_id)
    section = Section.objects.select_related("event").get(pk=section_id)
    proposal = money_proposal(player=player, section=section, prize=prize, limit=limit)
    _refuse_money_twice(player, section)
    if not reason.strip():
        raise FloorRefused(_("Enter a reason. It is shown with the floor."))
    return propose(
        MONEY,
        title=f"Money floor {proposal.level} for {player}: ${prize:,} in {section}",
        payload={**proposal_facts(proposal), "evidence": evidence},
        actor=actor,
        reason=reason.strip(),
        url=reverse("ratings:office_floors", args=[player.member_id]),
    )


def proposal_facts(proposal: MoneyProposal) -> dict[str, Any]:
    """Return the prize as facts that can be stored."""
    return {
        "player_id": proposal.player.pk,
        "section_id": proposal.section.pk,
        "prize": proposal.prize,
        "limit": proposal.limit,
    }


@register_approved_action(MONEY, permission=GRANT)
def grant_money_floor(act: ApprovedAction) -> list[Floor]:
    """Grant a proposed money floor, one in each system (a second person approved)."""
    with transaction.atomic():
        lock_ratings()
        proposal = proposal_from(act.payload)
        return [
            enter_floor(
                Floor(
                    player=proposal.player,
                    system=system,
                    kind=Floor.Kind.MONEY,
                    level=proposal.level,
                    starts=proposal.starts,
                    reason=act.reason,
                    section=proposal.section,
                    prize=proposal.prize,
                    prize_limit=proposal.limit,
                    evidence=act.payload["evidence"],
                    granted_by=act.proposed_by,
                    approved_by=act.approved_by,
                ),
                actor=act.approved_by,
            )
            for system in proposal.systems
        ]


def proposal_from(given: Mapping[str, Any]) -> MoneyProposal:
    """Return today's floor of a stored proposal. Raises FloorRefused if none."""
    player = member(given["player_id"])
    section = Section.objects.select_related("event").get(pk=given["section_id"])
    _refuse_money_twice(player, section)
    return money_proposal(
        player=player, section=section, prize=given["prize"], limit=given["limit"]
    )


def _refuse_money_twice(player: Player, section: Section) -> None:
    floors = Floor.objects.filter(player__in=numbers_of(player), section=section)
    if floors.filter(kind=Floor.Kind.MONEY).exists():
        raise FloorRefused(
            _("{name} already has the money floor from {section}.").format(
                name=player.name, section=section
            )
        )
