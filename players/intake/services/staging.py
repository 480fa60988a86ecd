"""Writing what the dry run says of each row, chunk by chunk, where only staff look."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

from django.db import transaction

from players.importers.tables import Reason, Table
from players.intake.kinds import Beat
from players.models import Intake, IntakeRow
from ratings_site.common.database.bulk import copy_rows

CHUNK = 5_000
UNCHANGED = "unchanged"
_COLUMNS = ("intake_id", "line", "kind", "key", "twin", "values", "reason")
_COUNTS = ("rows_read", "new", "changed", "unchanged", "refused", "suspected")

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Judged:
    """What the dry run says of one row."""

    kind: str
    line: int
    key: str
    values: dict[str, Any] = field(default_factory=dict)
    reason: dict[str, Any] = field(default_factory=dict)
    twin: str = ""


def refused(line: int, key: str, cells: Iterable[str], reason: Reason) -> Judged:
    """Return that a row is not taken, with its texts for the file of such rows."""
    said = {"code": reason.code, **reason.values}
    return Judged(IntakeRow.Kind.REFUSED, line, key, {"cells": list(cells)}, said)


def stage(
    intake: Intake,
    table: Table,
    rows: Iterator[Row],
    judge: Callable[[list[Row]], Iterable[Judged]],
    beat: Beat,
    chunk: int = CHUNK,
) -> None:
    """Judge the rows of a file and keep what is to be done, from the beginning.

    Each chunk is written at once with the counts so far. What an earlier attempt wrote
    is thrown away: reading is short beside what looking at half a file would cost.
    """
    _begin(intake, table)
    while some := list(islice(rows, chunk)):
        judged = list(judge(some))
        with transaction.atomic():
            done = min(99, int(100 * table.source.share))
            beat(done, 100, f"{intake.rows_read + len(some):,} rows read")
            keep(intake, judged)


def _begin(intake: Intake, table: Table) -> None:
    with transaction.atomic():
        intake.rows.all().delete()
        intake.headings = table.headings[:100]
        intake.passed_over = table.passed_over[:100]
        intake.sheet = {}
        if table.source.others:
            others = list(table.source.others)[:100]
            intake.sheet = {"read": table.source.sheet, "others": others}
        for name in _COUNTS:
            setattr(intake, name, 0)
        intake.save()


def keep(intake: Intake, judged: list[Judged]) -> None:
    """Write the rows that do something or are refused, and count all of them."""
    counted = Counter(one.kind for one in judged)
    intake.rows_read += len(judged)
    intake.suspected += sum(bool(one.twin) for one in judged)
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
            for one in judged
            if one.kind != UNCHANGED
        ),
    )
    intake.save(update_fields=_COUNTS)


def chunks_of(intake: Intake, kind: str) -> Iterator[list[IntakeRow]]:
    """Yield the rows of one kind in the order of the file, some thousand at a time."""
    last = 0
    rows = intake.rows.filter(kind=kind).order_by("pk")
    while chunk := list(rows.filter(pk__gt=last)[:CHUNK]):
        yield chunk
        last = chunk[-1].pk
