"""Rate many sections at once, in rating order.

The players' states are read once, kept in memory from section to section, and written
once at the end: the lines are the same as when sections are rated one by one.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from events.models import PackedSection, Section
from events.records.packed_section import unpack
from events.records.services.packing import pack_section
from ratings.engine.floors import lowered_floor
from ratings.engine.inputs import Kind
from ratings.engine.systems import System
from ratings.ledger.queries.grants import merged_owners
from ratings.ledger.queries.report_results import all_rated
from ratings.ledger.services.ledger_lines import (
    UNRATABLE_ERRORS,
    ComputedCalculation,
    RatedSystem,
    SelfPairing,
    build_calculation,
    canonical_inputs,
    incremental_run,
    rate_facts,
    rules_for_day,
    write_calculations,
)
from ratings.ledger.services.pending_rerates import add_pending_rerate
from ratings.ledger.services.player_states import PlayerState, PlayerStateCache
from ratings.ledger.services.rating_inputs import (
    Person,
    SectionFacts,
    facts_from_packed,
)
from ratings.ledger.services.rating_order import (
    OrderKey,
    latest_order_keys,
    section_order_key,
)
from ratings.models import Calculation, FloorRequest, RatingChange, RerateMark, Run
from ratings.signals import sections_rated
from ratings_site.common.audit.services import record, record_all
from ratings_site.common.db.staging_table import reserve_ids


def open_match_requests(
    calculation: Calculation, changes: Iterable[RatingChange]
) -> list[FloorRequest]:
    """Open requests to lower the floors that applied in a rated match.

    Call it in the transaction that makes the lines current. A match opens one request
    for each player and system; a decided one does not change. There is none for a floor
    that cannot be 100 points lower, such as a personal absolute floor.
    """
    section = calculation.section
    assert section is not None  # noqa: S101 (a match is a section)
    rules = rules_for_day(calculation.rules_day)
    asked = []
    for change in changes:
        floor = change.floor_given
        if not change.floor_request or floor is None:
            continue
        if lowered_floor(int(floor), rules) is None:
            continue
        request = _ask(section, calculation.system, change.player_id, int(floor))
        if request is not None:
            asked.append(request)
    return asked


def _ask(
    section: Section, system: str, player_id: int, floor: int
) -> FloorRequest | None:
    """Open a request, or update a pending one.

    The request of a number that was merged belongs to the kept member.
    """
    mine = Q(player=player_id) | Q(player__merged_into=player_id)
    request = FloorRequest.objects.filter(mine, system=system, section=section).first()
    if request is None:
        request = FloorRequest.objects.create(
            player_id=player_id,
            system=system,
            section=section,
            floor=floor,
            day=section.ends,
            reason="The result of the match would have ended below this floor.",
        )
        record("floor_request.asked_by_match", subject=request, actor=None)
        return request
    is_outdated = (request.floor, request.day) != (floor, section.ends)
    if request.status == FloorRequest.Status.ASKED and is_outdated:
        request.floor, request.day = floor, section.ends
        request.save(update_fields=["floor", "day"])
        return request
    return None


Faults = dict[int, Exception]


@dataclass(slots=True)
class _PendingSection:
    """A section to be rated, and its calculations once they are computed."""

    section: Section
    facts: SectionFacts
    digest: str
    place: OrderKey
    worked: list[ComputedCalculation] = field(default_factory=list)
    is_late: bool = False


def rate_sections(section_ids: Collection[int]) -> Faults:
    """Rate accepted sections in rating order and make the results current.

    The caller locks the ratings before it selects the sections. Earlier sections of the
    same events that are not rated yet are rated too. Sections that are rated already,
    or were imported, do not change. Returns, by section, why it cannot be rated; the
    others are rated all the same.
    """
    with transaction.atomic():
        waiting, faults = _read(_due_sections(section_ids))
        if waiting:
            _rate_in_memory(waiting, faults)
            _write([one for one in waiting if one.section.pk not in faults])
    return faults


def _due_sections(section_ids: Collection[int]) -> list[Section]:
    """Return these sections and unrated ones before them, in rating order."""
    asked = set(section_ids)
    events = Section.objects.filter(pk__in=asked).values("event")
    waiting = (
        Section.objects.select_for_update(of=("self",))
        .filter(event__in=events, status=Section.Status.READY)
        .select_related("event__submission")
    )
    in_order = sorted(waiting, key=section_order_key)
    last = {one.event_id: n for n, one in enumerate(in_order) if one.pk in asked}
    return [one for n, one in enumerate(in_order) if n <= last.get(one.event_id, -1)]


def _read(sections: list[Section]) -> tuple[list[_PendingSection], Faults]:
    """Read the sections in packed form (2 queries)."""
    known = {
        (one.pk, one.version): one
        for one in PackedSection.objects.filter(section__in=sections)
    }
    packed = {
        section.pk: known.get((section.pk, section.version)) or pack_section(section)
        for section in sections
    }
    forms = {pk: unpack(bytes(one.data)) for pk, one in packed.items()}
    owners = merged_owners({pk for form in forms.values() for pk in form.players})
    waiting: list[_PendingSection] = []
    faults: Faults = {}
    for section in sections:
        try:
            facts = facts_from_packed(forms[section.pk], owners)
            _refuse_own_opponents(section, facts)
            waiting.append(
                _PendingSection(
                    section,
                    facts,
                    packed[section.pk].digest,
                    section_order_key(section),
                )
            )
        except UNRATABLE_ERRORS as fault:
            faults[section.pk] = fault
    return waiting, faults


def _refuse_own_opponents(section: Section, facts: SectionFacts) -> None:
    """Refuse a section with two who were merged while its report was accepted.

    Neither the merge nor the acceptance saw the other.
    """
    if all(game.a != game.b for game in facts.games):
        return
    games = section.games.select_related("first__player", "second__player")
    game = next(
        game
        for game in games.order_by("round_number", "pk")
        if game.first.player.canonical == game.second.player.canonical
    )
    raise SelfPairing(
        _(
            "{first} and {second} played each other in round {round_number} of "
            "{section}, and are one member by now. Undo the merge, or correct the "
            "section; then try again."
        ).format(
            round_number=game.round_number,
            section=section,
            first=game.first.player,
            second=game.second.player,
        )
    )


def _rate_in_memory(waiting: list[_PendingSection], faults: Faults) -> None:
    """Rate the sections in memory, each from the states after the one before."""
    all_players = {person for one in waiting for person in one.facts.persons}
    matches = [one.facts.ends for one in waiting if one.facts.kind is Kind.MATCH]
    known = PlayerStateCache(
        all_players,
        until=max(one.facts.ends for one in waiting),
        matches_from=min(matches, default=None),
    )
    latest = latest_order_keys(all_players, min(one.facts.ends for one in waiting))
    numbers = iter(reserve_ids(RatingChange, sum(map(_most_lines, waiting))))
    run = incremental_run()
    for one in waiting:
        states = known.states(
            one.facts.persons,
            day=one.facts.ends,
            is_match=one.facts.kind is Kind.MATCH,
        )
        try:
            rated = rate_facts(one.facts, states)
        except UNRATABLE_ERRORS as fault:
            faults[one.section.pk] = fault
            continue
        one.is_late = any(
            latest[person] > one.place
            for person in one.facts.persons
            if person in latest
        )
        one.worked = list(_build_calculations(one, rated, states, run))
        for result in one.worked:
            _number(result.lines, numbers)
            _advance(one, result, known)
            for line in result.lines:
                pk = line.player_id
                latest[pk] = max(latest.get(pk, ()), one.place)


def _most_lines(one: _PendingSection) -> int:
    """Return how many lines a section has at most: all its players in two systems."""
    return 2 * len(one.facts.persons)


def _build_calculations(
    one: _PendingSection,
    rated_systems: Iterable[RatedSystem],
    states: Mapping[Person, PlayerState],
    run: Run,
) -> Iterator[ComputedCalculation]:
    for rated in rated_systems:
        yield build_calculation(
            rated.lines(states),
            run=run,
            system=rated.system,
            rules=rated.rules,
            source_digest=one.digest,
            document=canonical_inputs(rated.rating_input, rated.rules),
            section=one.section,
            section_version=one.section.version,
            place=one.place,
            is_late=one.is_late,
        )


def _number(lines: Iterable[RatingChange], numbers: Iterator[int]) -> None:
    """Assign primary keys to lines, which the next lines of their players refer to."""
    for line in lines:
        line.pk = next(numbers)


def _advance(
    one: _PendingSection, result: ComputedCalculation, known: PlayerStateCache
) -> None:
    system, day = System(result.calculation.system), one.facts.ends
    known.advance(result.lines, system=system, day=day)
    if one.facts.kind is Kind.MATCH:
        known.add_match(result.lines, system=system, day=day)


def _write(rated: list[_PendingSection]) -> None:
    """Write everything: calculations, requests, pending rerates, audit and notices."""
    write_calculations([result for one in rated for result in one.worked])
    for one in rated:
        if one.facts.kind is Kind.MATCH:
            for result in one.worked:
                open_match_requests(result.calculation, result.lines)
        if one.is_late:
            add_pending_rerate(
                kind=RerateMark.Kind.LATE,
                day=one.section.ends,
                section=one.section,
                note=f"{one.section} was reported after later events had been rated.",
            )
    sections = [one.section for one in rated]
    for section in sections:
        section.status = Section.Status.RATED
    Section.objects.filter(pk__in=[one.pk for one in sections]).update(
        status=Section.Status.RATED
    )
    record_all(
        "section.rated",
        [(one.section, {"late": one.is_late}) for one in rated],
        actor=None,
    )
    if sections:
        events = all_rated(sections)
        sections_rated.send(sender=Section, sections=sections, events=events)
