"""Write beside the ledger what a replay gives otherwise than the ledger has it.

A calculation is kept if equal things went into it and each of its lines goes on from
a line that is kept; all others are written again for the run, and nobody sees them
before it is published.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from time import perf_counter
from typing import Any

from django.utils import timezone

from ratings.engine import ENGINE_VERSION
from ratings.engine.replay import INTERPRETED
from ratings.engine.replay.arrays import SYSTEMS
from ratings.engine.replay.chain import (
    Ends,
    columns_to_follow,
    follow,
    new_sums,
)
from ratings.models import Calculation, RatingChange, Run
from ratings.rerates.services.books import Source
from ratings.rerates.services.candidates import (
    Candidate,
    digests_of,
    read_candidates,
)
from ratings.rerates.services.compiled import Loop, loop_for
from ratings.rerates.services.ledger_columns import (
    CALCULATION_COLUMNS,
    COPIED,
    LINE_COLUMNS,
    line_columns,
    packed_column,
    picked,
)
from ratings.rerates.services.people import SYSTEM_NAMES, batches
from ratings.rerates.services.replay import Chunk, History
from ratings_site.common.database import binary_copy
from ratings_site.common.database.beside import Beside, Work
from ratings_site.common.database.binary_copy import (
    BIGINT,
    BOOLEAN,
    DATE,
    FIRST_DATE,
    SMALLINT,
    TIMESTAMP,
    Column,
    Numbers,
    Texts,
    Words,
    microseconds,
    numpy,
    squeeze,
)
from ratings_site.common.database.bulk import copy_rows
from ratings_site.common.database.fresh_storage import FreshTable, reserve_ids

IDS_AT_A_TIME = 5000
# From so many new lines on it pays to write them into a table of their own. Each such
# table makes every look into the ledger a little dearer, so small runs do without.
FRESH_FROM = 250_000
NEW = -1
Part = Callable[[], AbstractContextManager[None]]
"""A transaction in which a part of the work is written, while it is still ours."""

NewCalculation = tuple[Source, int, int, int, str]
"""A calculation to write: source, system, first row and row after the last, digest."""


@dataclass(slots=True)
class Written:
    """What a pass has done.

    *calculations* and *lines* were written in it, *kept* calculations stay as they
    are; *sums* add up all lines that the run has in the end. *retired* are current
    calculations whose source does not give them any more; those of sources that were
    *left_out* for want of a rule are counted, and keep the run from being published.
    """

    calculations: int = 0
    lines: int = 0
    kept: int = 0
    sums: array = field(default_factory=new_sums)
    retired: list[int] = field(default_factory=list)
    left_out: int = 0


@dataclass(slots=True)
class Matched:
    """A chunk's calculations beside the ledger's.

    *kept* has the candidate of each calculation that stays, None for a new one.
    """

    digests: list[str]
    candidates: list[Candidate | None]
    kept: list[bool]

    def new(self, chunk: Chunk) -> list[NewCalculation]:
        """Return the chunk's calculations that are not kept, with their digests."""
        return [
            (*calculation, digest)
            for calculation, digest, kept in zip(
                chunk.calculations(), self.digests, self.kept, strict=True
            )
            if not kept
        ]


class Shadow:
    """The run's side of one pass through history."""

    def __init__(
        self, run: Run, history: History, from_day: date | None, beside: Beside
    ) -> None:
        self.run = run
        self.history = history
        self.written = Written()
        self.candidates = read_candidates(run, from_day)
        # The primary key of the line that each row is, numbered over the whole run.
        self.lines = history.begin.lines[:]
        # The first line of each state that this run has written, 0 for none.
        self.first_changes = array("q", [0]) * (len(history.cast.ids) * SYSTEMS)
        begin = history.begin
        self._ends = Ends.beginning(begin.states, len(begin.lines))
        self._fresh: FreshTable | None = None
        # What is laid out in columns is written beside all else.
        self._beside = beside
        self._is_apart = beside.is_apart and binary_copy.is_possible()
        self._sources_left = len(history.sources)

    def write(self, chunk: Chunk, part: Part) -> None:
        """Compare a chunk with the ledger and write what is new in it."""
        began = perf_counter()
        matched = self._match(chunk)
        new = matched.new(chunk)
        self._open_fresh_table(chunk, new)
        self._sources_left -= len(chunk.sources)
        if new and self._fresh is not None and self._is_apart:
            self._write_beside(chunk, matched, new, part)
        else:
            self._write_here(chunk, matched, new, part)
        self._follow_rows(chunk, matched)
        self.written.kept += matched.kept.count(True)
        self.history.seconds.write += perf_counter() - began

    def _write_beside(
        self, chunk: Chunk, matched: Matched, new: list[NewCalculation], part: Part
    ) -> None:
        """Have all of a chunk written beside: what a dead worker leaves is whole."""
        copy_calculations, copy_lines = self._number(chunk, new)

        def write() -> None:
            with part():
                self._set_aside(matched)
                copy_calculations()
                copy_lines()

        self._beside.do(write)

    def _write_here(
        self, chunk: Chunk, matched: Matched, new: list[NewCalculation], part: Part
    ) -> None:
        """Write a chunk here, and only its lines beside, where that is possible.

        In a live table their keys are looked up one by one, which is work enough. They
        come after their calculations are there for everybody, never before.
        """
        with part():
            self._set_aside(matched)
            if not new:
                return
            copy_calculations, copy_lines = self._number(chunk, new)
            copy_calculations()
            if not self._is_apart:
                copy_lines()
        if self._is_apart:
            self._beside.do(copy_lines)

    def _match(self, chunk: Chunk) -> Matched:
        """Find what stays, and give each row of it the number of its line."""
        digests = digests_of(self.history, chunk)
        candidates = [
            self.candidates.pop((source.rank, source.pk, system), None)
            for source, system, _, _ in chunk.calculations()
        ]
        equal = [
            candidate.pk
            for candidate, digest in zip(candidates, digests, strict=True)
            if candidate and candidate.digest == digest and not candidate.is_late
        ]
        stored = _read_lines(equal)
        kept = []
        for (_, _, first, end), candidate in zip(
            chunk.calculations(), candidates, strict=True
        ):
            lines = stored.get(candidate.pk) if candidate else None
            kept.append(lines is not None and self._keep(chunk, lines, first, end))
            if not kept[-1]:
                self.lines.extend([NEW] * (end - first))
        return Matched(digests, candidates, kept)

    def _keep(
        self,
        chunk: Chunk,
        stored: dict[int, tuple[int, int | None]],
        first: int,
        end: int,
    ) -> bool:
        """Keep a calculation whose lines go on from what they went on from."""
        if len(stored) != end - first:
            return False
        rows, ids, lines = chunk.results.rows, self.history.cast.ids, self.lines
        found = []
        for row in range(first, end):
            line = stored.get(ids[rows.player[row]])
            if line is None:
                return False
            pk, previous = line
            before = rows.previous_row[row]
            if previous != (lines[before] if before >= 0 else None):
                return False
            found.append(pk)
        lines.extend(found)
        return True

    def _set_aside(self, matched: Matched) -> None:
        """Take back what this run had written for sources that now give otherwise."""
        stale = [
            candidate.pk
            for candidate, kept in zip(matched.candidates, matched.kept, strict=True)
            if candidate and candidate.is_ours and not kept
        ]
        set_aside(self.run, stale)

    def _number(self, chunk: Chunk, new: list[NewCalculation]) -> tuple[Work, Work]:
        """Number new calculations and their lines; return what copies each."""
        lines = _lines_in(new)
        if self._fresh is None:
            pks = reserve_ids(RatingChange, lines)
        else:
            pks = self._fresh.reserve(lines)
        numbers = reserve_ids(Calculation, len(new))
        new_rows, calculation_of = array("q"), array("q")
        for number, (_, _, first, end, _) in zip(numbers, new, strict=True):
            own = pks[len(new_rows) : len(new_rows) + end - first]
            place = chunk.first_row + first
            self.lines[place : place + len(own)] = array("q", own)
            new_rows.extend(range(first, end))
            calculation_of.extend([number] * len(own))
        self.written.calculations += len(new)
        self.written.lines += lines
        return (
            partial(self._copy_calculations, numbers, new),
            self._copying_of_lines(chunk, new_rows, pks, calculation_of),
        )

    def _copy_calculations(
        self, numbers: Sequence[int], calculations: list[NewCalculation]
    ) -> None:
        if binary_copy.is_possible():
            columns = self._calculation_columns(numbers, calculations)
            binary_copy.copy_columns(
                Calculation._meta.db_table,
                CALCULATION_COLUMNS,
                columns,
                self.squeeze(),
            )
            return
        now = timezone.now()
        copy_rows(
            Calculation,
            CALCULATION_COLUMNS,
            (
                self._calculation(number, source, system, digest, now)
                for number, (source, system, _, _, digest) in zip(
                    numbers, calculations, strict=True
                )
            ),
        )

    def _copying_of_lines(
        self,
        chunk: Chunk,
        new_rows: Sequence[int],
        pks: Sequence[int],
        calculation_of: Sequence[int],
    ) -> Work:
        """Return what writes the new lines by the quickest way there is."""
        if binary_copy.is_possible():
            table = self._fresh.name if self._fresh else RatingChange._meta.db_table
            columns = self._line_columns(chunk, new_rows, pks, calculation_of)
            return partial(
                binary_copy.copy_columns, table, LINE_COLUMNS, columns, self.squeeze()
            )
        lines = self._lines(chunk, new_rows, pks, calculation_of)
        if self._fresh is None:
            return partial(copy_rows, RatingChange, LINE_COLUMNS, lines)
        return partial(self._fresh.copy, LINE_COLUMNS, lines)

    def squeeze(self) -> Loop | None:
        """Return the loop that packs rows, if there is a quick one."""
        if self.history.kernel is INTERPRETED:
            return None
        return loop_for(squeeze, self.history.kernel)

    def _open_fresh_table(self, chunk: Chunk, new: list[NewCalculation]) -> None:
        """Write into a table of its own from here on, if much is still to come."""
        if self._fresh is not None or not FreshTable.is_possible():
            return
        share = _lines_in(new) / len(chunk.sources)
        if self.written.lines + share * self._sources_left < FRESH_FROM:
            return
        self._fresh = FreshTable(RatingChange, fresh_number(self.run))
        self._beside.do(self._fresh.create)()

    def _calculation(
        self, number: int, source: Source, system: int, digest: str, now: datetime
    ) -> tuple[Any, ...]:
        sources: list[int | None] = [None, None, None, None]
        sources[source.rank] = source.pk
        ends, starts = date.fromordinal(source.day), date.fromordinal(source.starts)
        return (
            number,
            self.run.pk,
            SYSTEM_NAMES[system],
            *sources,
            self.run.pass_number,
            source.version,
            ends,
            source.rank,
            starts,
            source.event_id,
            source.number,
            self.history.edition,
            starts,
            ends,
            ENGINE_VERSION,
            digest,
            False,
            False,
            now,
        )

    def _calculation_columns(
        self, numbers: Sequence[int], calculations: list[NewCalculation]
    ) -> list[Column]:
        """Return the same as columns for a binary COPY."""
        sources = [source for source, *_ in calculations]
        count = len(sources)
        ranks = numpy.array([source.rank for source in sources])
        pks = numpy.array([source.pk for source in sources])
        ends = numpy.array([source.day for source in sources]) - FIRST_DATE
        starts = numpy.array([source.starts for source in sources]) - FIRST_DATE
        none = numpy.zeros(count, int)
        return [
            Numbers(BIGINT, numbers),
            Numbers(BIGINT, numpy.full(count, self.run.pk)),
            Words(SYSTEM_NAMES, [system for _, system, *_ in calculations]),
            *(
                Numbers(BIGINT, numpy.where(ranks == rank, pks, NEW), missing=NEW)
                for rank in Calculation.Rank.values
            ),
            Numbers(SMALLINT, numpy.full(count, self.run.pass_number)),
            Numbers(SMALLINT, [source.version for source in sources]),
            Numbers(DATE, ends),
            Numbers(SMALLINT, ranks),
            Numbers(DATE, starts),
            Texts([source.event_id for source in sources]),
            Numbers(SMALLINT, [source.number for source in sources]),
            Words([self.history.edition], none),
            Numbers(DATE, starts),
            Numbers(DATE, ends),
            Words([ENGINE_VERSION], none),
            Texts([digest for *_, digest in calculations]),
            Numbers(BOOLEAN, none),
            Numbers(BOOLEAN, none),
            Numbers(TIMESTAMP, numpy.full(count, microseconds(timezone.now()))),
        ]

    def _lines(
        self,
        chunk: Chunk,
        new_rows: Sequence[int],
        pks: Sequence[int],
        calculation_of: Sequence[int],
    ) -> Iterator[tuple[Any, ...]]:
        rows, ids, lines = chunk.results.rows, self.history.cast.ids, self.lines
        before = picked(rows.previous_row, new_rows)
        return zip(
            pks,
            calculation_of,
            [ids[player] for player in picked(rows.player, new_rows)],
            [lines[row] if row >= 0 else None for row in before],
            *line_columns(rows, new_rows),
            strict=True,
        )

    def _follow_rows(self, chunk: Chunk, matched: Matched) -> None:
        """Check that each row goes on from the one before, and add up the run's own."""
        is_own = bytearray(chunk.results.rows_used)
        for (_, _, first, end), candidate, kept in zip(
            chunk.calculations(), matched.candidates, matched.kept, strict=True
        ):
            if not kept or (candidate and candidate.is_ours):
                is_own[first:end] = b"\1" * (end - first)
        self._ends.reserve(len(is_own))
        loop_for(follow, self.history.kernel)(
            *columns_to_follow(chunk.results.rows),
            is_own,
            chunk.results.counts,
            self.history.cast.ids,
            self.lines,
            *self._ends,
            self.first_changes,
            self.written.sums,
        )

    def _line_columns(
        self,
        chunk: Chunk,
        new_rows: Sequence[int],
        pks: Sequence[int],
        calculation_of: Sequence[int],
    ) -> list[Column]:
        """Return the same as columns for a binary COPY."""
        rows, wanted = chunk.results.rows, numpy.asarray(new_rows)
        players = numpy.asarray(rows.player)[wanted]
        before = numpy.asarray(rows.previous_row)[wanted]
        # Place -1, no line before, finds the last number there; it is replaced.
        previous = numpy.where(before < 0, NEW, numpy.asarray(self.lines)[before])
        return [
            Numbers(BIGINT, pks),
            Numbers(BIGINT, calculation_of),
            Numbers(BIGINT, numpy.asarray(self.history.cast.ids)[players]),
            Numbers(BIGINT, previous, missing=NEW),
            *(packed_column(rows, name, wanted) for name in COPIED),
        ]

    def index(self) -> None:
        """Index a fresh table, beside what comes next: all lines are on their way."""
        if self._fresh is not None:
            for step in self._fresh.indexing():
                self._beside.do(step)

    def finish(self, part: Part) -> None:
        """Make all lines readable, and retire what no source gives any more."""
        self._beside.wait()
        if self._fresh is not None:
            _in_parts(self._fresh.joining(), part)
        gone = list(self.candidates.values())
        with_lines = _with_lines([candidate.pk for candidate in gone])
        left_out = {(one.source.rank, one.source.pk) for one in self.history.left_out}
        with part():
            set_aside(self.run, [one.pk for one in gone if one.is_ours])
            for (*source, _), one in self.candidates.items():
                if one.is_ours or one.pk not in with_lines:
                    continue
                if tuple(source) in left_out:
                    self.written.left_out += 1
                else:
                    self.written.retired.append(one.pk)


def _lines_in(calculations: list[NewCalculation]) -> int:
    return sum(end - first for _, _, first, end, _ in calculations)


def fresh_number(run: Run) -> int:
    """Return the number of the fresh table of the run's present pass."""
    return 100 * run.pk + run.pass_number % 100


def _in_parts(steps: Iterable[Work], part: Part) -> None:
    """Take steps that others can see between."""
    for step in steps:
        with part():
            step()


def join_left_over(run: Run, part: Part) -> None:
    """Bring in what a worker that died has written in earlier passes."""
    numbers = range(100 * run.pk + 1, 100 * run.pk + run.pass_number % 100)
    for table in FreshTable.left_over(RatingChange, numbers):
        _in_parts([*table.indexing(), *table.joining()], part)


def set_aside(run: Run, calculations: list[int]) -> None:
    """Mark calculations of the run that a later pass has overtaken."""
    for batch in batches(calculations, IDS_AT_A_TIME):
        Calculation.objects.filter(pk__among=batch).update(superseded_by=run)


def _read_lines(
    calculations: list[int],
) -> dict[int, dict[int, tuple[int, int | None]]]:
    """Return the lines of calculations: per player its number and the one before."""
    stored: dict[int, dict[int, tuple[int, int | None]]] = {
        pk: {} for pk in calculations
    }
    for batch in batches(calculations, IDS_AT_A_TIME):
        lines = RatingChange.objects.filter(calculation__among=batch).order_by()
        for calculation, player, pk, previous in lines.values_list(
            "calculation_id", "player_id", "pk", "previous_id"
        ):
            stored[calculation][player] = (pk, previous)
    return stored


def _with_lines(calculations: list[int]) -> set[int]:
    found: set[int] = set()
    for batch in batches(calculations, IDS_AT_A_TIME):
        lines = RatingChange.objects.filter(calculation__among=batch).order_by()
        found.update(lines.values_list("calculation_id", flat=True).distinct())
    return found
