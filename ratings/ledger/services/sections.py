"""Rate sections in rating order, many at once: from the books to lines of the ledger.

What is known of their players is read once, goes on from section to section in memory,
and is written once at the end: the lines are those of rating one after the other.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from django.db import transaction
from django.utils.translation import gettext as _

from events.books.packed import unpack
from events.books.services.packing import pack_section
from events.models import PackedSection, Section
from ratings.engine.cards import Kind
from ratings.ledger.queries.grants import merged_owners
from ratings.ledger.queries.reported import all_rated
from ratings.ledger.services.cards import (
    SectionFacts,
    Tally,
    facts_as_packed,
    tallies,
)
from ratings.ledger.services.computing import (
    UNRATABLE,
    OwnOpponent,
    RatedSystem,
    rate_facts,
)
from ratings.ledger.services.lines import (
    Worked,
    canonical_inputs,
    incremental_run,
    line_of,
    work,
    write_calculations,
)
from ratings.ledger.services.marks import leave_mark
from ratings.ledger.services.match_requests import open_match_requests
from ratings.ledger.services.order import (
    Place,
    latest_places,
    order_columns,
    place_of_section,
)
from ratings.ledger.services.states import Known, PlayerState
from ratings.models import RatingChange, RerateMark, Run
from ratings.signals import sections_rated
from ratings_site.common.audit.services import record_all
from ratings_site.common.database.fresh_storage import reserve_ids

Faults = dict[int, Exception]


@dataclass(slots=True)
class _Waiting:
    """A section to be rated: what it is, and how its ratings follow from what."""

    section: Section
    facts: SectionFacts
    digest: str
    place: Place
    worked: list[Worked] = field(default_factory=list)
    is_late: bool = False


def rate_sections(section_ids: Collection[int]) -> Faults:
    """Rate accepted sections in rating order and make the results current.

    The ratings are held by the caller, before it looks what there is to rate.
    Sections of the same events that come before one of them and still wait are rated
    too. What is rated already, or was taken over, stays as it is. Returns, by section,
    why it cannot be rated; the others are rated all the same.
    """
    with transaction.atomic():
        waiting, faults = _read(_to_rate(section_ids))
        if waiting:
            _work_out(waiting, faults)
            _write([one for one in waiting if one.section.pk not in faults])
    return faults


def _to_rate(section_ids: Collection[int]) -> list[Section]:
    """Return what waits, in rating order: these, and what comes before them."""
    asked = set(section_ids)
    events = Section.objects.filter(pk__in=asked).values("event")
    waiting = (
        Section.objects.select_for_update(of=("self",))
        .filter(event__in=events, status=Section.Status.READY)
        .select_related("event__submission")
    )
    in_order = sorted(waiting, key=place_of_section)
    last = {one.event_id: n for n, one in enumerate(in_order) if one.pk in asked}
    return [one for n, one in enumerate(in_order) if n <= last.get(one.event_id, -1)]


def _read(sections: list[Section]) -> tuple[list[_Waiting], Faults]:
    """Read what the sections are, in packed form (2 queries)."""
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
    waiting: list[_Waiting] = []
    faults: Faults = {}
    for section in sections:
        try:
            facts = facts_as_packed(forms[section.pk], owners)
            _refuse_own_opponents(section, facts)
            waiting.append(
                _Waiting(
                    section, facts, packed[section.pk].digest, place_of_section(section)
                )
            )
        except UNRATABLE as fault:
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
    raise OwnOpponent(
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


def _work_out(waiting: list[_Waiting], faults: Faults) -> None:
    """Rate one after the other in memory, each from what the one before left."""
    everybody = {person for one in waiting for person in one.facts.persons}
    matches = [one.facts.ends for one in waiting if one.facts.kind is Kind.MATCH]
    known = Known(
        everybody,
        until=max(one.facts.ends for one in waiting),
        matches_from=min(matches, default=None),
    )
    latest = latest_places(everybody, min(one.facts.ends for one in waiting))
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
        except UNRATABLE as fault:
            faults[one.section.pk] = fault
            continue
        one.is_late = any(
            latest[person] > one.place
            for person in one.facts.persons
            if person in latest
        )
        one.worked = list(_worked(one, rated, states, run))
        for result in one.worked:
            _number(result.lines, numbers)
            _go_on(one, result, known)
            for line in result.lines:
                pk = line.player_id
                latest[pk] = max(latest.get(pk, ()), one.place)


def _most_lines(one: _Waiting) -> int:
    """Return how many lines a section has at most: everybody's in two systems."""
    return 2 * len(one.facts.persons)


def _worked(
    one: _Waiting,
    rated_systems: Iterable[RatedSystem],
    states: Mapping[int, PlayerState],
    run: Run,
) -> Iterator[Worked]:
    done = tallies(one.facts.games)
    for rated in rated_systems:
        lines = [
            line_of(
                result,
                competitor,
                states[result.id].standings.get(rated.system),
                done.get(result.id, Tally()),
                rated.rules,
                rated.match_nets(competitor),
                states[result.id].age_starts(rated.system),
            )
            for result, competitor in rated.players()
        ]
        yield work(
            lines,
            run=run,
            system=rated.system,
            rules=rated.rules,
            source_digest=one.digest,
            document=canonical_inputs(rated.card, rated.rules),
            section=one.section,
            section_version=one.section.version,
            age_day=one.section.ends,
            is_late=one.is_late,
            **order_columns(one.place),
        )


def _number(lines: Iterable[RatingChange], numbers: Iterator[int]) -> None:
    """Give lines their numbers, which the next of their players refer to."""
    for line in lines:
        line.pk = next(numbers)


def _go_on(one: _Waiting, result: Worked, known: Known) -> None:
    system, day = result.calculation.system, one.facts.ends
    known.go_on(result.lines, system=system, day=day)
    if one.facts.kind is Kind.MATCH:
        known.add_match(result.lines, system=system, day=day)


def _write(rated: list[_Waiting]) -> None:
    """Write all of it, and what follows: requests, marks, the record, notices."""
    write_calculations([result for one in rated for result in one.worked])
    for one in rated:
        if one.facts.kind is Kind.MATCH:
            for result in one.worked:
                open_match_requests(result.calculation, result.lines)
        if one.is_late:
            leave_mark(
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
