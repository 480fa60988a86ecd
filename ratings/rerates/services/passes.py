"""One pass of a rerate through history, from the books to the preview."""

import resource
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

from django.db import transaction

from ratings.engine.replay.chain import LINES
from ratings.models import Run, RunDifference
from ratings.rerates.services.arrivals import Seen, earliest_mark
from ratings.rerates.services.current_columns import CurrentColumns, RatingRows
from ratings.rerates.services.effects import (
    Effects,
    invariants,
    left_out_of,
    not_established_in,
    sections_changed,
)
from ratings.rerates.services.people import ProjectedRating
from ratings.rerates.services.replay import (
    CHUNK_ROWS,
    History,
    read_history,
    replay_chunks,
)
from ratings.rerates.services.shadow import Part, Shadow, join_left_over
from ratings.rerates.services.standing_columns import write_moved_standings
from ratings.rerates.services.standings import Moved, moved_standings
from ratings.rerates.services.titles import titles_touched
from ratings_site.common.database import binary_copy
from ratings_site.common.database.beside import Answer, Beside
from ratings_site.common.database.bulk import copy_rows, take_room_for_sums, uncollected

_DIFFERENCE_COLUMNS = (
    "run_id",
    "player_id",
    "system",
    "before",
    "before_age_start",
    "first_change_id",
    "after",
    *ProjectedRating._fields[1:-1],
    "last_change_id",
)
_GONE = (None, 0, "none", 0, 0, 0, 0, None, None, None, None, None)


def go_through(run: Run, part: Part, *, chunk_rows: int = CHUNK_ROWS) -> None:
    """Replay the run's window once, and write what differs from the ledger.

    What the run holds from earlier passes, also of a worker that died, is kept where
    it is right and overtaken where it is not. *part* gives the transactions.
    """
    began = perf_counter()
    seen = Seen.now()
    run.pass_number += 1
    run.from_day = window_of(run)
    run.progress = {"seen": seen.as_json(), "done": 0, "total": 0}
    with part():
        run.save(update_fields=["pass_number", "from_day", "progress"])
        run.differences.all().delete()
    join_left_over(run, part)
    effects = Effects()
    with Beside() as beside, uncollected():
        history = read_history(run.from_day, run.edition)
        shadow = Shadow(run, history, run.from_day, beside)
        # What arrives after this asks for another pass.
        current = beside.do(partial(_current_columns, history))
        for chunk in replay_chunks(history, rows=chunk_rows):
            shadow.write(chunk, _reporting(run, history, part, len(chunk.sources)))
        finished = shadow.finish(part)
        sums = _sum_up(run, shadow, beside, finished)
        with part():
            _write_differences(run, shadow, effects, current())
        # Outside a part: what is awaited takes parts, too, and would wait for this one.
        finished()
        summary = _summary(run, shadow, effects, sums)
        shadow.join(part)
        with part():
            run.summary = summary
            run.progress |= {
                "done": len(history.sources),
                "retired": shadow.written.retired,
                "seconds": {
                    **asdict(history.seconds),
                    "total": perf_counter() - began,
                },
                "peak_memory_mb": peak_memory(),
                "written": shadow.written.lines,
            }
            run.save(update_fields=["progress", "summary"])


def has_ended(run: Run) -> bool:
    """Tell whether the newest pass of a run came to its end: its preview is whole."""
    return "retired" in run.progress


def window_of(run: Run) -> date | None:
    """Return the day to replay from: the run's own, or an earlier mark's."""
    earliest = earliest_mark()
    if run.from_day is None or earliest is None:
        return run.from_day
    return min(run.from_day, earliest)


def peak_memory() -> int:
    """Return the most memory this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _reporting(run: Run, history: History, part: Part, sources: int) -> Part:
    """Return transactions that also say how far the pass has come."""

    @contextmanager
    def reporting() -> Iterator[None]:
        with part():
            yield
            run.progress["done"] += sources
            run.progress["total"] = len(history.sources)
            run.save(update_fields=["progress"])

    return reporting


def _current_columns(history: History) -> CurrentColumns | None:
    """Return current ratings, where they can be read column by column."""
    if history.current is not None or not binary_copy.is_possible():
        return history.current
    return CurrentColumns.of(history.cast, RatingRows.read(history.cast.ids))


def _write_differences(
    run: Run, shadow: Shadow, effects: Effects, current: CurrentColumns | None
) -> None:
    """Write which current ratings would be others, and what they would be."""
    if current is not None:
        write_moved_standings(run, shadow, effects, current)
    else:
        moves = effects.counting(moved_standings(shadow.history, shadow.lines))
        copy_rows(RunDifference, _DIFFERENCE_COLUMNS, _rows(run, shadow, moves))


class _Sums(NamedTuple):
    """What waits for the sections that a run changes, and for the checks of it."""

    sections: Answer[dict[str, Any]]
    checks: Answer[list[dict[str, Any]]]


def _sum_up(run: Run, shadow: Shadow, beside: Beside, finished: Answer[None]) -> _Sums:
    """Count and check what the run has written, as soon as all of it is readable."""

    def compare() -> dict[str, Any]:
        take_room_for_sums()
        return sections_changed(run, shadow.ledger)

    def check() -> list[dict[str, Any]]:
        take_room_for_sums()
        return invariants(run, shadow.written, shadow.ledger)

    return _Sums(beside.do(compare, after=[finished]), beside.do(check, [finished]))


def _summary(run: Run, shadow: Shadow, effects: Effects, sums: _Sums) -> dict[str, Any]:
    with transaction.atomic():
        take_room_for_sums()
        titles = titles_touched(run, shadow.written.retired, shadow.ledger)
    return {
        **effects.as_json(),
        "titles": titles,
        "sections": sums.sections(),
        "invariants": sums.checks(),
        "sources": len(shadow.history.sources),
        "calculations": shadow.written.calculations,
        "lines": shadow.written.sums[LINES],
        "kept": shadow.written.kept,
        "retired": len(shadow.written.retired),
        "left_out": left_out_of(shadow.history),
        "not_established": not_established_in(shadow.history),
    }


def _rows(
    run: Run, shadow: Shadow, moves: Iterable[Moved]
) -> Iterator[tuple[Any, ...]]:
    for move in moves:
        yield (
            run.pk,
            move.player,
            move.system,
            move.before.rating if move.before else None,
            move.before.age_start if move.before else None,
            shadow.first_changes[move.state] or None,
            *(move.after or _GONE),
        )
