"""Stores the dry run's result for each row, chunk by chunk, for staff only."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

from django.db import transaction

from players.formats.errors import STATUS_UNKNOWN, Reason
from players.formats.table_reader import Table
from players.imports.kinds import ProgressCallback
from players.models import Intake, IntakeRow
from ratings_site.common.db.bulk import copy_rows

CHUNK = 5_000
UNCHANGED = "unchanged"
MOST_KINDS = 200
ROWS_SHOWN = 3
_COLUMNS = ("intake_id", "line", "kind", "key", "twin", "values", "reason")
_COUNTS = ("rows_read", "new", "changed", "unchanged", "refused", "suspected")

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class RowResult:
    """The result of one row in the dry run."""

    kind: str
    line: int
    key: str
    values: dict[str, Any] = field(default_factory=dict)
    reason: dict[str, Any] = field(default_factory=dict)
    twin: str = ""
    rows: int = 1  # of the file, merged into this one
    # Its faults; for a row that is not refused, those whose fields are left blank.
    faults: Sequence[Reason] = ()


def refused(
    line: int,
    key: str,
    cells: Iterable[str],
    reason: Reason,
    others: Sequence[Reason] = (),
) -> RowResult:
    """Return the result for a refused row, with its texts for the download."""
    problem: dict[str, Any] = as_json(reason)
    if others:
        problem["others"] = [as_json(one) for one in others]
    return RowResult(
        IntakeRow.Kind.REFUSED,
        line,
        key,
        {"cells": list(cells)},
        problem,
        faults=(reason, *others),
    )


def as_json(reason: Reason) -> dict[str, str]:
    return {"code": reason.code, **reason.values}


def stage(
    intake: Intake,
    table: Table,
    rows: Iterator[Row],
    checker: Callable[[list[Row]], Iterable[RowResult]],
    beat: ProgressCallback,
    chunk: int = CHUNK,
) -> None:
    """Check all rows of a file and store the results, starting over if interrupted.

    Each chunk is written at once with the counts so far. Results of an earlier attempt
    are deleted: reading again is cheap compared to reviewing half a file.
    """
    _begin(intake, table)
    while some := list(islice(rows, chunk)):
        results = list(checker(some))
        with transaction.atomic():
            done = min(99, int(100 * table.source.share))
            beat(done, 100, f"{intake.rows_read + len(some):,} rows read")
            save_results(intake, results)
    with transaction.atomic():
        intake.notes = [as_json(note) for note in table.all_notes()]
        intake.save(update_fields=["notes"])


def delete_rows(intake: Intake) -> None:
    """Delete the outdated results of an earlier reading."""
    with transaction.atomic():
        intake.rows.all().delete()
        intake.totals, intake.notes, intake.faults = {}, [], {}
        for name in _COUNTS:
            setattr(intake, name, 0)
        intake.save(update_fields=[*_COUNTS, "totals", "notes", "faults"])


def _begin(intake: Intake, table: Table) -> None:
    with transaction.atomic():
        intake.headings = table.headings[:100]
        intake.passed_over = table.passed_over[:100]
        intake.sheet = {}
        if table.source.others:
            others = list(table.source.others)[:100]
            intake.sheet = {"read": table.source.sheet, "others": others}
        intake.save()


def save_results(intake: Intake, results: list[RowResult]) -> None:
    """Store the rows that change something or are refused, and count all rows."""
    counted = Counter(one.kind for one in results)
    intake.rows_read += sum(one.rows for one in results)
    intake.suspected += sum(bool(one.twin) for one in results)
    for one in results:
        for fault in one.faults:
            _count_fault(intake.faults, one, fault)
    for kind, count in counted.items():
        setattr(intake, kind, getattr(intake, kind) + count)
    copy_rows(
        IntakeRow,
        _COLUMNS,
        (
            (
                intake.pk,
                one.line,
                str(one.kind),
                one.key,
                one.twin,
                one.values,
                one.reason,
            )
            for one in results
            if one.kind != UNCHANGED
        ),
    )
    intake.save(update_fields=[*_COUNTS, "faults"])


def _count_fault(faults: dict[str, Any], result: RowResult, fault: Reason) -> None:
    """Count a fault by its kind, and keep the first rows of each."""
    kind = fault.kind
    if (
        fault.code == STATUS_UNKNOWN
        and kind not in faults
        and len(faults) >= MOST_KINDS
    ):
        kind = fault.code  # each word is a kind, and a shifted column has many
    is_blank = result.kind != IntakeRow.Kind.REFUSED
    counted = faults.setdefault(
        f"{kind}|blank" if is_blank else kind,
        {"count": 0, "blank": is_blank, "rows": []},
    )
    counted["count"] += 1
    if len(counted["rows"]) < ROWS_SHOWN:
        counted["rows"].append([result.line, as_json(fault)])


def chunks_of(intake: Intake, kind: str, after: int = 0) -> Iterator[list[IntakeRow]]:
    """Yield the rows of one kind in the order of the file, in chunks.

    *after* is the number of the last row to skip.
    """
    last = after
    rows = intake.rows.filter(kind=kind).order_by("pk")
    while chunk := list(rows.filter(pk__gt=last)[:CHUNK]):
        yield chunk
        last = chunk[-1].pk
        intake.report(len(chunk))


def reversed_chunks(intake: Intake, kind: str) -> Iterator[list[IntakeRow]]:
    """Yield the rows in reverse, with no record twice in a chunk.

    The batches of a feed may change one record several times in an import.
    """
    rows = intake.rows.filter(kind=kind).order_by("-pk")
    chunk: dict[str, IntakeRow] = {}
    for row in rows.iterator(chunk_size=CHUNK):
        if row.key in chunk or len(chunk) == CHUNK:
            yield list(chunk.values())
            intake.report(len(chunk))
            chunk = {}
        chunk[row.key] = row
    if chunk:
        yield list(chunk.values())
        intake.report(len(chunk))
