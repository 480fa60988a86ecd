"""Our own rules on our own books: the replay of the rerates, in memory, in columns."""

import math
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date

from django.conf import settings
from django.db.models.functions import ExtractYear

from players.models import Player
from ratings.engine.replay.arrays import NAN, SYSTEMS
from ratings.engine.replay.pairings import GAMES, ONE_SIDED, columns_to_pair, pair
from ratings.engine.variation.varying import NOTHING_VARIED, Variation
from ratings.experiments.services.beside_books import BesideBooks
from ratings.laboratory.drift import mean_and_spread
from ratings.laboratory.our_rules import (
    Control,
    Ended,
    Level,
    Members,
    Played,
    Replay,
)
from ratings.rerates.services.compiled import loop_for
from ratings.rerates.services.people import SYSTEM_NUMBER, Picked
from ratings.rerates.services.replay import (
    CHUNK_ROWS,
    Chunk,
    History,
    NotReplayable,
    read_history,
    replay_chunks,
)
from ratings.rerates.services.standings import floors_after
from ratings_site.common.database.binary_copy import numpy

ACTIVE_DAYS = 365
# So many looks at the level of all ratings, and signs of how far a replay has come.
LOOKS = 40
FEWEST_ROWS = 1000
# A packed section has so many bytes for each line that it gives, or more.
BYTES_A_LINE = 12

Sign = Callable[[float], None]
"""Is told what share of a replay is done; raising an exception ends the replay."""


@dataclass(slots=True)
class Books:
    """The sources of the books from *from_day* (None: the first) up to *last_day*.

    They are read once, and every replay of an experiment is of the same ones.
    """

    from_day: date | None
    last_day: date | None
    history: History
    rows: int

    @classmethod
    def read(
        cls, from_day: date | None = None, last_day: date | None = None
    ) -> "Books":
        history = read_history(from_day, settings.RATING_EDITION)
        if last_day is not None:
            until = last_day.toordinal()
            history.sources = [one for one in history.sources if one.day <= until]
        size = sum(
            len(one.body) for one in history.sources if isinstance(one.body, bytes)
        )
        rows = min(CHUNK_ROWS, max(FEWEST_ROWS, size // BYTES_A_LINE // LOOKS))
        return cls(from_day, last_day, history, rows)

    def members(self) -> Members:
        """Return what is known of who takes part, in the order of their numbers."""
        cast = self.history.cast
        states = [""] * len(cast.ids)
        years = array("i", [0]) * len(cast.ids)
        rows = Picked(cast.number).rows(
            Player.objects.annotate(born=ExtractYear("birth_date")).order_by(),
            "born",
            "state",
            by="pk",
        )
        for pk, born, state in rows:
            years[cast.number[pk]] = born or 0
            states[cast.number[pk]] = state
        return Members(cast.ids, years, states)


@dataclass(slots=True)
class Replayed:
    """What one replay gave. *control* is there if it was laid beside the books."""

    replay: Replay
    played: Played
    one_sided: int = 0
    control: Control | None = None


def replay_books(
    books: Books,
    varied: Variation = NOTHING_VARIED,
    *,
    label: str = "",
    system: str = "OTBR",
    beside: bool = False,
    sign: Sign = lambda done: None,
) -> Replayed:
    """Replay the books under *varied* rules; with *beside*, compare with the ledger.

    Predictions and ratings are those of one *system*; all six are replayed. Raises
    NotReplayable if a section needs a rule that is not known for its day and that the
    unchanged rules do not need, too.
    """
    history = books.history.again(varied)
    ledger = BesideBooks(books.from_day, books.last_day) if beside else None
    kept = _Kept(SYSTEM_NUMBER[system])
    seen = 0
    for chunk in replay_chunks(history, rows=books.rows):
        if ledger is not None:
            ledger.compare(history, chunk)
        kept.take(history, chunk, seen)
        seen += len(chunk.sources)
        sign(seen / len(history.sources))
    if varied and history.left_out:
        _refuse_what_lacks_a_rule(books, history)
    replay = Replay(
        label=label,
        varied=varied,
        predictions=kept.predictions,
        one_ratings=kept.one_ratings,
        other_ratings=kept.other_ratings,
        ended=_ended(history, SYSTEM_NUMBER[system]),
        levels=tuple(kept.levels),
    )
    control = ledger.control() if ledger is not None else None
    return Replayed(replay, kept.played, kept.one_sided, control)


def _refuse_what_lacks_a_rule(books: Books, history: History) -> None:
    """Raise NotReplayable for what only the varied rules cannot rate."""
    unchanged = books.history.again()
    for _chunk in replay_chunks(unchanged, rows=books.rows):
        pass
    known = {(one.source.rank, one.source.pk) for one in unchanged.left_out}
    for one in history.left_out:
        if (one.source.rank, one.source.pk) not in known:
            raise NotReplayable(one)


@dataclass(slots=True)
class _Kept:
    """The columns of a replay in one system, chunk after chunk."""

    system: int
    played: Played = field(default_factory=Played.empty)
    predictions: array = field(default_factory=lambda: array("d"))
    one_ratings: array = field(default_factory=lambda: array("f"))
    other_ratings: array = field(default_factory=lambda: array("f"))
    levels: list[Level] = field(default_factory=list)
    one_sided: int = 0
    bonus_points: float = 0.0

    def take(self, history: History, chunk: Chunk, seen: int) -> None:
        """Take a chunk's games; *seen* sources came before it."""
        program = chunk.program
        games = len(program.sides.half_points) // 2
        columns, out, counts = columns_to_pair(
            program, chunk.results, self.system, games
        )
        loop_for(pair, history.kernel)(*columns)
        used = counts[GAMES]
        self.one_sided += counts[ONE_SIDED]
        self.played.one.extend(out.one[:used])
        self.played.other.extend(out.other[:used])
        self.played.half_points.extend(out.half_points[:used])
        self.played.day.extend(out.day[:used])
        self.played.evidence.extend(out.evidence[:used])
        self.played.section.extend(_from(out.item[:used], seen))
        self.predictions.extend(out.prediction[:used])
        self.one_ratings.extend(_single(out.one_rating[:used]))
        self.other_ratings.extend(_single(out.other_rating[:used]))
        self._look(history, chunk)

    def _look(self, history: History, chunk: Chunk) -> None:
        """Look at the ratings of who played in the year up to the chunk's end."""
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
        if active:
            mean, spread = mean_and_spread(active)
            self.levels.append(Level(day, len(active), mean, spread, self.bonus_points))


def _from(items: array, seen: int) -> array:
    if numpy is None:
        return array("i", [seen + item for item in items])
    return array("i", (numpy.asarray(items) + seen).astype("i4").tobytes())


def _single(ratings: array) -> array:
    if numpy is None:
        return array("f", ratings)
    return array("f", numpy.asarray(ratings).astype("f4").tobytes())


def _ended(history: History, system: int) -> Ended:
    states = history.world.states
    return Ended(
        rating=states.rating[system::SYSTEMS],
        games=states.games[system::SYSTEMS],
        peak=states.peak[system::SYSTEMS],
        floor=array("d", _floors(history, system)),
        rated_on=states.rated_on[system::SYSTEMS],
    )


def _floors(history: History, system: int) -> Iterator[float]:
    """Yield the floor of each member, NaN for who is unrated."""
    rating = history.world.states.rating
    for state, floor in enumerate(floors_after(history)):
        if state % SYSTEMS == system:
            yield floor if rating[state] == rating[state] else NAN
