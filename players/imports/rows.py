"""Rows of a file for display."""

from collections.abc import Iterable
from dataclasses import dataclass

from players.imports.messages import column_name, format_change, format_field, said
from players.models import Intake, IntakeRow
from ratings_site.common.names.casing import in_name_case

# Fields shown next to the number of a new record.
_NAMES = ("given_name", "family_name", "suffix", "name")


@dataclass(frozen=True, slots=True)
class RefusedLine:
    line: int
    key: str
    sentence: str
    cells: str


@dataclass(frozen=True, slots=True)
class ChangedLine:
    line: int
    key: str
    changes: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class NewLine:
    line: int
    key: str
    name: str
    details: list[tuple[str, str]]
    twin: str


@dataclass(frozen=True, slots=True)
class SystemTotal:
    """Row count and checksums of a rating system: the file's and the ledger's."""

    system: str
    file: dict[str, object]
    ledger: dict[str, object] | None


def totals_of(intake: Intake) -> list[SystemTotal]:
    ledger = intake.totals.get("books", {})
    return [
        SystemTotal(system, told, ledger.get(system))
        for system, told in intake.totals.get("file", {}).items()
    ]


def refused_of(rows: Iterable[IntakeRow]) -> list[RefusedLine]:
    return [
        RefusedLine(
            row.line, row.key, said(row.reason), ", ".join(row.values.get("cells", ()))
        )
        for row in rows
    ]


def changed_of(rows: Iterable[IntakeRow]) -> list[ChangedLine]:
    return [
        ChangedLine(
            row.line,
            row.key,
            [
                (column_name(name), format_change(pair))
                for name, pair in row.values.items()
            ],
        )
        for row in rows
    ]


def new_of(rows: Iterable[IntakeRow]) -> list[NewLine]:
    return [
        NewLine(
            row.line,
            row.key,
            in_name_case(
                " ".join(row.values[name] for name in _NAMES if name in row.values)
            ),
            [
                (column_name(name), format_field(name, value))
                for name, value in row.values.items()
                if name not in _NAMES
            ],
            row.twin_label,
        )
        for row in rows
    ]
