"""Writing in the ledger: a calculation and its lines, and what follows from them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.conf import settings

from ratings.engine import ENGINE_VERSION
from ratings.engine.age_starts import remaining_age_start
from ratings.engine.cards import Competitor, Record, SectionCard
from ratings.engine.contract import card_to_json
from ratings.engine.matches import MatchNets
from ratings.engine.outcomes import Rated, peak_after, record_after
from ratings.engine.rules import Rules, rules_in_force
from ratings.ledger.services.cards import Tally
from ratings.ledger.services.digests import digest_of_lines
from ratings.ledger.services.projection import project
from ratings.ledger.services.states import LedgerStanding
from ratings.models import Calculation, CalculationInputs, RatingChange, Run

UNRATED = LedgerStanding(0.0, 0, Record.NONE, 0, 0, 0, 0, None, None, date.min)


def incremental_run() -> Run:
    run, _ = Run.objects.get_or_create(kind=Run.Kind.INCREMENTAL)
    return run


def rules_of(day: date) -> Rules:
    """Return the rules for a source of this day, in the edition that is set."""
    return rules_in_force(day, settings.RATING_EDITION)


def canonical_inputs(card: SectionCard, rules: Rules) -> str:
    """Return the card as the one text that stands for it."""
    return json.dumps(
        card_to_json(card, rules.edition), sort_keys=True, separators=(",", ":")
    )


@dataclass(frozen=True, slots=True)
class Worked:
    """A calculation that is not written yet, with its lines and what went into it.

    *lines* stand in the order of the source's persons; *document* may be empty.
    """

    calculation: Calculation
    lines: Sequence[RatingChange]
    document: str = ""


def work(
    lines: Sequence[RatingChange],
    *,
    run: Run,
    system: str,
    rules: Rules,
    source_digest: str,
    document: str = "",
    **source: Any,
) -> Worked:
    """Put a calculation together; *source* names the source and its place in order."""
    calculation = Calculation(
        run=run,
        system=system,
        edition=rules.edition,
        rules_day=rules.day,
        engine_version=ENGINE_VERSION,
        inputs_digest=digest_of_lines(
            lines, source_digest=source_digest, system=system, rules=rules
        ),
        **source,
    )
    return Worked(calculation, lines, document)


def write_calculations(worked: Sequence[Worked]) -> None:
    """Write calculations in rating order, and make their lines current (7 queries)."""
    Calculation.objects.bulk_create([one.calculation for one in worked])
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
    RatingChange.objects.bulk_create(line for one in worked for line in one.lines)
    project(latest.values())


def write_calculation(
    lines: Sequence[RatingChange], *, system: str, rules: Rules, **rest: Any
) -> Calculation:
    """Write one calculation of the incremental run (``work`` has the arguments)."""
    worked = work(lines, run=incremental_run(), system=system, rules=rules, **rest)
    write_calculations([worked])
    return worked.calculation


def line_of(
    result: Rated,
    competitor: Competitor,
    before: LedgerStanding | None,
    tally: Tally,
    rules: Rules,
    nets: MatchNets | None = None,
    age_starts: Sequence[float] = (),
) -> RatingChange:
    """Return the unsaved ledger line of one player's result.

    *tally* is what they did in the source; *nets* what earlier matches did to the
    rating, None outside a match; *age_starts* the ratings in other systems that still
    are an age-based start.
    """
    values = values_of_line(result, competitor, before, tally, rules, nets, age_starts)
    return RatingChange(**values)


def values_of_line(
    result: Rated,
    competitor: Competitor,
    before: LedgerStanding | None,
    tally: Tally,
    rules: Rules,
    nets: MatchNets | None = None,
    age_starts: Sequence[float] = (),
) -> dict[str, Any]:
    """Return the columns of `line_of` by name."""
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
    result: Rated,
    before: LedgerStanding | None,
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
    return remaining_age_start(result.post, starts)


def pre_state(before: LedgerStanding | None) -> dict[str, Any]:
    """Return the columns that say where a line goes on from."""
    return {
        "pre_rating": before.rating if before else None,
        "pre_games": before.games if before else 0,
        "pre_record": before.record if before else Record.NONE,
        "pre_age_start": before.age_start if before else None,
        "previous_id": before.last_line if before else None,
    }
