"""Rate a section: from the games in the books to new lines in the ledger."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from events.models import Section
from ratings.engine import ENGINE_VERSION
from ratings.engine.cards import Kind, Record, SectionCard
from ratings.engine.contract import card_to_json
from ratings.engine.outcomes import Rated
from ratings.engine.rules import NoRuleInForce, Rules
from ratings.engine.section import rate_section as rate_card
from ratings.engine.systems import System
from ratings.engine.time_controls import BadTimeControl, NotRatable
from ratings.models import (
    Calculation,
    CalculationInputs,
    RatingChange,
    Run,
)
from ratings.services.cards import (
    SectionFacts,
    Tally,
    card_for,
    facts_of,
    rules_for,
    tallies,
)
from ratings.services.projection import project
from ratings.services.states import PlayerState, Standing, load_states
from ratings_site.common.audit import record
from ratings_site.common.locks import hold_ratings

# What makes a section impossible to rate, however often one tries.
UNRATABLE = (BadTimeControl, NotRatable, NoRuleInForce)


@dataclass(frozen=True, slots=True)
class RatedSystem:
    """A section rated in one system, before anything is written."""

    system: System
    card: SectionCard
    rules: Rules
    results: tuple[Rated, ...]


def rate_facts(
    facts: SectionFacts, states: dict[int, PlayerState]
) -> list[RatedSystem]:
    """Rate a section in all its systems from the same states; write nothing.

    Both systems of a dual-rated section start from the states before it, so neither
    result starts the other.
    """
    rules = rules_for(facts)
    rated = []
    for system in facts.systems:
        card = card_for(facts, states, system=system, rules=rules)
        rated.append(RatedSystem(system, card, rules, rate_card(card, rules)))
    return rated


def rate_section(*, section_id: int) -> Section:
    """Rate one accepted section and make the results current.

    Sections of the same event that come before it and still wait are rated first.
    Rating a section that is rated already changes nothing.
    """
    with transaction.atomic():
        hold_ratings()
        section = (
            Section.objects.select_for_update(of=("self",))
            .select_related("event")
            .get(pk=section_id)
        )
        for waiting in _waiting_before(section):
            _rate_if_possible(waiting)
        if section.status != Section.Status.RATED:
            _rate(section)
    return section


def _waiting_before(section: Section) -> list[Section]:
    """Return the sections of the event that rating order puts before this one."""
    place = (section.ends, section.starts, section.number)
    siblings = section.event.sections.filter(
        status=Section.Status.READY
    ).select_related("event")
    earlier = [
        sibling
        for sibling in siblings
        if (sibling.ends, sibling.starts, sibling.number) < place
    ]
    return sorted(earlier, key=lambda other: (other.ends, other.starts, other.number))


def _rate_if_possible(section: Section) -> None:
    """Rate a sibling; if its own job will say why it cannot be, go on without it."""
    try:
        with transaction.atomic():
            _rate(section)
    except UNRATABLE:
        pass


def _rate(section: Section) -> None:
    facts = facts_of(section)
    states = load_states(
        facts.persons, day=facts.ends, is_match=facts.kind is Kind.MATCH
    )
    done = tallies(facts.games)
    is_late = _players_rated_later(section, facts.persons)
    run, _ = Run.objects.get_or_create(kind=Run.Kind.INCREMENTAL)
    for rated in rate_facts(facts, states):
        calculation = _write_calculation(section, rated, run=run, is_late=is_late)
        changes = [
            _ledger_line(
                calculation,
                result,
                states[result.id].standings.get(rated.system),
                done.get(result.id, Tally()),
                floor_given,
                rated.rules,
            )
            for result, floor_given in _rated_players(rated)
        ]
        RatingChange.objects.bulk_create(changes)
        project(changes)
    section.status = Section.Status.RATED
    section.save(update_fields=["status"])
    record("section.rated", subject=section, actor=None, facts={"late": is_late})


def _players_rated_later(section: Section, persons: Sequence[int]) -> bool:
    """Tell whether a player has been rated for something that comes after this."""
    place = (
        section.ends,
        Calculation.Rank.SECTION,
        section.starts,
        section.event.event_id,
        section.number,
    )
    keys = (
        Calculation.objects.filter(
            is_current=True,
            order_date__gte=section.ends,
            changes__player__in=persons,
        )
        .distinct()
        .values_list(*Calculation.ORDER)
    )
    return any(tuple(key) > place for key in keys)


def _write_calculation(
    section: Section, rated: RatedSystem, *, run: Run, is_late: bool
) -> Calculation:
    document = canonical_inputs(rated.card, rated.rules)
    calculation = Calculation.objects.create(
        run=run,
        system=rated.system,
        section=section,
        order_date=section.ends,
        order_rank=Calculation.Rank.SECTION,
        order_starts=section.starts,
        order_event_id=section.event.event_id,
        order_section=section.number,
        edition=rated.rules.edition,
        rules_day=section.starts,
        age_day=section.ends,
        engine_version=ENGINE_VERSION,
        inputs_digest=digest_of(document, rated.rules),
        is_late=is_late,
    )
    CalculationInputs.objects.create(calculation=calculation, document=document)
    return calculation


def canonical_inputs(card: SectionCard, rules: Rules) -> str:
    """Return the card as the one text that stands for it."""
    return json.dumps(
        card_to_json(card, rules.edition), sort_keys=True, separators=(",", ":")
    )


def digest_of(document: str, rules: Rules) -> str:
    """Name everything that went into a calculation: equal name, equal result."""
    parts = (document, rules.key, rules.digest, ENGINE_VERSION)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _rated_players(rated: RatedSystem) -> list[tuple[Rated, float | None]]:
    """Return the results of those who played, each with the floor he had.

    A player without a game keeps his rating and gets no line in the ledger.
    """
    floors = {competitor.id: competitor.floor for competitor in rated.card.competitors}
    return [(result, floors[result.id]) for result in rated.results if result.games]


def _ledger_line(
    calculation: Calculation,
    result: Rated,
    before: Standing | None,
    tally: Tally,
    floor_given: float | None,
    rules: Rules,
) -> RatingChange:
    counts = before or Standing(
        0, 0, Record.NONE, 0, 0, 0, 0, None, calculation.age_day
    )
    return RatingChange(
        calculation=calculation,
        player_id=result.id,
        pre_rating=before.rating if before else None,
        pre_games=before.games if before else 0,
        initial_rating=result.initial,
        initial_games=result.initial_games,
        effective_games=result.effective_games,
        formula=result.formula,
        half_points=result.score,
        games=result.games,
        expected=result.expected,
        k=result.k,
        bonus=result.bonus,
        intermediate=result.intermediate,
        floor_given=floor_given,
        floor_used=result.floor,
        ceiling_used=result.ceiling,
        post_rating=result.post,
        post_games=result.post_games,
        record=record_after(counts.record, tally),
        wins=counts.wins + tally.wins,
        draws=counts.draws + tally.draws,
        losses=counts.losses + tally.losses,
        three_game_events=counts.three_game_events + tally.three_games,
        peak=_peak_after(counts.peak, result, rules),
    )


def record_after(before: Record, tally: Tally) -> Record:
    """Return whether all games so far were won, or lost, or neither."""
    if tally.games == tally.wins:
        now = Record.ALL_WINS
    elif tally.games == tally.losses:
        now = Record.ALL_LOSSES
    else:
        return Record.MIXED
    return now if before in (Record.NONE, now) else Record.MIXED


def _peak_after(before: float | None, result: Rated, rules: Rules) -> float | None:
    if result.post is None or result.post_games <= rules.established_after:
        return before
    return max(result.post, before or 0.0)
