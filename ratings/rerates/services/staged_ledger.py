"""Write the differences between a replay and the ledger, without publishing them.

A calculation is kept if its inputs are equal and each of its lines continues a line
that is kept; all others are written again for the run, and are not visible before it is
published.
"""

from array import array
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from time import perf_counter
from typing import Any

from ratings.engine.replay import INTERPRETED
from ratings.engine.replay.arrays import SYSTEMS
from ratings.engine.replay.chain import (
    ChainEnds,
    chain_columns,
    check_chain,
    new_sums,
)
from ratings.models import Calculation, RatingChange, Run
from ratings.rerates.services.kernel_compiler import Loop, loop_for
from ratings.rerates.services.ledger_columns import (
    NEW,
    Candidate,
    NewCalculation,
    calculation_columns,
    chunk_digests,
    new_line_columns,
    read_candidates,
)
from ratings.rerates.services.players import batches
from ratings.rerates.services.replay import Chunk, History
from ratings_site.common.db.binary_copy import pack_rows, write_columns
from ratings_site.common.db.bulk import analyze_columns, check_foreign_keys
from ratings_site.common.db.parallel import (
    MAX_PENDING,
    ParallelConnections,
    Result,
    Work,
)
from ratings_site.common.db.staging_table import StagingTable, reserve_ids

# From so many new lines on a staging table pays. Each such table slows every query of
# the ledger down a little, so small runs write to the ledger itself.
STAGING_TABLE_MIN_LINES = 250_000
LEDGER = RatingChange._meta.db_table
TransactionFactory = Callable[[], AbstractContextManager[None]]
"""A transaction in which a part of the work is written, while it is still ours."""


@dataclass(slots=True)
class PassResult:
    """The result of a pass.

    *calculations* and *lines* were written in it, *kept* calculations do not change;
    *sums* add up all lines that the run has in the end. *retired* are current
    calculations whose source does not give them any more; sources that were *left_out*
    for an unknown rule are counted, and keep the run from being published.
    """

    calculations: int = 0
    lines: int = 0
    kept: int = 0
    sums: "array[Any]" = field(default_factory=new_sums)
    retired: list[int] = field(default_factory=list)
    left_out: int = 0


@dataclass(slots=True)
class MatchedChunk:
    """A chunk's calculations, matched with the ledger's.

    *kept* has the candidate of each calculation that is kept, None for a new one.
    """

    digests: list[str]
    candidates: list[Candidate | None]
    kept: list[bool]

    def new(self, chunk: Chunk) -> list[NewCalculation]:
        """Return the chunk's calculations that are not kept, with their digests."""
        return [
            (*calculation, digest)
            for calculation, digest, kept in zip(
                chunk.calculations, self.digests, self.kept, strict=True
            )
            if not kept
        ]


class StagedLedger:
    """Writes the calculations and lines of one pass through history."""

    def __init__(
        self,
        run: Run,
        history: History,
        from_day: date | None,
        parallel: ParallelConnections,
    ) -> None:
        self.run = run
        self.history = history
        self.written = PassResult()
        self.candidates = read_candidates(run, from_day)
        # The primary key of the line of each row, numbered over the whole run.
        self.lines = history.begin.lines[:]
        # The first line of each state that this run has written, 0 for none.
        self.first_changes = array("q", [0]) * (len(history.player_index.ids) * SYSTEMS)
        begin = history.begin
        self._ends = ChainEnds.beginning(begin.states, len(begin.lines))
        self._fresh: StagingTable | None = None
        self._parallel = parallel
        self._copied: list[Result[None]] = []
        self._indexed: list[Result[None]] = []
        self._sources_left = len(history.sources)

    def write(self, chunk: Chunk, part: TransactionFactory) -> None:
        """Compare a chunk with the ledger and write its new calculations."""
        began = perf_counter()
        matched = self._match(chunk)
        new = matched.new(chunk)
        self._open_staging_table(chunk, new)
        self._sources_left -= len(chunk.sources)
        if new and self._parallel.is_parallel:
            write = self._number(chunk, new)
            self._copied.append(
                self._parallel.do(partial(self._write_part, part, matched, write))
            )
            self._parallel.wait(MAX_PENDING)
        else:
            # On SQLite keys are reserved by the transaction that uses them.
            self._write_part(part, matched, lambda: self._number(chunk, new)())
        self._follow_rows(chunk, matched)
        self.written.kept += matched.kept.count(True)
        self.history.seconds.write += perf_counter() - began

    def _write_part(
        self, part: TransactionFactory, matched: MatchedChunk, write: Work
    ) -> None:
        """Write a chunk in one piece, in case the worker dies."""
        with part():
            write()
            self._supersede(matched)
            if self._parallel.is_parallel:
                # Not at commit: by then the other connection waits for it.
                check_foreign_keys()

    def _match(self, chunk: Chunk) -> MatchedChunk:
        """Find the calculations to keep, and map each of their rows to its line."""
        digests = chunk_digests(self.history, chunk)
        candidates = [
            self.candidates.pop((source.rank, source.pk, system), None)
            for source, system, _, _ in chunk.calculations
        ]
        equal = [
            candidate.pk
            for candidate, digest in zip(candidates, digests, strict=True)
            if candidate and candidate.digest == digest and not candidate.is_late
        ]
        stored = read_lines(equal)
        kept = []
        for (_, _, first, end), candidate in zip(
            chunk.calculations, candidates, strict=True
        ):
            lines = stored.get(candidate.pk) if candidate else None
            kept.append(lines is not None and self._keep(chunk, lines, first, end))
            if not kept[-1]:
                self.lines.extend([NEW] * (end - first))
        return MatchedChunk(digests, candidates, kept)

    def _keep(
        self, chunk: Chunk, stored: dict[int, tuple[Any, ...]], first: int, end: int
    ) -> bool:
        """Keep a calculation whose lines continue the same lines as before."""
        if len(stored) != end - first:
            return False
        rows, ids, lines = chunk.results.rows, self.history.player_index.ids, self.lines
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

    def _supersede(self, matched: MatchedChunk) -> None:
        """Supersede calculations of this run whose sources now give others."""
        stale = [
            candidate.pk
            for candidate, kept in zip(matched.candidates, matched.kept, strict=True)
            if candidate and candidate.is_ours and not kept
        ]
        supersede(self.run, stale)

    def _number(self, chunk: Chunk, new: list[NewCalculation]) -> Work:
        """Reserve keys for new calculations and lines; return how to copy them."""
        if not new:
            return lambda: None
        lines = _lines_in(new)
        if self._fresh is None:
            pks = reserve_ids(RatingChange, lines)
        else:
            pks = self._fresh.reserve(lines)
        numbers = reserve_ids(Calculation, len(new))
        calculation_of = array("q")
        for number, (_, _, first, end, _) in zip(numbers, new, strict=True):
            calculation_of.extend(array("q", [number]) * (end - first))
        new_rows = array("q")
        for first, end in _stretches(new):
            own = pks[len(new_rows) : len(new_rows) + end - first]
            place = chunk.first_row + first
            self.lines[place : place + len(own)] = array("q", own)
            new_rows.extend(array("q", range(first, end)))
        self.written.calculations += len(new)
        self.written.lines += lines
        columns = new_line_columns(
            chunk.results.rows,
            new_rows,
            pks,
            calculation_of,
            self.history.player_index.ids,
            self.lines,
        )
        made = calculation_columns(self.run, self.history.edition, numbers, new)
        pack, table = self.pack_rows(), self._fresh.name if self._fresh else LEDGER

        def write() -> None:
            write_columns(Calculation, made, pack_rows=pack)
            write_columns(RatingChange, columns, table=table, pack_rows=pack)

        return write

    def pack_rows(self) -> Loop | None:
        """Return the compiled loop that packs rows, if there is one."""
        if self.history.kernel is INTERPRETED:
            return None
        return loop_for(pack_rows, self.history.kernel)

    def _open_staging_table(self, chunk: Chunk, new: list[NewCalculation]) -> None:
        """Write into a staging table from here on, if much is still to come."""
        if self._fresh is not None or not StagingTable.is_possible():
            return
        share = _lines_in(new) / len(chunk.sources)
        if self.written.lines + share * self._sources_left < STAGING_TABLE_MIN_LINES:
            return
        self._fresh = StagingTable(RatingChange, staging_table_number(self.run))
        self._parallel.do(self._fresh.create)()

    def _follow_rows(self, chunk: Chunk, matched: MatchedChunk) -> None:
        """Check that each row continues the one before, and add up the run's own."""
        is_own = bytearray(b"\1") * chunk.results.rows_used
        for (_, _, first, end), candidate, kept in zip(
            chunk.calculations, matched.candidates, matched.kept, strict=True
        ):
            if kept and candidate and not candidate.is_ours:
                is_own[first:end] = bytes(end - first)
        self._ends.reserve(len(is_own))
        loop_for(check_chain, self.history.kernel)(
            *chain_columns(chunk.results.rows),
            is_own,
            chunk.results.counts,
            self.history.player_index.ids,
            self.lines,
            *self._ends,
            self.first_changes,
            self.written.sums,
        )

    @property
    def ledger(self) -> str:
        """The SQL to read the run's lines from, before and after `join`."""
        return self._fresh.union_sql if self._fresh else LEDGER

    def finish(self, part: TransactionFactory) -> Result[None]:
        """Make all lines readable in `ledger`; retire calculations without a source.

        Nothing waits here for pending copies: the work is done in parallel. Returns a
        function that waits for it. Reading all lines needs no index, so a staging table
        gets its indexes meanwhile.
        """
        done = self._copied
        if self._fresh is not None:
            for step in (*self._fresh.foreign_key_steps(), self._analyze):
                done = [self._parallel.do(partial(_run_step, step, part), after=done)]
        finished = self._parallel.do(partial(self._retire, part), after=done)
        if self._fresh is not None:
            index_steps = self._fresh.index_steps()
            self._indexed = [
                self._parallel.do(step, [finished]) for step in index_steps
            ]
        return finished

    def _analyze(self) -> None:
        if self._fresh is not None:
            self._fresh.analyze()
        analyze_calculations()

    def join(self, part: TransactionFactory) -> None:
        """Attach the staging table to the ledger, once no query reads it by name."""
        if self._fresh is not None:
            join = partial(_run_step, self._fresh.join, part)
            self._parallel.do(join, after=self._indexed)()

    def _retire(self, part: TransactionFactory) -> None:
        gone = list(self.candidates.values())
        with_lines = _with_lines([candidate.pk for candidate in gone])
        left_out = {(one.source.rank, one.source.pk) for one in self.history.left_out}
        with part():
            supersede(self.run, [one.pk for one in gone if one.is_ours])
            for (*source, _), one in self.candidates.items():
                if one.is_ours or one.pk not in with_lines:
                    continue
                if tuple(source) in left_out:
                    self.written.left_out += 1
                else:
                    self.written.retired.append(one.pk)


def _lines_in(calculations: list[NewCalculation]) -> int:
    return sum(end - first for _, _, first, end, _ in calculations)


def _stretches(calculations: list[NewCalculation]) -> Iterator[tuple[int, int]]:
    """Yield first row and row after the last where calculations follow each other."""
    begin = after = 0
    for _, _, first, end, _ in calculations:
        if first != after:
            yield begin, after
            begin = first
        after = end
    yield begin, after


def staging_table_number(run: Run) -> int:
    """Return the number of the staging table of the run's current pass."""
    return 100 * run.pk + run.pass_number % 100


def analyze_calculations() -> None:
    """Have PostgreSQL analyze calculations after many have changed.

    Otherwise it estimates no rows for a new run. With statistics from before the flags
    moved, it estimates that no calculation is current: reading a late report's window
    then takes a minute and a half.
    """
    sought = ("run_id", "superseded_by_id", "section_id", "system", "is_current")
    analyze_columns(Calculation._meta.db_table, (*sought, "order_date"))


def _run_step(step: Work, part: TransactionFactory) -> None:
    """Run a step and commit it before the next."""
    with part():
        step()


def merge_leftover_tables(run: Run, part: TransactionFactory) -> None:
    """Attach the staging tables of a worker that died in earlier passes."""
    numbers = range(100 * run.pk + 1, 100 * run.pk + run.pass_number % 100)
    for table in StagingTable.find_unattached(RatingChange, numbers):
        for step in table.finishing_steps():
            _run_step(step, part)


def supersede(run: Run, calculations: list[int]) -> None:
    """Mark calculations of the run as superseded by a later pass."""
    for batch in batches(calculations):
        Calculation.objects.filter(pk__in_array=batch).update(superseded_by=run)


def read_lines(
    calculations: list[int], *columns: str
) -> dict[int, dict[int, tuple[Any, ...]]]:
    """Return the lines of calculations by player: key, key before, and *columns*."""
    stored: dict[int, dict[int, tuple[Any, ...]]] = {pk: {} for pk in calculations}
    for batch in batches(calculations):
        lines = RatingChange.objects.filter(calculation__in_array=batch).order_by()
        for row in lines.values_list(
            "calculation_id", "player_id", "pk", "previous_id", *columns
        ):
            stored[row[0]][row[1]] = row[2:]
    return stored


def _with_lines(calculations: list[int]) -> set[int]:
    found: set[int] = set()
    for batch in batches(calculations):
        lines = RatingChange.objects.filter(calculation__in_array=batch).order_by()
        found.update(lines.values_list("calculation_id", flat=True).distinct())
    return found
