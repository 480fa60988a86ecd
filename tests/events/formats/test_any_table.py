"""Each result of a damaged table is read, or an error names its line."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from events.formats.checks.report import check_report
from events.formats.findings import Severity
from events.formats.report import ReportedEvent
from events.formats.report_reader import ReadResult, read_report
from events.formats.tables.reader import PASTED
from tests.events.formats.test_table_kinds import EUROPEAN, ROUND_ROBIN
from tests.events.formats.test_wall_charts import BLANKS, REAL
from tests.hypothesis_settings import example_count

TABLES = {
    "federation": "\n".join(REAL.splitlines()[:40]),
    "whole federation": REAL,
    "two charts": f"Section: Open\n{BLANKS}\nSection: U1200\n{BLANKS}",
    "blanks": f"Spring Open\n\n{BLANKS}",
    "european": "\n".join("\t".join(row) for row in EUROPEAN),
    "commas": "No,Member ID,Name,Rd 1,Rd 2\n1,12345671,Ana,W2,D3\n2,12345672,Bo,L1,H\n"
    "3,12345673,Cy,B,D1\n",
    "points": "\n".join("  ".join(row) for row in ROUND_ROBIN),
    "games": "Round,White,Black,Result\n1,Ana,Bo,1-0\n1,Cy,Di,0-1\n2,Ana,Cy,1-0\n",
}
# Unmistakable results as these tables write them.
_RESULT = re.compile(
    r"(?<![^\s|])(?:(?P<code>[WLD]) {0,3}(?P<number>[1-9][0-9]?)"
    r"|(?P<european>[1-9])[wb](?P<points>[10½]))(?![^\s|,])"
)
_OF_KIND = {
    "games": re.compile(r"[^,]+,[^,]+,(1-0|0-1)(,|$)").search,
    "points": re.compile(r"(?<!\S)([01½]  )*X(  [01½](?!\S)){2}").search,
}
_POINTS = {"1": "W", "0": "L", "½": "D"}
_LINE = re.compile(r"Lines? ([0-9]+)")
_LINES_MORE = st.sampled_from(
    [
        *("", "Time Control: G/90;d5", "G/60 +5", "Section: U1200", "Section 2 - B"),
        *("Event: May Open", "page 2", "------", "First day: May 29, 2020", "a|b|c"),
        *("No,Name,Rd 1", "Name  Rd 1", "12345678", "System: R", "\t\t", "1", ",", "|"),
    ]
)
_PIECES = st.sampled_from(["|", " ", "  ", ",", "\t", "??", "1", "x", "word", '"'])
_CHANGES = st.tuples(
    st.sampled_from(["insert", "drop", "twice", "cut", "put", "move", "lose bars"]),
    st.integers(0, 250),
    st.integers(0, 90),
    st.integers(1, 12),
    _LINES_MORE,
    _PIECES,
)


def changed(lines: list[str], change: tuple[str, int, int, int, str, str]) -> list[str]:
    kind, at, column, size, line_more, piece = change
    at %= len(lines) or 1
    before, line, after = lines[:at], "".join(lines[at : at + 1]), lines[at + 1 :]
    column %= len(line) + 1
    return {
        "insert": [*before, line_more, line, *after],
        "drop": [*before, *after],
        "twice": [*before, line, line, *after],
        "cut": [*before, line[:column] + line[column + size :], *after],
        "put": [*before, line[:column] + piece + line[column:], *after],
        "move": [*before, *after, line],
        "lose bars": [*before, line.replace("|", " "), *after],
    }[kind]


def results_in(line: str) -> list[tuple[str, int]]:
    return [
        (
            match["code"] or _POINTS[match["points"]],
            int(match["number"] or match["european"]),
        )
        for match in _RESULT.finditer(line)
    ]


def lines_named(result: ReadResult) -> set[int]:
    errors = (one for one in result.findings if one.severity is Severity.ERROR)
    return {int(number) for one in errors for number in _LINE.findall(one.message)}


def missing_results(text: str, result: ReadResult) -> list[str]:
    """Return the lines with a result that is in no cell and no error."""
    named = lines_named(result)
    players = [
        {(cell.code, cell.opponent) for cell in entry.cells}
        | {piece for cell in entry.cells for piece in results_in(cell.raw)}
        for section in result.reported.sections
        for entry in section.entries
    ]
    return [
        line
        for number, line in enumerate(text.split("\n"), start=1)
        if (there := set(results_in(line)))
        and number not in named
        and not any(there <= cells for cells in players)
    ]


def found_elsewhere(kind: str, text: str, result: ReadResult) -> int:
    """Return how many more games (or rows of points) the report has than expected.

    A negative number means lost lines. An unreadable cell also blocks the report.
    """
    named = lines_named(result)
    there = [
        line
        for number, line in enumerate(text.split("\n"), start=1)
        if number not in named and _OF_KIND[kind](line)
    ]
    entries = [entry for one in result.reported.sections for entry in one.entries]
    cells = [cell for entry in entries for cell in entry.cells]
    won = sum(cell.code == "W" or cell.raw != "" for cell in cells)
    return (won if kind == "games" else len(entries)) - len(there)


@given(st.sampled_from(sorted(TABLES)), st.lists(_CHANGES, max_size=6))
@settings(max_examples=example_count(600), deadline=None)
def test_no_result_is_lost(kind: str, changes: list[tuple]) -> None:
    lines = TABLES[kind].split("\n")
    for change in changes:
        lines = changed(lines, change)
    text = "\n".join(lines)
    result = read_report([(PASTED, text.encode())])
    if kind == "commas":
        text = text.replace(",", " | ")
    if result.reported is None or result.question is not None:
        errors = [one for one in result.findings if one.severity is Severity.ERROR]
        assert errors
        return
    assert missing_results(text, result) == []
    assert kind not in _OF_KIND or found_elsewhere(kind, text, result) >= 0
    assert ReportedEvent.from_json(result.reported.to_json()) == result.reported
    check_report(result.reported)
