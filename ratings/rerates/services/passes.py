"""One pass of a rerate through history, from the records to the preview."""

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

from django.db import transaction

from ratings.engine.replay.chain import LINES
from ratings.models import Run
from ratings.rerates.services.change_summary import (
    ChangeSummary,
    affected_titles,
    invariants,
    not_established_summary,
    sections_changed,
    skipped_summary,
)
from ratings.rerates.services.initial_state import CurrentRatings
from ratings.rerates.services.rating_differences import (
    rating_differences,
    write_rating_differences,
)
from ratings.rerates.services.replay import (
    CHUNK_ROWS,
    History,
    read_history,
    replay_chunks,
)
from ratings.rerates.services.staged_ledger import (
    StagedLedger,
    TransactionFactory,
    merge_leftover_tables,
)
from ratings.rerates.services.start import Snapshot, replay_start
from ratings_site.common.db.bulk import gc_paused, tune_for_large_queries
from ratings_site.common.db.parallel import ParallelConnections

T = TypeVar("T")


def run_pass(
    run: Run, part: TransactionFactory, *, chunk_rows: int = CHUNK_ROWS
) -> None:
    """Replay the run's window once, and write the differences from the ledger.

    Calculations of the run from earlier passes, also of a worker that died, are kept if
    they are correct and superseded if not. *part* gives the transactions.
    """
    began = perf_counter()
    seen = Snapshot.now()
    run.pass_number += 1
    run.from_day = replay_start(run.from_day)
    run.progress = {"seen": seen.as_json(), "done": 0, "total": 0}
    with part():
        run.save(update_fields=["pass_number", "from_day", "progress"])
        run.differences.all().delete()
    merge_leftover_tables(run, part)
    effects = ChangeSummary()
    with ParallelConnections() as parallel, gc_paused():
        history = read_history(run.from_day, run.edition)
        staged_ledger = StagedLedger(run, history, run.from_day, parallel)
        # Reports that arrive after this need another pass.
        current = parallel.do(partial(_current_ratings, history))
        for chunk in replay_chunks(history, rows=chunk_rows):
            staged_ledger.write(
                chunk, _reporting(run, history, part, len(chunk.sources))
            )
        finished = staged_ledger.finish(part)
        ledger, written = staged_ledger.ledger, staged_ledger.written
        # Counted and checked as soon as all lines are readable.
        sections = parallel.do(
            partial(_tuned, sections_changed, run, ledger), after=[finished]
        )
        checks = parallel.do(
            partial(_tuned, invariants, run, written, ledger), after=[finished]
        )
        with part():
            moves = rating_differences(history, staged_ledger.lines, current())
            write_rating_differences(
                run,
                effects.counting(moves),
                staged_ledger.first_changes,
                staged_ledger.pack_rows(),
            )
        # Outside a part: the awaited work takes parts, too, and would wait for this.
        finished()
        summary = {
            **_summary(run, staged_ledger, effects),
            "sections": sections(),
            "invariants": checks(),
        }
        staged_ledger.join(part)
        with part():
            run.summary = summary
            run.progress |= {
                "done": len(history.sources),
                "retired": written.retired,
                "seconds": {
                    **asdict(history.seconds),
                    "total": perf_counter() - began,
                },
                "peak_memory_mb": peak_memory(),
                "written": written.lines,
            }
            run.save(update_fields=["progress", "summary"])


def is_complete(run: Run) -> bool:
    """Return whether the newest pass of a run is finished, with a full preview."""
    return "retired" in run.progress


def peak_memory() -> int:
    """Return the peak memory of this process, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _reporting(
    run: Run, history: History, part: TransactionFactory, sources: int
) -> TransactionFactory:
    """Return transactions that also save the progress of the pass."""

    @contextmanager
    def reporting() -> Iterator[None]:
        with part():
            yield
            run.progress["done"] += sources
            run.progress["total"] = len(history.sources)
            run.save(update_fields=["progress"])

    return reporting


def _current_ratings(history: History) -> CurrentRatings:
    return history.current or CurrentRatings.read(history.player_index.ids)


def _tuned(count: Callable[..., T], *arguments: Any) -> T:
    """Return the result of a function that queries very many rows."""
    with transaction.atomic():
        tune_for_large_queries()
        return count(*arguments)


def _summary(
    run: Run, staged_ledger: StagedLedger, effects: ChangeSummary
) -> dict[str, Any]:
    written, history = staged_ledger.written, staged_ledger.history
    titles = _tuned(affected_titles, run, written.retired, staged_ledger.ledger)
    return {
        **effects.as_json(),
        "titles": titles,
        "sources": len(history.sources),
        "calculations": written.calculations,
        "lines": written.sums[LINES],
        "kept": written.kept,
        "retired": len(written.retired),
        "left_out": skipped_summary(history),
        "not_established": not_established_summary(history),
    }
