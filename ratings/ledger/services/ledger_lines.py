"""Rate sections, and write calculations and their lines to the ledger."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.conf import settings

from ratings.engine import ENGINE_VERSION
from ratings.engine.age_based_start import remaining_age_start
from ratings.engine.inputs import Competitor, Kind, RatingInput, Record
from ratings.engine.matches import MatchNets, match_nets
from ratings.engine.results import RatingResult, peak_after, record_after
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.section import rate_section as rate_card
from ratings.engine.section_json import section_to_json
from ratings.engine.systems import System
from ratings.engine.time_controls import BadTimeControl, NotRatable
from ratings.ledger.services.digests import lines_digest
from ratings.ledger.services.player_states import UNRATED, PlayerState, RatingState
from ratings.ledger.services.projection import project
from ratings.ledger.services.rating_inputs import (
    Person,
    SectionFacts,
    Tally,
    build_rating_input,
    rules_for,
    tallies,
)
from ratings.ledger.services.rating_order import OrderKey
from ratings.models import Calculation, CalculationInputs, RatingChange, Run

ROWS_PER_INSERT = 500


def incremental_run() -> Run:
    run, _ = Run.objects.get_or_create(kind=Run.Kind.INCREMENTAL)
    return run


def rules_for_day(day: date) -> Rules:
    """Return the rules for a source of this day, in the configured edition."""
    return rules_in_force(day, settings.RATING_EDITION)


def canonical_inputs(rating_input: RatingInput, rules: Rules) -> str:
    """Return the inputs as canonical JSON."""
    return json.dumps(
        section_to_json(rating_input, rules.edition),
        sort_keys=True,
        separators=(",", ":"),
    )


@dataclass(frozen=True, slots=True)
class ComputedCalculation:
    """A calculation that is not written yet, with its lines and inputs.

    *lines* are in the order of the source's persons; *document* may be empty.
    """

    calculation: Calculation
    lines: Sequence[RatingChange]
    document: str = ""


def build_calculation(
    lines: Sequence[RatingChange],
    *,
    run: Run,
    system: str,
    rules: Rules,
    source_digest: str,
    place: OrderKey,
    document: str = "",
    **source: Any,
) -> ComputedCalculation:
    """Build a calculation; *place* is that of its source in rating order."""
    calculation = Calculation(
        run=run,
        system=system,
        edition=rules.edition,
        rules_day=rules.day,
        engine_version=ENGINE_VERSION,
        inputs_digest=lines_digest(
            lines, source_digest=source_digest, system=system, rules=rules
        ),
        age_day=place[0],
        **dict(zip(Calculation.ORDER, place, strict=True)),
        **source,
    )
    return ComputedCalculation(calculation, lines, document)


def write_calculations(worked: Sequence[ComputedCalculation]) -> None:
    """Write calculations in rating order, and make their lines current (7 queries)."""
    calculations = [one.calculation for one in worked]
    Calculation.objects.bulk_create(calculations, batch_size=ROWS_PER_INSERT)
    CalculationInputs.objects.bulk_create(
        CalculationInputs(calculation=one.calculation, document=one.document)
        for one in worked
        if one.document
    )
    latest: dict[tuple[int, str], RatingChange] = {}
    for one in worked:
        for line in one.lines:
            line.calculation = one.calculation
            latest[line.player_id, one.calculation.system] = line
    lines = (line for one in worked for line in one.lines)
    RatingChange.objects.bulk_create(lines, batch_size=ROWS_PER_INSERT)
    project(latest.values())


def write_calculation(
    lines: Sequence[RatingChange], *, system: str, rules: Rules, **rest: Any
) -> Calculation:
    """Write one calculation of the incremental run (see ``build_calculation``)."""
    worked = build_calculation(
        lines, run=incremental_run(), system=system, rules=rules, **rest
    )
    write_calculations([worked])
    return worked.calculation


def line_values(
    result: RatingResult,
    competitor: Competitor,
    before: RatingState | None,
    tally: Tally,
    rules: Rules,
    nets: MatchNets | None = None,
    age_starts: Sequence[float] = (),
) -> dict[str, Any]:
    """Return the columns of the ledger line of one player's result, by name.

    *tally* is the player's score in the source; *nets* the net changes by earlier
    matches, None outside a match; *age_starts* the ratings in other systems that still
    are an age-based start.
    """
    counts = before or UNRATED
    return dict(
        player_id=result.id,
        **pre_state(before),
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
        floor_given=competitor.floor,
        floor_used=result.floor,
        ceiling_given=competitor.ceiling,
        ceiling_used=result.ceiling,
        floor_request=result.floor_request,
        match_net_180=nets.in_180_days if nets else None,
        match_net_3y=nets.in_3_years if nets else None,
        post_rating=result.post,
        post_games=result.post_games,
        record=record_after(counts.record, tally.games, tally.wins, tally.draws),
        wins=counts.wins + tally.wins,
        draws=counts.draws + tally.draws,
        losses=counts.losses + tally.losses,
        three_game_events=counts.three_game_events + tally.counted_events(rules),
        peak=peak_after(
            counts.peak, result.post, result.post_games, rules.established_after
        ),
        age_start=age_start_after(result, before, age_starts, rules),
    )


def age_start_after(
    result: RatingResult,
    before: RatingState | None,
    age_starts: Sequence[float],
    rules: Rules,
) -> float | None:
    """Return the age-based start that a player's result still is, if it is one."""
    if before is not None:
        starts = [] if before.age_start is None else [before.age_start]
    elif result.initial_games:
        starts = list(age_starts)
    else:
        is_telling = result.initial < rules.age_start.highest
        starts = [result.initial] if is_telling else []
    assert result.post is not None  # noqa: S101 (only results with games have lines)
    return remaining_age_start(result.post, starts)


def pre_state(before: RatingState | None) -> dict[str, Any]:
    """Return the columns of the state before a line."""
    return {
        "pre_rating": before.rating if before else None,
        "pre_games": before.games if before else 0,
        "pre_record": before.record if before else Record.NONE,
        "pre_age_start": before.age_start if before else None,
        "previous_id": before.last_line if before else None,
    }


class SelfPairing(ValueError):
    """Two who played each other have been merged; the message names them."""


# Permanent errors: a retry cannot rate the section either.
UNRATABLE_ERRORS = (BadTimeControl, NotRatable, NoRuleInForce, SelfPairing)


@dataclass(frozen=True, slots=True)
class RatedSystem:
    """A section rated in one system, before anything is written."""

    system: System
    rating_input: RatingInput
    rules: Rules
    results: tuple[RatingResult, ...]

    def lines(self, states: Mapping[Person, PlayerState]) -> list[RatingChange]:
        """Return the unsaved lines of those who played.

        A player without a game keeps the rating and gets no line in the ledger.
        """
        done = tallies(self.rating_input.games)
        return [
            RatingChange(
                **line_values(
                    result,
                    competitor,
                    states[result.id].standings.get(self.system),
                    done[result.id],
                    self.rules,
                    self._match_nets(competitor),
                    states[result.id].age_starts(self.system),
                )
            )
            for result, competitor in zip(
                self.results, self.rating_input.competitors, strict=True
            )
            if result.games
        ]

    def _match_nets(self, competitor: Competitor) -> MatchNets | None:
        """Return the net changes by earlier matches.

        None outside a match, and for an unrated player, who has no limit.
        """
        if self.rating_input.kind is not Kind.MATCH or competitor.rating is None:
            return None
        return match_nets(self.rating_input.end_date, competitor.match_changes)


def rate_facts(
    facts: SectionFacts, states: Mapping[Person, PlayerState]
) -> list[RatedSystem]:
    """Rate a section in all its systems from the same states; write nothing.

    Both systems of a dual-rated section start from the states before it, so neither
    result starts the other.
    """
    rules = rules_for(facts)
    rated = []
    for system in facts.systems:
        rating_input = build_rating_input(facts, states, system=system, rules=rules)
        rated.append(
            RatedSystem(system, rating_input, rules, rate_card(rating_input, rules))
        )
    return rated
