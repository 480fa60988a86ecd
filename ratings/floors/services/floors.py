"""Grant and end floors: dated records that rerates replay.

Each act has its permission, a reason and an audit entry. Where ratings of that day or
later exist already, it leaves a mark for the next rerate; a rating still to come finds
the record by itself.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from players.models import Player
from ratings.engine.systems import System
from ratings.floors.queries.floors import floor_before_play
from ratings.floors.services.shared import (
    GRANT,
    FloorRefused,
    check,
    mark_if_rated_since,
    member,
    refuse_future,
    refuse_same,
    save_checked,
    set_end,
)
from ratings.models import Ceiling, Floor, RerateMark
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Approved, second_person
from ratings_site.common.acts.services import propose
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import PendingAct, User

OFFICE, MONEY, END_MONEY, LIFE_MASTER = (
    "floors.grant_office",
    "floors.grant_money",
    "floors.end_money",
    "floors.confirm_life_master",
)
# Acts without a second person, by the names under which it is asked what they do.
END, IMPOSE, END_CEILING = (
    "floors.end",
    "floors.impose_ceiling",
    "floors.end_ceiling",
)


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
    """Put a floor by a decision of the office before a second person.

    It is above what the member's own results give, else it is refused because it
    changes nothing. *reason* is shown publicly.
    """
    require(actor, GRANT)
    floor = Floor(
        player=member(player_id),
        system=system,
        kind=Floor.Kind.OFFICE,
        level=level,
        starts=starts,
        ends=ends,
        reason=reason.strip(),
        evidence=evidence,
        granted_by=actor,
    )
    _refuse_office_floor(floor)
    return propose(
        OFFICE,
        title=f"{System(system).label} floor {level} for {floor.player} from "
        f"{day_in_words(starts)}",
        payload={
            **facts_of_grant(floor.player, system, level, starts, ends),
            "evidence": evidence,
        },
        actor=actor,
        reason=floor.reason,
        url=reverse("ratings:office_floors", args=[floor.player.member_id]),
    )


@second_person(OFFICE, permission=GRANT)
def grant_office_floor(act: Approved) -> Floor:
    """Grant a floor as proposed, once a second person has approved it."""
    given = act.payload
    with transaction.atomic():
        hold_ratings()
        floor = Floor(
            **columns_of_grant(given),
            kind=Floor.Kind.OFFICE,
            reason=act.reason,
            evidence=given["evidence"],
            granted_by=act.proposed_by,
            approved_by=act.approved_by,
        )
        _refuse_office_floor(floor)
        return enter_floor(floor, actor=act.approved_by)


def facts_of_grant(
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


def columns_of_grant(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return such facts as the columns of the record."""
    return {
        "player": member(given["player_id"]),
        "system": given["system"],
        "level": given["level"],
        "starts": date.fromisoformat(given["starts"]),
        "ends": given["ends"] and date.fromisoformat(given["ends"]),
    }


def _refuse_office_floor(floor: Floor) -> None:
    refuse_same(floor)
    refuse_future(floor.starts, "A floor")
    check(floor)
    system = System(floor.system)
    standing = floor_before_play(floor.player, system, floor.starts)
    if standing is not None and floor.level <= standing.own:
        raise FloorRefused(
            _(
                "A {system} floor of {level} changes nothing: from results alone "
                "{name} had one of {own} on {starts}."
            ).format(
                system=system.label,
                level=floor.level,
                name=floor.player.name,
                own=standing.own,
                starts=day_in_words(floor.starts),
            )
        )


def enter_floor(floor: Floor, *, actor: User) -> Floor:
    """Enter a floor that is decided: the one way in for every kind.

    Needs a transaction that holds the ratings.
    """
    refuse_future(floor.starts, "A floor")
    save_checked(floor)
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
    mark_if_rated_since(
        floor.starts,
        kind=RerateMark.Kind.FLOOR,
        player=floor.player,
        system=system,
        note=f"{floor.player.name} has a {system.label} floor of {floor.level} "
        f"({floor.get_kind_display()}) from {day_in_words(floor.starts)}.",
        actor=actor,
    )
    return floor


def end_floor(
    *, floor_id: int, ends: date, reason: str, actor: User
) -> Floor | PendingAct:
    """End a granted floor: *ends* is the last day on which it holds.

    For a money floor a second person has to approve, as for granting it; then the
    waiting act is returned instead of the floor.
    """
    require(actor, GRANT)
    with transaction.atomic():
        hold_ratings()
        floor = _locked_floor(floor_id)
        set_end(floor, ends, reason)
        if floor.kind != Floor.Kind.MONEY:
            return _end_floor(floor, reason=reason, actor=actor)
        return propose(
            END_MONEY,
            title=f"End the {System(floor.system).label} money floor {floor.level} of "
            f"{floor.player} after {day_in_words(ends)}",
            payload=facts_of_end(floor, ends),
            actor=actor,
            reason=reason.strip(),
            url=reverse("ratings:office_floors", args=[floor.player.member_id]),
        )


@second_person(END_MONEY, permission=GRANT)
def end_money_floor(act: Approved) -> Floor:
    """End a money floor as proposed, once a second person has approved it."""
    with transaction.atomic():
        hold_ratings()
        floor = _locked_floor(act.payload["floor_id"])
        set_end(floor, date.fromisoformat(act.payload["ends"]), act.reason)
        return _end_floor(floor, reason=act.reason, actor=act.approved_by)


def facts_of_end(row: Floor | Ceiling, ends: date) -> dict[str, Any]:
    """Return the end of a floor or ceiling as facts that can be stored."""
    return {
        "player_id": row.player.canonical.pk,
        "floor_id" if isinstance(row, Floor) else "ceiling_id": row.pk,
        "ends": ends.isoformat(),
    }


def _locked_floor(floor_id: int) -> Floor:
    return Floor.objects.select_for_update(of=("self",)).get(pk=floor_id)


def _end_floor(floor: Floor, *, reason: str, actor: User) -> Floor:
    """Enter the end that is set, with all that follows from it."""
    floor.save(update_fields=["ends"])
    record("floor.ended", subject=floor, actor=actor, reason=reason)
    system = System(floor.system)
    mark_if_rated_since(
        floor.ends + timedelta(days=1),
        kind=RerateMark.Kind.FLOOR,
        player=floor.player,
        system=system,
        note=f"The {system.label} floor {floor.level} of {floor.player.name} "
        f"holds until {day_in_words(floor.ends)} only.",
        actor=actor,
    )
    return floor
