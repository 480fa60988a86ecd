"""The current ratings at the end of a replay, as columns (needs numpy).

It writes what `rating_differences.rating_differences` yields, some 200,000 ratings for
a million games, without an object for each.
"""

from typing import Any

from ratings.engine.replay import rule_rows as rule
from ratings.engine.replay.arrays import SYSTEMS
from ratings.engine.replay.kernel import (
    FIRST_ONLINE_SYSTEM,
    granted_floor,
    newest_lowering,
)
from ratings.models import Run, RunDifference
from ratings.rerates.services.change_summary import ChangeSummary
from ratings.rerates.services.current_rating_columns import (
    NO_LINE,
    RECORD_WORDS,
    CurrentColumns,
    RatingColumns,
)
from ratings.rerates.services.players import SYSTEM_NAMES
from ratings.rerates.services.rating_differences import RatingDifference
from ratings.rerates.services.replay import History
from ratings.rerates.services.staged_ledger import StagedLedger
from ratings_site.common.db.binary_copy import (
    BIGINT,
    DATE,
    DOUBLE,
    FIRST_DATE,
    INTEGER,
    Column,
    DictionaryColumn,
    NumberColumn,
    copy_columns,
    numpy,
)


def write_rating_differences(
    run: Run, staged_ledger: StagedLedger, effects: ChangeSummary, now: CurrentColumns
) -> None:
    """Write and count the ratings of *now* that the replay changes.

    All players of the replay are compared, in all systems.
    """
    player_index = staged_ledger.history.player_index
    after = replayed_rating_columns(staged_ledger.history, staged_ledger.lines)
    moved = numpy.flatnonzero(now.standing.differs_from(after.at(now.state)))
    before, then = now.standing.at(moved), after.at(now.state[moved])
    # Ratings with only another line behind them are not counted.
    differ = numpy.flatnonzero(
        before._replace(last_change=then.last_change).differs_from(then)
    )
    states, ids = now.state[moved][differ], numpy.asarray(player_index.ids)
    is_seen = _differs_visibly(before.at(differ), then.at(differ))
    effects.count_hidden(ids[states[~is_seen] // SYSTEMS])
    for state, old, new in zip(
        states[is_seen].tolist(),
        before.at(differ[is_seen]).projected(),
        then.at(differ[is_seen]).projected(),
        strict=True,
    ):
        player, system = (
            player_index.ids[state // SYSTEMS],
            SYSTEM_NAMES[state % SYSTEMS],
        )
        effects.count(RatingDifference(state, player, system, old, new))
    is_new = after.rating == after.rating
    is_new[now.state] = False
    begun = numpy.flatnonzero(is_new)
    effects.count_new(ids[begun // SYSTEMS], numpy.bincount(begun % SYSTEMS))
    _write(run, staged_ledger, now.state[moved], before, begun, after)


def _differs_visibly(before: RatingColumns, then: RatingColumns) -> Any:
    """Return for each place whether more differs than fractions of points and counts.

    If not, the rating differs, but nothing else that `ChangeSummary` counts.
    """
    differs = numpy.floor(before.rating + 0.5) != numpy.floor(then.rating + 0.5)
    for name in ("floor", "games", "rated_on"):
        differs |= getattr(before, name) != getattr(then, name)
    return differs


def replayed_rating_columns(history: History, lines: Any) -> RatingColumns:
    """Return the replay's rating in each state (`rating_differences.replayed_ratings`).

    *lines* are the primary keys of the lines behind the rows of the whole run.
    """
    states = {
        name: numpy.asarray(column)
        for name, column in history.world.states._asdict().items()
    }
    last_row = states.pop("last_row")
    numbers = numpy.append(numpy.asarray(lines), NO_LINE)
    return RatingColumns(
        **states,
        floor=replayed_floor_columns(history),
        # Row -1, no row, finds the number that was appended.
        last_change=numbers[last_row],
    )


def replayed_floor_columns(history: History) -> Any:
    """Return the floor after each state's last line (see `replayed_floors`)."""
    people, states = history.world.people, history.world.states
    rating, peak = numpy.asarray(states.rating), numpy.asarray(states.peak)
    rated = numpy.flatnonzero(rating == rating)
    floors = numpy.full(len(rating), numpy.nan)
    if not len(rated):
        return floors
    table = numpy.asarray(history.table.rows).reshape(-1, rule.WIDTH)
    rules = numpy.asarray(history.rules_of_row)[numpy.asarray(states.last_row)[rated]]

    def of_rule(number: int) -> Any:
        return table[rules, number]

    earned = (
        of_rule(rule.FLOOR_BASE)
        + of_rule(rule.FLOOR_PER_WIN) * numpy.asarray(states.wins)[rated]
        + of_rule(rule.FLOOR_PER_DRAW) * numpy.asarray(states.draws)[rated]
        + of_rule(rule.FLOOR_PER_EVENT) * numpy.asarray(states.three_game_events)[rated]
    )
    has_none = rated % SYSTEMS >= FIRST_ONLINE_SYSTEM
    has_none |= of_rule(rule.PERSONAL_FLOOR) == 0.0
    absolute = numpy.where(
        has_none,
        of_rule(rule.LOWEST),
        numpy.minimum(earned, of_rule(rule.FLOOR_HIGHEST)),
    )
    floors[rated] = numpy.maximum(absolute, _peak_floors(peak[rated], of_rule))
    for state in _states_with_grants(people, rated).tolist():
        player, system = divmod(state, SYSTEMS)
        day = states.rated_on[state]
        lowering = newest_lowering(people, player, system, day)
        granted = granted_floor(people, player, system, day, lowering)
        floors[state] = max(floors[state], granted)
    return floors


def _peak_floors(peak: Any, of_rule: Any) -> Any:
    """Mirror `kernel.peak_floor`."""
    whole = numpy.floor(peak)
    whole += peak - whole >= 0.5
    target = whole - of_rule(rule.PEAK_FLOOR_DROP)
    step = of_rule(rule.PEAK_FLOOR_STEP)
    floor = numpy.minimum(target // step * step, of_rule(rule.PEAK_FLOOR_HIGHEST))
    has_floor = target >= of_rule(rule.PEAK_FLOOR_LOWEST)
    return numpy.where(has_floor, floor, 0.0)


def _states_with_grants(people: Any, rated: Any) -> Any:
    first = numpy.asarray(people.first_grant)
    has_grants = first[1:] > first[:-1]
    return rated[has_grants[rated // SYSTEMS]]


def _write(
    run: Run,
    staged_ledger: StagedLedger,
    moved: Any,
    before: RatingColumns,
    begun: Any,
    after: RatingColumns,
) -> None:
    """Write *moved* states, which have a rating *before*, and *begun* ones."""
    state = numpy.concatenate([moved, begun])
    if not len(state):
        return
    # In the order of the indexes, both now and at publication.
    order = numpy.argsort(state)
    state = state[order]
    none = numpy.full(len(begun), numpy.nan)
    rating_before = numpy.concatenate([before.rating, none])[order]
    age_start_before = numpy.concatenate([before.age_start, none])[order]
    then = after.at(state)
    is_gone = then.rating != then.rating
    columns: dict[str, Column] = {
        "run_id": NumberColumn(BIGINT, numpy.full(len(state), run.pk)),
        "player_id": NumberColumn(
            BIGINT,
            numpy.asarray(staged_ledger.history.player_index.ids)[state // SYSTEMS],
        ),
        "system": DictionaryColumn(SYSTEM_NAMES, state % SYSTEMS),
        "before": NumberColumn(DOUBLE, rating_before),
        "before_age_start": NumberColumn(DOUBLE, age_start_before),
        "first_change_id": NumberColumn(
            BIGINT, numpy.asarray(staged_ledger.first_changes)[state], missing=NO_LINE
        ),
        "after": NumberColumn(DOUBLE, then.rating),
        "games": NumberColumn(INTEGER, then.games),
        "record": DictionaryColumn(RECORD_WORDS, then.record),
        "wins": NumberColumn(INTEGER, then.wins),
        "draws": NumberColumn(INTEGER, then.draws),
        "losses": NumberColumn(INTEGER, then.losses),
        "three_game_events": NumberColumn(INTEGER, then.three_game_events),
        "peak": NumberColumn(DOUBLE, then.peak),
        "age_start": NumberColumn(DOUBLE, then.age_start),
        "floor": NumberColumn(DOUBLE, then.floor),
        "rated_on": NumberColumn(DATE, then.rated_on - FIRST_DATE, missing=-FIRST_DATE),
        "last_change_id": NumberColumn(
            BIGINT, numpy.where(is_gone, NO_LINE, then.last_change), missing=NO_LINE
        ),
    }
    copy_columns(
        RunDifference._meta.db_table,
        list(columns),
        list(columns.values()),
        staged_ledger.pack_rows(),
    )
