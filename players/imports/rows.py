"""Rows of a file for display."""

from collections.abc import Iterable
from typing import Any

from players.imports.messages import column_name, format_change, format_field, said
from players.imports.services.answers import by_frequency, questions_of
from players.models import Intake, IntakeRow
from ratings_site.common.names.casing import in_name_case

# Fields shown next to the number of a new record.
_NAMES = ("given_name", "family_name", "suffix", "name")

Rows = list[dict[str, Any]]


def totals_of(intake: Intake) -> Rows:
    """Return row count and checksums of each system: the file's and the ledger's."""
    ledger = intake.totals.get("books", {})
    return [
        {"system": system, "file": told, "ledger": ledger.get(system)}
        for system, told in intake.totals.get("file", {}).items()
    ]


def refused_of(rows: Iterable[IntakeRow]) -> Rows:
    return [
        {
            "line": row.line,
            "sentence": said(row.reason),
            "cells": ", ".join(row.values.get("cells", ())),
        }
        for row in rows
    ]


def faults_of(intake: Intake) -> Rows:
    """Return the kinds of faults, the most frequent first, with their first rows."""
    questions = questions_of(intake)
    return [
        {
            "count": fault["count"],
            "sentence": said(fault["rows"][0][1]),
            "lines": ", ".join(str(line) for line, _ in fault["rows"]),
            "blank": fault["blank"],
            "can_be_answered": kind in questions,
        }
        for kind, fault in by_frequency(intake)
        if fault["rows"]
    ]


def changed_of(rows: Iterable[IntakeRow]) -> Rows:
    return [
        {
            "line": row.line,
            "key": row.key,
            "changes": [
                (column_name(name), format_change(pair))
                for name, pair in row.values.items()
            ],
        }
        for row in rows
    ]


def new_of(rows: Iterable[IntakeRow]) -> Rows:
    return [
        {
            "line": row.line,
            "key": row.key,
            "name": in_name_case(
                " ".join(row.values[name] for name in _NAMES if name in row.values)
            ),
            "details": [
                (column_name(name), format_field(name, value))
                for name, value in row.values.items()
                if name not in _NAMES
            ],
            "twin": row.twin_label,
        }
        for row in rows
    ]
