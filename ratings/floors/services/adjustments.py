"""Ratings set by the office as of a day (2025 text, section 7).

An adjustment is proposed by one and approved by another, and so is taking it back. It
is a source of its own in rating order: rerates replay it until it is withdrawn.
"""

from datetime import date
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from players.models import Player
from ratings.engine.systems import System
from ratings.floors.queries.floors import floor_before_play
from ratings.floors.services.shared import (
    FloorRefused,
    check,
    mark_if_rated_since,
    member,
    refuse_future,
)
from ratings.ledger.services.rating import apply_adjustment
from ratings.models import Adjustment, RerateMark
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Approved, second_person
from ratings_site.common.acts.services import propose
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.looks.figures import day_in_words, decimal_rating
from ratings_site.common.models import PendingAct, User

ADJUST = "ratings.adjust_rating"
KIND = "ratings.adjust"
WITHDRAW = "ratings.withdraw_adjustment"


def propose_adjustment(
    *,
    player_id: int,
    system: str,
    kind: str,
    day: date,
    rating: float,
    games: int,
    reason: str,
    actor: User,
) -> PendingAct:
    """Put a rating to be set before a second person. *rating* is in points."""
    require(actor, ADJUST)
    player = member(player_id)
    adjustment = Adjustment(
        player=player,
        system=system,
        kind=kind,
        day=day,
        rating=rating,
        games=games,
        reason=reason.strip(),
        decided_by=actor,
    )
    _check(adjustment)
    return propose(
        KIND,
        title=f"{adjustment.get_kind_display()} for {player}: "
        f"{System(system).label} {decimal_rating(rating)} from {day_in_words(day)}",
        payload=facts_of_adjustment(
            player, system=system, kind=kind, day=day, rating=rating, games=games
        ),
        actor=actor,
        reason=adjustment.reason,
        url=reverse("ratings:office_floors", args=[player.member_id]),
    )


@second_person(KIND, permission=ADJUST)
def adjust(act: Approved) -> Adjustment:
    """Set a proposed rating, once a second person has approved it."""
    given = act.payload
    with transaction.atomic():
        hold_ratings()
        adjustment = Adjustment(
            player=member(given["player_id"]),
            system=given["system"],
            kind=given["kind"],
            day=date.fromisoformat(given["day"]),
            rating=given["rating"],
            games=given["games"],
            reason=act.reason,
            decided_by=act.proposed_by,
            approved_by=act.approved_by,
        )
        _check(adjustment)
        adjustment.save()
        record(
            "adjustment.made",
            subject=adjustment,
            actor=act.approved_by,
            reason=act.reason,
            facts=given,
        )
        apply_adjustment(adjustment_id=adjustment.pk)
    return adjustment


def facts_of_adjustment(
    player: Player, *, system: str, kind: str, day: date, rating: float, games: int
) -> dict[str, Any]:
    """Return an adjustment as facts that can be stored with a proposal."""
    return {
        "player_id": player.pk,
        "system": system,
        "kind": kind,
        "day": day.isoformat(),
        "rating": rating,
        "games": games,
    }


def propose_withdrawal(*, adjustment_id: int, reason: str, actor: User) -> PendingAct:
    """Put taking an adjustment back before a second person."""
    require(actor, ADJUST)
    if not reason.strip():
        raise FloorRefused(_("Say why; the reason is kept with the record."))
    adjustment = Adjustment.objects.select_related("player").get(pk=adjustment_id)
    _refuse_withdrawn(adjustment)
    return propose(
        WITHDRAW,
        title=f"Withdraw the adjustment of {adjustment.player}: "
        f"{System(adjustment.system).label} {decimal_rating(adjustment.rating)} "
        f"from {day_in_words(adjustment.day)}",
        payload=facts_of_withdrawal(adjustment),
        actor=actor,
        reason=reason.strip(),
        url=reverse("ratings:office_floors", args=[adjustment.player.member_id]),
    )


@second_person(WITHDRAW, permission=ADJUST)
def withdraw_adjustment(act: Approved) -> Adjustment:
    """Take an adjustment back, once a second person has approved it.

    The next rerate leaves it out.
    """
    with transaction.atomic():
        hold_ratings()
        adjustment = Adjustment.objects.select_for_update(of=("self",)).get(
            pk=act.payload["adjustment_id"]
        )
        _refuse_withdrawn(adjustment)
        adjustment.withdrawn_at = timezone.now()
        adjustment.save(update_fields=["withdrawn_at"])
        record(
            "adjustment.withdrawn",
            subject=adjustment,
            actor=act.approved_by,
            reason=act.reason,
        )
        system = System(adjustment.system)
        mark_if_rated_since(
            adjustment.day,
            kind=RerateMark.Kind.ADJUSTMENT,
            player=adjustment.player,
            system=system,
            note=f"The {system.label} rating of {adjustment.player.name} that the "
            f"office had set on {day_in_words(adjustment.day)} is withdrawn.",
            actor=act.approved_by,
        )
    return adjustment


def facts_of_withdrawal(adjustment: Adjustment) -> dict[str, Any]:
    return {
        "player_id": adjustment.player.canonical.pk,
        "adjustment_id": adjustment.pk,
    }


def _refuse_withdrawn(adjustment: Adjustment) -> None:
    if adjustment.withdrawn_at is not None:
        raise FloorRefused(_("This adjustment is withdrawn already."))


def _check(adjustment: Adjustment) -> None:
    """Refuse, in the words of the rule, what an adjustment cannot be."""
    refuse_future(adjustment.day, "An adjustment")
    check(adjustment)
    _refuse_below_floor(adjustment)


def _refuse_below_floor(adjustment: Adjustment) -> None:
    """A floor acts with the next event, and would undo what the office has set."""
    system = System(adjustment.system)
    standing = floor_before_play(adjustment.player, system, adjustment.day)
    if standing is None or adjustment.rating >= standing.level:
        return
    raise FloorRefused(
        _(
            "On {day} {name} has a {label} "
            "floor of {level} ({kind}). A rating below it, such as "
            "{rating}, is lifted to {level} by the "
            "next event. Lower the floor first, from that day or an earlier one."
        ).format(
            day=day_in_words(adjustment.day),
            name=adjustment.player.name,
            label=system.label,
            level=standing.level,
            kind=standing.kind,
            rating=decimal_rating(adjustment.rating),
        )
    )
