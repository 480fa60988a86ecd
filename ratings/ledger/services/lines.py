"""Writing in the ledger: a calculation and its lines, and what follows from them."""

import json
from collections.abc import Sequence
from datetime import date
from typing import Any

from django.conf import settings

from ratings.engine import ENGINE_VERSION
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

UNRATED = LedgerStanding(0.0, 0, Record.NONE, 0, 0, 0, 0, None, date.min)


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


def write_calculation(
    lines: Sequence[RatingChange],
    *,
    system: str,
    rules: Rules,
    source_digest: str,
    document: str = "",
    **source: Any,
) -> Calculation:
    """Write a calculation of the incremental run, and make its lines current.

    *lines* are unsaved, in the order of the source's persons; *source* fills the
    columns that name the source and its place in rating order.
    """
    calculation = Calculation.objects.create(
        run=incremental_run(),
        system=system,
        edition=rules.edition,
        rules_day=rules.day,
        engine_version=ENGINE_VERSION,
        inputs_digest=digest_of_lines(
            lines, source_digest=source_digest, system=system, rules=rules
        ),
        **source,
    )
    if document:
        CalculationInputs.objects.create(calculation=calculation, document=document)
    for line in lines:
        line.calculation = calculation
    RatingChange.objects.bulk_create(lines)
    project(lines)
    return calculation


def line_of(
    result: Rated,
    competitor: Competitor,
    before: LedgerStanding | None,
    tally: Tally,
    rules: Rules,
    nets: MatchNets | None = None,
) -> RatingChange:
    """Return the unsaved ledger line of one player's result.

    *tally* is what they did in the source; *nets* what earlier matches did to the
    rating, None outside a match.
    """
    counts = before or UNRATED
    return RatingChange(
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
        three_game_events=counts.three_game_events + tally.three_games,
        peak=peak_after(
            counts.peak, result.post, result.post_games, rules.established_after
        ),
    )


def pre_state(before: LedgerStanding | None) -> dict[str, Any]:
    """Return the columns that say where a line goes on from."""
    return {
        "pre_rating": before.rating if before else None,
        "pre_games": before.games if before else 0,
        "pre_record": before.record if before else Record.NONE,
        "previous_id": before.last_line if before else None,
    }
