"""Grant and end floors and ceilings: dated records that rerates replay.

Each action has its permission, a reason and an audit entry. If ratings of that day or
later exist already, it adds a pending rerate; later ratings read the record directly.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override

from players.models import Player
from ratings.decisions.floors.queries.floors import floor_before_play
from ratings.decisions.floors.queries.records import FLOORS
from ratings.decisions.floors.services.validation import (
    CEILING,
    GRANT,
    FloorRefused,
    add_pending_rerate_if_rated,
    check,
    member,
    refuse_duplicate,
    refuse_future,
    set_end,
    validate_and_save,
)
from ratings.engine.systems import System
from ratings.models import Ceiling, Floor, RerateMark
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import ApprovedAction, register_approved_action
from ratings_site.common.approvals.services import propose
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.models import PendingAct, User
from ratings_site.common.ui.formatting import format_day

OFFICE, MONEY, END_MONEY, LIFE_MASTER = FLOORS
# Actions without a second approval, by their preview kinds.
END, IMPOSE, END_CEILING = ("floors.end", "floors.impose_ceiling", "floors.end_ceiling")


def propose_office_floor(
    *,
    player_id: int,
    system: str,
    level: int,
    starts: date,
    reason: str,
    actor: User,
    ends: date | None = None,
    evidence: str = "",
) -> PendingAct:
    """Propose a floor by a decision of the office for a second approval.

    It must be above the floor from the member's own results, or it is refused because
    it changes nothing. *reason* is public.
    """
    require_permission(actor, GRANT)
    player = member(player_id)
    facts = grant_facts(player, system, level, starts, ends) | {"evidence": evidence}
    floor = _office_floor(player, facts, reason=reason.strip(), granted_by=actor)
    return propose(
        OFFICE,
        title=f"{System(system).label} floor {level} for {floor.player} from "
        f"{format_day(starts)}",
        payload=facts,
        actor=actor,
        reason=floor.reason,
        url=reverse("ratings:office_floors", args=[floor.player.member_id]),
    )


@register_approved_action(OFFICE, permission=GRANT)
def grant_office_floor(act: ApprovedAction) -> Floor:
    """Grant a proposed floor after the second approval."""
    with transaction.atomic():
        lock_ratings()
        floor = _office_floor(
            member(act.payload["player_id"]),
            act.payload,
            reason=act.reason,
            granted_by=act.proposed_by,
            approved_by=act.approved_by,
        )
        return enter_floor(floor, actor=act.approved_by)


def grant_facts(
    player: Player, system: str, level: int, starts: date, ends: date | None
) -> dict[str, Any]:
    """Return a floor or ceiling as facts that can be stored with a proposal."""
    return {
        "player_id": player.pk,
        "system": system,
        "level": level,
        "starts": starts.isoformat(),
        "ends": ends and ends.isoformat(),
    }


def grant_columns(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return such facts as columns of the record, without the player."""
    return {
        "system": given["system"],
        "level": given["level"],
        "starts": date.fromisoformat(given["starts"]),
        "ends": given["ends"] and date.fromisoformat(given["ends"]),
    }


def _office_floor(player: Player, facts: Mapping[str, Any], **decision: Any) -> Floor:
    """Return the unsaved floor of these facts. Raises FloorRefused if not allowed."""
    floor = Floor(
        **grant_columns(facts),
        player=player,
        kind=Floor.Kind.OFFICE,
        evidence=facts["evidence"],
        **decision,
    )
    refuse_duplicate(floor)
    refuse_future(floor.starts)
    check(floor)
    system = System(floor.system)
    standing = floor_before_play(floor.player, system, floor.starts)
    if standing is not None and floor.level <= standing.own:
        raise FloorRefused(
            _(
                "A {system} floor of {level} has no effect: on {starts}, {name} "
                "already had a floor of {own} from results."
            ).format(
                system=system.label,
                level=floor.level,
                name=floor.player.name,
                own=standing.own,
                starts=format_day(floor.starts),
            )
        )
    return floor


def enter_floor(floor: Floor, *, actor: User) -> Floor:
    """Save a floor that is decided; every kind goes through here.

    Call it in a transaction that has locked the ratings.
    """
    refuse_future(floor.starts)
    validate_and_save(floor)
    record(
        "floor.granted",
        subject=floor,
        actor=actor,
        reason=floor.reason,
        facts={
            "kind": floor.kind,
            "system": floor.system,
            "level": floor.level,
            "starts": floor.starts.isoformat(),
        },
    )
    system = System(floor.system)
    with override("en"):
        kind = floor.get_kind_display()
    add_pending_rerate_if_rated(
        floor.starts,
        kind=RerateMark.Kind.FLOOR,
        player=floor.player,
        system=system,
        note=f"{floor.player.name} has a {system.label} floor of {floor.level} "
        f"({kind}) from {floor.starts.isoformat()}.",
        actor=actor,
    )
    return floor


def end_floor(
    *, floor_id: int, ends: date, reason: str, actor: User
) -> Floor | PendingAct:
    """End a granted floor: *ends* is the last day on which it applies.

    A money floor needs a second approval, as for granting it; then the pending approval
    is returned instead of the floor.
    """
    require_permission(actor, GRANT)
    with transaction.atomic():
        lock_ratings()
        floor = _locked_floor(floor_id)
        set_end(floor, ends, reason)
        if floor.kind != Floor.Kind.MONEY:
            _save_end(floor, reason=reason, actor=actor)
            return floor
        return propose(
            END_MONEY,
            title=f"End the {System(floor.system).label} money floor {floor.level} of "
            f"{floor.player} after {format_day(ends)}",
            payload=end_facts(floor, ends),
            actor=actor,
            reason=reason.strip(),
            url=reverse("ratings:office_floors", args=[floor.player.member_id]),
        )


@register_approved_action(END_MONEY, permission=GRANT)
def end_money_floor(act: ApprovedAction) -> Floor:
    """End a money floor as proposed, after the second approval."""
    with transaction.atomic():
        lock_ratings()
        floor = _locked_floor(act.payload["floor_id"])
        ends = date.fromisoformat(act.payload["ends"])
        set_end(floor, ends, act.reason)
        _save_end(floor, reason=act.reason, actor=act.approved_by)
    return floor


def end_facts(row: Floor | Ceiling, ends: date) -> dict[str, Any]:
    """Return the end of a floor or ceiling as facts that can be stored."""
    return {
        "player_id": row.player.canonical.pk,
        "floor_id" if isinstance(row, Floor) else "ceiling_id": row.pk,
        "ends": ends.isoformat(),
    }


def _locked_floor(floor_id: int) -> Floor:
    return Floor.objects.select_for_update(of=("self",)).get(pk=floor_id)


def impose_ceiling(
    *,
    player_id: int,
    system: str,
    level: int,
    starts: date,
    reason: str,
    actor: User,
    ends: date | None = None,
) -> Ceiling:
    """Impose a level above which a rating may not rise (the Executive Director)."""
    require_permission(actor, CEILING)
    with transaction.atomic():
        lock_ratings()
        refuse_future(starts)
        ceiling = Ceiling(
            player=member(player_id),
            system=system,
            level=level,
            starts=starts,
            ends=ends,
            reason=reason.strip(),
            imposed_by=actor,
        )
        refuse_duplicate(ceiling)
        validate_and_save(ceiling)
        record(
            "ceiling.imposed",
            subject=ceiling,
            actor=actor,
            reason=reason,
            facts={"system": system, "level": level, "starts": starts.isoformat()},
        )
        name = System(system).label
        add_pending_rerate_if_rated(
            starts,
            kind=RerateMark.Kind.CEILING,
            player=ceiling.player,
            system=System(system),
            note=f"{ceiling.player.name} has a {name} ceiling of {level} "
            f"from {starts.isoformat()}.",
            actor=actor,
        )
    return ceiling


def end_ceiling(*, ceiling_id: int, ends: date, reason: str, actor: User) -> Ceiling:
    """End a ceiling: *ends* is the last day on which it applies."""
    require_permission(actor, CEILING)
    with transaction.atomic():
        lock_ratings()
        ceiling = Ceiling.objects.select_for_update(of=("self",)).get(pk=ceiling_id)
        set_end(ceiling, ends, reason)
        _save_end(ceiling, reason=reason, actor=actor)
    return ceiling


def _save_end(row: Floor | Ceiling, *, reason: str, actor: User) -> None:
    """Save the end that is set, with its audit entry and pending rerate."""
    assert row.ends is not None  # noqa: S101 (set before)
    row.save(update_fields=["ends"])
    if isinstance(row, Floor):
        kind, word = RerateMark.Kind.FLOOR, "floor"
        record("floor.ended", subject=row, actor=actor, reason=reason)
    else:
        kind, word = RerateMark.Kind.CEILING, "ceiling"
        record("ceiling.ended", subject=row, actor=actor, reason=reason)
    system = System(row.system)
    add_pending_rerate_if_rated(
        row.ends + timedelta(days=1),
        kind=kind,
        player=row.player,
        system=system,
        note=f"The {system.label} {word} {row.level} of {row.player.name} "
        f"holds until {row.ends.isoformat()} only.",
        actor=actor,
    )
