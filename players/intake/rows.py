"""Rows of a file as the page shows them."""

from collections.abc import Iterable
from dataclasses import dataclass

from players.intake.saying import change_in_words, column_name, said, value_in_words
from players.models import Intake, IntakeRow

# What stands beside the number of a new record.
_NAMES = ("given_name", "family_name", "suffix", "name")


@dataclass(frozen=True, slots=True)
class Refused:
    line: int
    key: str
    sentence: str
    cells: str


@dataclass(frozen=True, slots=True)
class Changed:
    line: int
    key: str
    changes: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class New:
    line: int
    key: str
    name: str
    details: list[tuple[str, str]]
    twin: str


@dataclass(frozen=True, slots=True)
class Total:
    """How many rows of a system there are, and their sums: the file's, the books'."""

    system: str
    file: dict[str, object]
    books: dict[str, object] | None


def totals_of(intake: Intake) -> list[Total]:
    books = intake.totals.get("books", {})
    return [
        Total(system, told, books.get(system))
        for system, told in intake.totals.get("file", {}).items()
    ]


def refused_of(rows: Iterable[IntakeRow]) -> list[Refused]:
    return [
        Refused(
            row.line, row.key, said(row.reason), ", ".join(row.values.get("cells", ()))
        )
        for row in rows
    ]


def changed_of(rows: Iterable[IntakeRow]) -> list[Changed]:
    return [
        Changed(
            row.line,
            row.key,
            [
                (column_name(name), change_in_words(pair))
                for name, pair in row.values.items()
            ],
        )
        for row in rows
    ]


def new_of(rows: Iterable[IntakeRow]) -> list[New]:
    return [
        New(
            row.line,
            row.key,
            " ".join(row.values[name] for name in _NAMES if name in row.values),
            [
                (column_name(name), value_in_words(name, value))
                for name, value in row.values.items()
                if name not in _NAMES
            ],
            row.twin_in_words,
        )
        for row in rows
    ]
