"""Write beside the ledger what a replay gives otherwise than the ledger has it.

A calculation is kept if equal things went into it and each of its lines goes on from
a line that is kept; all others are written again for the run, and nobody sees them
before it is published.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from time import perf_counter

from ratings.engine.replay import INTERPRETED
from ratings.engine.replay.arrays import SYSTEMS
from ratings.engine.replay.chain import (
    Ends,
    columns_to_follow,
    follow,
    new_sums,
)
from ratings.models import Calculation, RatingChange, Run
from ratings.rerates.services.candidates import (
    Candidate,
    digests_of,
    read_candidates,
)
from ratings.rerates.services.compiled import Loop, loop_for
from ratings.rerates.services.ledger_columns import CALCULATION_COLUMNS, LINE_COLUMNS
from ratings.rerates.services.ledger_rows import (
    NEW,
    NewCalculation,
    NewCalculations,
    NewLines,
)
from ratings.rerates.services.people import batches
from ratings.rerates.services.replay import Chunk, History
from ratings_site.common.database import binary_copy
from ratings_site.common.database.beside import MOST_WAITING, Answer, Beside, Work
from ratings_site.common.database.binary_copy import squeeze
from ratings_site.common.database.bulk import (
    check_keys,
    copy_columns,
    copy_rows,
    look_at_columns,
    rows_of,
)
from ratings_site.common.database.fresh_storage import FreshTable, reserve_ids

IDS_AT_A_TIME = 5000
# From so many new lines on it pays to write them into a table of their own. Each such
# table makes every look into the ledger a little dearer, so small runs do without.
FRESH_FROM = 250_000
LEDGER = RatingChange._meta.db_table
Part = Callable[[], AbstractContextManager[None]]
"""A transaction in which a part of the work is written, while it is still ours."""


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
                chunk.calculations, self.digests, self.kept, strict=True
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
        self._copied: list[Answer[None]] = []
        self._indexed: list[Answer[None]] = []
        self._sources_left = len(history.sources)

    def write(self, chunk: Chunk, part: Part) -> None:
        """Compare a chunk with the ledger and write what is new in it."""
        began = perf_counter()
        matched = self._match(chunk)
        new = matched.new(chunk)
        self._open_fresh_table(chunk, new)
        self._sources_left -= len(chunk.sources)
        if new and self._is_apart:
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
                copy_calculations()
                copy_lines()
                self._set_aside(matched)
                # Not when it commits: by then the other lane waits for it.
                check_keys()

        self._copied.append(self._beside.do(write))
        self._beside.wait(MOST_WAITING)

    def _write_here(
        self, chunk: Chunk, matched: Matched, new: list[NewCalculation], part: Part
    ) -> None:
        with part():
            self._set_aside(matched)
            if new:
                copy_calculations, copy_lines = self._number(chunk, new)
                copy_calculations()
                copy_lines()

    def _match(self, chunk: Chunk) -> Matched:
        """Find what stays, and give each row of it the number of its line."""
        digests = digests_of(self.history, chunk)
        candidates = [
            self.candidates.pop((source.rank, source.pk, system), None)
            for source, system, _, _ in chunk.calculations
        ]
        equal = [
            candidate.pk
            for candidate, digest in zip(candidates, digests, strict=True)
            if candidate and candidate.digest == digest and not candidate.is_late
        ]
        stored = _read_lines(equal)
        kept = []
        for (_, _, first, end), candidate in zip(
            chunk.calculations, candidates, strict=True
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
        new_lines = NewLines(
            rows_of_chunk=chunk.results.rows,
            wanted=new_rows,
            pks=pks,
            calculation_of=calculation_of,
            ids=self.history.cast.ids,
            lines=self.lines,
        )
        return (
            partial(self._copy_calculations, numbers, new),
            self._copying_of(new_lines),
        )

    def _copy_calculations(
        self, numbers: Sequence[int], calculations: list[NewCalculation]
    ) -> None:
        new = NewCalculations(self.run, self.history.edition, numbers, calculations)
        if binary_copy.is_possible():
            binary_copy.copy_columns(
                Calculation._meta.db_table,
                CALCULATION_COLUMNS,
                new.columns(),
                self.squeeze(),
            )
        else:
            copy_rows(Calculation, CALCULATION_COLUMNS, new.rows())

    def _copying_of(self, new: NewLines) -> Work:
        """Return what writes the new lines by the quickest way there is."""
        if binary_copy.is_possible():
            table = self._fresh.name if self._fresh else LEDGER
            columns = new.columns()
            return partial(
                binary_copy.copy_columns, table, LINE_COLUMNS, columns, self.squeeze()
            )
        if self._fresh is None:
            return partial(copy_columns, RatingChange, LINE_COLUMNS, new.values())
        return partial(self._fresh.copy, LINE_COLUMNS, rows_of(new.values()))

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

    def _follow_rows(self, chunk: Chunk, matched: Matched) -> None:
        """Check that each row goes on from the one before, and add up the run's own."""
        is_own = bytearray(b"\1") * chunk.results.rows_used
        for (_, _, first, end), candidate, kept in zip(
            chunk.calculations, matched.candidates, matched.kept, strict=True
        ):
            if kept and candidate and not candidate.is_ours:
                is_own[first:end] = bytes(end - first)
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

    @property
    def ledger(self) -> str:
        """What to read the run's lines from, until `join` puts all into one table."""
        return self._fresh.with_all_others if self._fresh else LEDGER

    def finish(self, part: Part) -> Answer[None]:
        """Make all lines readable in `ledger`; retire what no source gives any more.

        Nothing waits here, neither for that nor for what is still being copied: it is
        done beside what comes next. Return what waits for it. Who reads all lines needs
        no index, so a fresh table gets them meanwhile.
        """
        done = self._copied
        if self._fresh is not None:
            for step in (*self._fresh.keying(), self._look):
                done = [self._beside.do(partial(_take, step, part), after=done)]
        finished = self._beside.do(partial(self._retire, part), after=done)
        if self._fresh is not None:
            indexing = self._fresh.indexing()
            self._indexed = [self._beside.do(step, [finished]) for step in indexing]
        return finished

    def _look(self) -> None:
        self._fresh.look()
        look_at_calculations()

    def join(self, part: Part) -> None:
        """Make a fresh table part of the ledger, when nobody reads it by its name."""
        if self._fresh is not None:
            join = partial(_take, self._fresh.join, part)
            self._beside.do(join, after=self._indexed)()

    def _retire(self, part: Part) -> None:
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


def _stretches(calculations: list[NewCalculation]) -> Iterator[tuple[int, int]]:
    """Yield first row and row after the last where calculations follow each other."""
    begin = after = 0
    for _, _, first, end, _ in calculations:
        if first != after:
            yield begin, after
            begin = first
        after = end
    yield begin, after


def fresh_number(run: Run) -> int:
    """Return the number of the fresh table of the run's present pass."""
    return 100 * run.pk + run.pass_number % 100


def look_at_calculations() -> None:
    """Let PostgreSQL count what calculations are found by, after many have changed.

    Else it takes a new run for one of no rows. And where it counted before the flags
    were moved, it takes no calculation for current: a late report's window then takes
    a minute and a half to read.
    """
    sought = ("run_id", "superseded_by_id", "section_id", "system", "is_current")
    look_at_columns(Calculation._meta.db_table, (*sought, "order_date"))


def _take(step: Work, part: Part) -> None:
    """Take a step that others can see before the next."""
    with part():
        step()


def join_left_over(run: Run, part: Part) -> None:
    """Bring in what a worker that died has written in earlier passes."""
    numbers = range(100 * run.pk + 1, 100 * run.pk + run.pass_number % 100)
    for table in FreshTable.left_over(RatingChange, numbers):
        for step in table.to_end():
            _take(step, part)


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
