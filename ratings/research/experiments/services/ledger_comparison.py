"""Compare a replay of the unchanged rules with the ledger, line by line."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from ratings.laboratory.our_rules import Control
from ratings.models import Calculation, RatingChange
from ratings.rerates.services.audit import named
from ratings.rerates.services.ledger_columns import (
    COPIED,
    STORED_WORDS,
    line_columns,
    read_candidates,
)
from ratings.rerates.services.replay import Chunk, History
from ratings.rerates.services.sources import Source
from ratings.rerates.services.staged_ledger import read_lines
from ratings.rerates.services.start import earliest_pending_day
from ratings_site.common.db.binary_copy import (
    is_possible,
    numpy,
    read_columns,
    word_index,
)

MAX_FAULTS = 20


class LedgerComparison:
    """Compares the chunks of a replay with the current lines of the ledger.

    Lines count from *from_day* (None: from the first on) up to *last_day*.
    """

    def __init__(self, from_day: date | None, last_day: date | None = None) -> None:
        self._candidates = {
            key: one.pk for key, one in read_candidates(None, from_day).items()
        }
        if last_day is not None:
            later = Calculation.objects.filter(is_current=True, order_date__gt=last_day)
            left = set(later.values_list("pk", flat=True).iterator())
            self._candidates = {
                key: pk for key, pk in self._candidates.items() if pk not in left
            }
        marked = earliest_pending_day()
        self._is_waiting = marked is not None and (
            last_day is None or marked <= last_day
        )
        self._lines = self._equal = 0
        self._faults: list[str] = []

    def compare(self, history: History, chunk: Chunk) -> None:
        """Compare the lines that a chunk gives with those of the same calculations."""
        calculations = chunk.calculations
        stored = [
            self._candidates.pop((source.rank, source.pk, system), None)
            for source, system, _, _ in calculations
        ]
        if is_possible():
            self._compare_columns(history, chunk, calculations, stored)
        else:
            self._compare_rows(history, chunk, calculations, stored)

    def control(self) -> Control:
        """Return how ledger and replay agree; lines that only the ledger has count.

        Call it after the whole history is replayed.
        """
        left = sorted(self._candidates.values())
        only = RatingChange.objects.filter(calculation__in_array=left).count()
        if only:
            self._lines += only
            self._fault(
                f"{only:,} rating changes on record are missing from the replay."
            )
        return Control(
            self._lines, self._equal, tuple(self._faults), is_waiting=self._is_waiting
        )

    def _fault(self, sentence: str) -> None:
        if len(self._faults) < MAX_FAULTS:
            self._faults.append(sentence)

    def _compare_rows(
        self,
        history: History,
        chunk: Chunk,
        calculations: Sequence[tuple[Source, int, int, int]],
        stored: Sequence[int | None],
    ) -> None:
        lines = read_lines([pk for pk in stored if pk is not None], *COPIED)
        columns = chunk.results.rows
        rows = list(
            zip(*line_columns(columns, range(chunk.results.rows_used)), strict=True)
        )
        for (source, system, first, end), pk in zip(calculations, stored, strict=True):
            theirs = lines.get(pk, {}) if pk is not None else {}
            differing = 0
            for row in range(first, end):
                line = theirs.pop(history.player_index.ids[columns.player[row]], None)
                differing += line is None or line[2:] != rows[row]
            self._count(source, system, end - first, differing, len(theirs))

    def _count(
        self, source: Source, system: int, lines: int, differing: int, only: int
    ) -> None:
        self._lines += lines + only
        self._equal += lines - differing
        if differing or only:
            self._fault(
                f"{named(source, system)}: {differing + only} of {lines + only} rating "
                "changes differ."
            )

    def _compare_columns(
        self,
        history: History,
        chunk: Chunk,
        calculations: Sequence[tuple[Source, int, int, int]],
        stored: Sequence[int | None],
    ) -> None:
        """Do the same by numpy, with the ledger's lines read by COPY."""
        used, columns = chunk.results.rows_used, chunk.results.rows
        first_row = numpy.asarray(chunk.results.calculations.first_row)
        per_calculation = numpy.diff(first_row[: len(calculations) + 1])
        # A calculation that the ledger lacks gets its own number below 0.
        numbers = numpy.array(
            [-place - 1 if pk is None else pk for place, pk in enumerate(stored)],
            numpy.int64,
        )
        calculation = numpy.repeat(numbers, per_calculation)
        player = numpy.asarray(history.player_index.ids)[
            numpy.asarray(columns.player)[:used]
        ]
        books = _ledger_columns([pk for pk in stored if pk is not None])
        ours = numpy.lexsort((player, calculation))
        theirs = numpy.lexsort((books[1], books[0]))
        keys = numpy.stack([calculation[ours], player[ours]], axis=1)
        their_keys = numpy.stack([books[0][theirs], books[1][theirs]], axis=1)
        if keys.shape == their_keys.shape and (keys == their_keys).all():
            same = self._same(columns, ours, books, theirs)
            self._lines += used
            self._equal += int(same.sum())
            at_fault = numpy.unique(calculation[ours][~same])
        else:
            at_fault = self._compare_pairs(
                columns, keys, ours, books, their_keys, theirs
            )
        for number in at_fault[:MAX_FAULTS].tolist():
            place = int(numpy.flatnonzero(numbers == number)[0])
            source, system, *_ = calculations[place]
            self._fault(f"{named(source, system)}: rating changes differ.")

    def _compare_pairs(
        self,
        columns: Any,
        keys: Any,
        ours: Any,
        books: Any,
        their_keys: Any,
        theirs: Any,
    ) -> Any:
        """Compare lines that both have; return the calculations that differ."""
        pairs = keys.dtype.descr[0][1]
        kind = numpy.dtype([("calculation", pairs), ("player", pairs)])
        one = numpy.ascontiguousarray(keys).view(kind).ravel()
        other = numpy.ascontiguousarray(their_keys).view(kind).ravel()
        _, in_one, in_other = numpy.intersect1d(
            one, other, assume_unique=True, return_indices=True
        )
        same = self._same(columns, ours[in_one], books, theirs[in_other])
        self._lines += len(one) + len(other) - len(in_one)
        self._equal += int(same.sum())
        missing = numpy.ones(len(one), bool)
        missing[in_one[same]] = False
        return numpy.unique(keys[missing, 0])

    def _same(self, columns: Any, ours: Any, books: Any, theirs: Any) -> Any:
        """Return for each pair of lines whether all columns have the same bits."""
        same = numpy.ones(len(ours), bool)
        for number, name in enumerate(COPIED, start=2):
            mine = numpy.asarray(getattr(columns, name))[ours]
            stored = books[number][theirs].astype(mine.dtype)
            if mine.dtype == numpy.float64:
                equal = mine.view("i8") == stored.view("i8")
                equal |= numpy.isnan(mine) & numpy.isnan(stored)
            else:
                equal = mine == stored
            same &= equal
        return same


def _ledger_columns(calculations: Iterable[int]) -> list[Any]:
    """Return the lines of these calculations: calculation, player, then `COPIED`."""
    fields = (
        word_index(STORED_WORDS[name], name) if name in STORED_WORDS else name
        for name in COPIED
    )
    codes = "".join("d" if _is_float(name) else "i" for name in COPIED)
    lines = RatingChange.objects.filter(calculation__in_array=calculations).order_by()
    query = lines.values_list("calculation_id", "player_id", *fields).query
    columns = read_columns(*query.sql_with_params(), f"qq{codes}")
    return list(map(numpy.asarray, columns))


def _is_float(name: str) -> bool:
    return RatingChange._meta.get_field(name).get_internal_type() == "FloatField"
