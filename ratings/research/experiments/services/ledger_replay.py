"""Our own rules on our own ledger: the replay of the rerates, in memory."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date

from django.conf import settings
from django.db.models.functions import ExtractYear

from players.models import Player
from ratings.engine.replay.arrays import NAN, SYSTEMS
from ratings.engine.replay.pairings import GAMES, ONE_SIDED, pair, pairing_columns
from ratings.engine.variation.variations import NO_VARIATION, Variation
from ratings.laboratory.drift import mean_and_spread
from ratings.laboratory.our_rules import (
    Control,
    FinalStandings,
    Level,
    Members,
    RatedGames,
    Replay,
)
from ratings.rerates.services.kernel_compiler import loop_for
from ratings.rerates.services.players import SYSTEM_NUMBER, read_rows_of
from ratings.rerates.services.rating_differences import replayed_floors
from ratings.rerates.services.replay import (
    CHUNK_ROWS,
    Chunk,
    History,
    NotReplayable,
    read_history,
    replay_chunks,
)
from ratings.research.experiments.services.ledger_comparison import LedgerComparison
from ratings_site.common.db.binary_copy import numpy

ACTIVE_DAYS = 365
# The number of rating levels recorded, and of progress updates, in a replay.
CHECKPOINTS = 40
MIN_ROWS = 1000
# The fewest bytes of a packed section per line in the ledger.
BYTES_PER_LINE = 12

ProgressCallback = Callable[[float], None]
"""Is told what share of a replay is done; raising an exception ends the replay."""


@dataclass(slots=True)
class LedgerSources:
    """The sources of the ledger from *from_day* (None: the first) up to *last_day*.

    They are read once for all replays of an experiment.
    """

    from_day: date | None
    last_day: date | None
    history: History
    rows: int

    @classmethod
    def read(
        cls, from_day: date | None = None, last_day: date | None = None
    ) -> LedgerSources:
        history = read_history(from_day, settings.RATING_EDITION)
        if last_day is not None:
            until = last_day.toordinal()
            history.sources = [one for one in history.sources if one.day <= until]
        size = sum(
            len(one.body) for one in history.sources if isinstance(one.body, bytes)
        )
        rows = min(CHUNK_ROWS, max(MIN_ROWS, size // BYTES_PER_LINE // CHECKPOINTS))
        return cls(from_day, last_day, history, rows)

    def members(self) -> Members:
        """Return the facts about the members, in the order of their numbers."""
        player_index = self.history.player_index
        states = [""] * len(player_index.ids)
        years = array("i", [0]) * len(player_index.ids)
        players = Player.objects.annotate(born=ExtractYear("birth_date")).order_by()
        rows = read_rows_of(players, player_index.number, "born", "state", by="pk")
        for pk, born, state in rows:
            years[player_index.number[pk]] = born or 0
            states[player_index.number[pk]] = state
        return Members(player_index.ids, years, states)


@dataclass(slots=True)
class ReplayOutput:
    """The output of one replay. *control* is set if it was compared with the ledger."""

    replay: Replay
    played: RatedGames
    one_sided: int = 0
    control: Control | None = None


def replay_ledger(
    sources: LedgerSources,
    variation: Variation = NO_VARIATION,
    *,
    label: str = "",
    system: str = "OTBR",
    compare_ledger: bool = False,
    sign: ProgressCallback = lambda done: None,
) -> ReplayOutput:
    """Replay the ledger under *variation* rules, and optionally compare with it.

    Predictions and ratings are those of one *system*; all six are replayed. Raises
    NotReplayable if a section needs a rule that is not known for its day and that the
    unchanged rules do not need, too.
    """
    history = sources.history.again(variation)
    ledger = (
        LedgerComparison(sources.from_day, sources.last_day) if compare_ledger else None
    )
    kept = _ReplayColumns(SYSTEM_NUMBER[system])
    seen = 0
    for chunk in replay_chunks(history, rows=sources.rows):
        if ledger is not None:
            ledger.compare(history, chunk)
        kept.take(history, chunk, seen)
        seen += len(chunk.sources)
        sign(seen / len(history.sources))
    if variation and history.left_out:
        _check_rules_in_force(sources, history)
    replay = Replay(
        label=label,
        variation=variation,
        predictions=kept.predictions,
        one_ratings=kept.one_ratings,
        other_ratings=kept.other_ratings,
        ended=_ended(history, SYSTEM_NUMBER[system]),
        levels=tuple(kept.levels),
    )
    control = ledger.control() if ledger is not None else None
    return ReplayOutput(replay, kept.played, kept.one_sided, control)


def _check_rules_in_force(sources: LedgerSources, history: History) -> None:
    """Raise NotReplayable for sources that only the varied rules cannot rate."""
    unchanged = sources.history.again()
    for _chunk in replay_chunks(unchanged, rows=sources.rows):
        pass
    known = {(one.source.rank, one.source.pk) for one in unchanged.left_out}
    for one in history.left_out:
        if (one.source.rank, one.source.pk) not in known:
            raise NotReplayable(one)


@dataclass(slots=True)
class _ReplayColumns:
    """The columns of a replay in one system, chunk after chunk."""

    system: int
    played: RatedGames = field(default_factory=RatedGames.empty)
    predictions: array[float] = field(default_factory=lambda: array("d"))
    one_ratings: array[float] = field(default_factory=lambda: array("f"))
    other_ratings: array[float] = field(default_factory=lambda: array("f"))
    levels: list[Level] = field(default_factory=list)
    one_sided: int = 0
    bonus_points: float = 0.0

    def take(self, history: History, chunk: Chunk, seen: int) -> None:
        """Take a chunk's games; *seen* sources came before it."""
        program = chunk.program
        games = len(program.sides.half_points) // 2
        columns, out, counts = pairing_columns(
            program, chunk.results, self.system, games
        )
        loop_for(pair, history.kernel)(*columns)
        used = counts[GAMES]
        self.one_sided += counts[ONE_SIDED]
        for name in ("one", "other", "half_points", "day", "evidence"):
            getattr(self.played, name).extend(getattr(out, name)[:used])
        self.played.section.extend(_from(out.item[:used], seen))
        self.predictions.extend(out.prediction[:used])
        self.one_ratings.extend(_single(out.one_rating[:used]))
        self.other_ratings.extend(_single(out.other_rating[:used]))
        self._record_level(history, chunk)

    def _record_level(self, history: History, chunk: Chunk) -> None:
        """Record the level of members who played in the year up to the chunk's end."""
        rows, used = chunk.results.rows, chunk.results.rows_used
        bonuses = [
            bonus
            for bonus, system in zip(rows.bonus[:used], rows.system[:used], strict=True)
            if system == self.system and bonus > 0
        ]
        self.bonus_points = math.fsum([self.bonus_points, *bonuses])
        if not chunk.sources:
            return
        day = chunk.sources[-1].day
        states = history.world.states
        rated_on = states.rated_on[self.system :: SYSTEMS]
        rating = states.rating[self.system :: SYSTEMS]
        active = [
            points
            for points, on in zip(rating, rated_on, strict=True)
            if on > day - ACTIVE_DAYS and points == points
        ]
        mean, spread = mean_and_spread(active)
        if mean is not None and spread is not None:
            self.levels.append(Level(day, len(active), mean, spread, self.bonus_points))


def _from(items: array[int], seen: int) -> array[int]:
    if numpy is None:
        return array("i", [seen + item for item in items])
    return array("i", (numpy.asarray(items) + seen).astype("i4").tobytes())


def _single(ratings: array[float]) -> array[float]:
    if numpy is None:
        return array("f", ratings)
    return array("f", numpy.asarray(ratings).astype("f4").tobytes())


def _ended(history: History, system: int) -> FinalStandings:
    states = history.world.states
    return FinalStandings(
        rating=states.rating[system::SYSTEMS],
        games=states.games[system::SYSTEMS],
        peak=states.peak[system::SYSTEMS],
        floor=array("d", _floors(history, system)),
        rated_on=states.rated_on[system::SYSTEMS],
    )


def _floors(history: History, system: int) -> Iterator[float]:
    """Yield the floor of each member, NaN if unrated."""
    rating = history.world.states.rating
    for state, floor in enumerate(replayed_floors(history)):
        if state % SYSTEMS == system:
            yield floor if rating[state] == rating[state] else NAN
