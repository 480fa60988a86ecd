"""Ratings set by the office as of a day (2025 text, section 7).

An adjustment is proposed by one person and approved by another, and so is its
withdrawal. It is a source of its own in rating order: rerates replay it until it is
withdrawn.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from players.models import Player
from ratings.decisions.floors.queries.floors import floor_before_play
from ratings.decisions.floors.queries.records import ADJUSTING
from ratings.decisions.floors.services.validation import (
    FloorRefused,
    add_pending_rerate_if_rated,
    check,
    member,
    refuse_future,
)
from ratings.engine.systems import System
from ratings.ledger.services.rating import apply_adjustment
from ratings.models import Adjustment, RerateMark
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import ApprovedAction, register_approved_action
from ratings_site.common.approvals.services import propose
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.models import PendingAct, User
from ratings_site.common.ui.formatting import decimal_rating, format_day

ADJUST = "ratings.adjust_rating"
KIND, WITHDRAW = ADJUSTING


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
    """Propose a rating for a second approval. *rating* is in points."""
    require_permission(actor, ADJUST)
    player = member(player_id)
    facts = adjustment_facts(
        player, system=system, kind=kind, day=day, rating=rating, games=games
    )
    adjustment = _from_facts(player, facts, reason=reason.strip(), decided_by=actor)
    _check(adjustment)
    return propose(
        KIND,
        title=f"{adjustment.get_kind_display()} for {player}: "
        f"{System(system).label} {decimal_rating(rating)} from {format_day(day)}",
        payload=facts,
        actor=actor,
        reason=adjustment.reason,
        url=reverse("ratings:office_floors", args=[player.member_id]),
    )


@register_approved_action(KIND, permission=ADJUST)
def adjust(act: ApprovedAction) -> Adjustment:
    """Set a proposed rating after the second approval."""
    given = act.payload
    with transaction.atomic():
        lock_ratings()
        adjustment = _from_facts(
            member(given["player_id"]),
            given,
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


def adjustment_facts(
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


def _from_facts(
    player: Player, facts: Mapping[str, Any], **decision: Any
) -> Adjustment:
    """Return the unsaved adjustment of such facts."""
    same = {name: facts[name] for name in ("system", "kind", "rating", "games")}
    day = date.fromisoformat(facts["day"])
    return Adjustment(player=player, day=day, **same, **decision)


def propose_withdrawal(*, adjustment_id: int, reason: str, actor: User) -> PendingAct:
    """Propose the withdrawal of an adjustment for a second approval."""
    require_permission(actor, ADJUST)
    if not reason.strip():
        raise FloorRefused(_("Enter a reason. It is saved with the record."))
    adjustment = Adjustment.objects.select_related("player").get(pk=adjustment_id)
    _refuse_withdrawn(adjustment)
    return propose(
        WITHDRAW,
        title=f"Withdraw the adjustment of {adjustment.player}: "
        f"{System(adjustment.system).label} {decimal_rating(adjustment.rating)} "
        f"from {format_day(adjustment.day)}",
        payload=withdrawal_facts(adjustment),
        actor=actor,
        reason=reason.strip(),
        url=reverse("ratings:office_floors", args=[adjustment.player.member_id]),
    )


@register_approved_action(WITHDRAW, permission=ADJUST)
def withdraw_adjustment(act: ApprovedAction) -> Adjustment:
    """Withdraw an adjustment after the second approval.

    The next rerate leaves it out.
    """
    with transaction.atomic():
        lock_ratings()
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
        add_pending_rerate_if_rated(
            adjustment.day,
            kind=RerateMark.Kind.ADJUSTMENT,
            player=adjustment.player,
            system=system,
            note=f"The {system.label} rating of {adjustment.player.name} that the "
            f"office had set on {adjustment.day.isoformat()} is withdrawn.",
            actor=act.approved_by,
        )
    return adjustment


def withdrawal_facts(adjustment: Adjustment) -> dict[str, Any]:
    return {"player_id": adjustment.player.canonical.pk, "adjustment_id": adjustment.pk}


def _refuse_withdrawn(adjustment: Adjustment) -> None:
    if adjustment.withdrawn_at is not None:
        raise FloorRefused(_("This adjustment has already been withdrawn."))


def _check(adjustment: Adjustment) -> None:
    """Raise FloorRefused if the rules do not allow the adjustment."""
    refuse_future(adjustment.day)
    check(adjustment)
    _refuse_below_floor(adjustment)


def _refuse_below_floor(adjustment: Adjustment) -> None:
    """A floor applies at the next event, and would undo an adjustment below it."""
    system = System(adjustment.system)
    standing = floor_before_play(adjustment.player, system, adjustment.day)
    if standing is None or adjustment.rating >= standing.level:
        return
    raise FloorRefused(
        _(
            "On {day}, {name} has a {label} floor of {level} ({kind}), so a rating "
            "of {rating} would go back to {level} with the next event. Lower the "
            "floor first, effective that day or earlier."
        ).format(
            day=format_day(adjustment.day),
            name=adjustment.player.name,
            label=system.label,
            level=standing.level,
            kind=standing.kind,
            rating=decimal_rating(adjustment.rating),
        )
    )
