"""Grant and end floors and ceilings: dated records that rerates replay.

Each act has its permission, a reason and an audit entry. Where ratings of that day or
later exist already, it leaves a mark for the next rerate; a rating still to come finds
the record by itself.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from events.models import Section
from players.models import Player
from ratings.engine.floors import money_floor
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.systems import System
from ratings.floors.queries.floors import floor_before_play, ledger_of, numbers_of
from ratings.ledger.services.marks import leave_mark
from ratings.models import (
    Ceiling,
    Floor,
    RatingChange,
    RerateMark,
)
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Approved, Refusal, second_person
from ratings_site.common.acts.services import propose
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import PendingAct, User

GRANT, LOWER, CEILING = (
    "ratings.grant_floor",
    "ratings.lower_floor",
    "ratings.impose_ceiling",
)
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


class FloorRefused(Refusal):
    """The rules, or the records, do not allow this; the message says which rule."""


# --- Floors by the office ---


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
    _refuse_same(floor)
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
        _set_end(floor, ends, reason)
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
        _set_end(floor, date.fromisoformat(act.payload["ends"]), act.reason)
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


def _refuse_same(row: Floor | Ceiling) -> None:
    """Refuse what is in the books already: a form may be sent twice."""
    same = {
        name: getattr(row, name)
        for name in ("player", "system", "level", "starts", "ends")
    }
    if isinstance(row, Floor):
        same["kind"] = row.kind
    if type(row).objects.filter(**same).exists():
        words = (
            _("{name} has this floor already.")
            if isinstance(row, Floor)
            else _("{name} has this ceiling already.")
        )
        raise FloorRefused(words.format(name=row.player.name))


def _set_end(row: Floor | Ceiling, ends: date, reason: str) -> None:
    """Give a record its last day, unsaved; FloorRefused if it cannot end then."""
    if not reason.strip():
        raise FloorRefused(_("Say why; the reason is kept with the record."))
    if row.ends is not None and row.ends <= ends:
        raise FloorRefused(
            _("It ends on {ends} already.").format(ends=day_in_words(row.ends))
        )
    row.ends = ends
    check(row)


# --- Money floors ---


@dataclass(frozen=True, slots=True)
class MoneyProposal:
    """The floor that a large prize makes, by the rules.

    *systems* are those the section was rated in with the player established; in
    *left_out* they were not, and get none.
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
    """Return the floor that the rules make of a prize; FloorRefused if none.

    *prize* is in dollars, *limit* that of the section, or of the prize in a section
    without one. The floor begins on the event's last day, however late it is reported.
    """
    rules = rules_in_force(section.starts, settings.RATING_EDITION)
    least, highest = rules.money_floor_prize, rules.highest_money_floor
    if prize < least:
        raise FloorRefused(
            _(
                "A prize makes a floor from ${least:,} on; this one is ${prize:,} "
                "(rating system, section 5)."
            ).format(least=least, prize=prize)
        )
    if not rules.lowest_rating <= limit <= highest:
        raise FloorRefused(
            _(
                "A prize makes a floor in an under-{highest} section, or as an "
                "under-{highest} prize; a limit of {limit} is none "
                "(rating system, section 5)."
            ).format(highest=highest, limit=limit)
        )
    established, left_out = _systems_of(player, section, rules)
    return MoneyProposal(
        player=player,
        section=section,
        prize=prize,
        limit=limit,
        level=money_floor(limit, rules),
        starts=section.event.ends,
        systems=established,
        left_out=left_out,
    )


def _systems_of(
    player: Player, section: Section, rules: Rules
) -> tuple[tuple[System, ...], tuple[System, ...]]:
    """Return in which systems the player began the section established, and not."""
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
                "section; a section has to be rated first."
            ).format(name=player.name, section=section)
        )
    established = tuple(
        system
        for system in System
        if games_before.get(system, 0) > rules.established_after
    )
    if not established:
        raise FloorRefused(
            _(
                "{name} began {section} without an established rating, and a "
                "prize makes a floor of an established one only "
                "(rating system, section 5)."
            ).format(name=player.name, section=section)
        )
    left_out = (system for system in System if system in games_before)
    return established, tuple(one for one in left_out if one not in established)


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
    """Put the floor of a large prize before a second person."""
    player = member(player_id)
    section = Section.objects.select_related("event").get(pk=section_id)
    proposal = money_proposal(player=player, section=section, prize=prize, limit=limit)
    _refuse_money_twice(player, section)
    if not reason.strip():
        raise FloorRefused(_("Say why; the reason is shown with the floor."))
    return propose(
        MONEY,
        title=f"Money floor {proposal.level} for {player}: ${prize:,} in {section}",
        payload={**facts_of_proposal(proposal), "evidence": evidence},
        actor=actor,
        reason=reason.strip(),
        url=reverse("ratings:office_floors", args=[player.member_id]),
    )


def facts_of_proposal(proposal: MoneyProposal) -> dict[str, Any]:
    """Return the prize as facts that can be stored."""
    return {
        "player_id": proposal.player.pk,
        "section_id": proposal.section.pk,
        "prize": proposal.prize,
        "limit": proposal.limit,
    }


@second_person(MONEY, permission=GRANT)
def grant_money_floor(act: Approved) -> list[Floor]:
    """Grant a proposed money floor, one in each system (a second person approved)."""
    with transaction.atomic():
        hold_ratings()
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
    """Return the floor that a stored proposal makes today; FloorRefused if none."""
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
            _("{name} has the money floor of {section} already.").format(
                name=player.name, section=section
            )
        )


# --- Ceilings ---


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
    require(actor, CEILING)
    with transaction.atomic():
        hold_ratings()
        refuse_future(starts, "A ceiling")
        ceiling = Ceiling(
            player=member(player_id),
            system=system,
            level=level,
            starts=starts,
            ends=ends,
            reason=reason.strip(),
            imposed_by=actor,
        )
        _refuse_same(ceiling)
        save_checked(ceiling)
        record(
            "ceiling.imposed",
            subject=ceiling,
            actor=actor,
            reason=reason,
            facts={"system": system, "level": level, "starts": starts.isoformat()},
        )
        name = System(system).label
        mark_if_rated_since(
            starts,
            kind=RerateMark.Kind.CEILING,
            player=ceiling.player,
            system=System(system),
            note=f"{ceiling.player.name} has a {name} ceiling of {level} "
            f"from {day_in_words(starts)}.",
            actor=actor,
        )
    return ceiling


def end_ceiling(*, ceiling_id: int, ends: date, reason: str, actor: User) -> Ceiling:
    """End a ceiling: *ends* is the last day on which it holds."""
    require(actor, CEILING)
    with transaction.atomic():
        hold_ratings()
        ceiling = Ceiling.objects.select_for_update(of=("self",)).get(pk=ceiling_id)
        _set_end(ceiling, ends, reason)
        ceiling.save(update_fields=["ends"])
        record("ceiling.ended", subject=ceiling, actor=actor, reason=reason)
        system = System(ceiling.system)
        mark_if_rated_since(
            ends + timedelta(days=1),
            kind=RerateMark.Kind.CEILING,
            player=ceiling.player,
            system=system,
            note=f"The {system.label} ceiling {ceiling.level} of "
            f"{ceiling.player.name} holds until {day_in_words(ends)} only.",
            actor=actor,
        )
    return ceiling


# --- What all of them share ---


def member(player_id: int) -> Player:
    """Return the member whose record goes on."""
    player = Player.objects.select_related("merged_into").get(pk=player_id)
    return player.canonical


def save_checked(row: models.Model) -> None:
    """Save a row that its own rules allow; FloorRefused in their words if not.

    The rules are the constraints of the database, asked before it has to refuse.
    """
    check(row)
    row.save()


def check(row: models.Model) -> None:
    try:
        row.full_clean()
    except ValidationError as faults:
        raise FloorRefused(" ".join(faults.messages)) from faults


def refuse_future(starts: date, what: str) -> None:
    if starts > timezone.localdate():
        raise FloorRefused(
            _("{what} begins today or earlier; {starts} is still to come.").format(
                what=what, starts=day_in_words(starts)
            )
        )


def mark_if_rated_since(
    day: date,
    *,
    kind: str,
    player: Player,
    system: System,
    note: str,
    actor: User | None,
    section: Section | None = None,
) -> RerateMark | None:
    """Leave a mark if the member has been rated in the system on *day* or later."""
    if not rated_since(numbers_of(player), system, day):
        return None
    return leave_mark(
        kind=kind, day=day, note=note, player=player, section=section, actor=actor
    )


def rated_since(numbers: Iterable[int], system: System, day: date) -> bool:
    return ledger_of(numbers, system).filter(calculation__order_date__gte=day).exists()
