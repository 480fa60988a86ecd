"""The results grid of a section: rows, cells and findings.

Rounds are columns; for a round robin, the grid can be a square in which a row crosses a
column and only 1, 0 or ½ is typed.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.checks.messages import translated_finding
from events.checks.services import cached_findings, is_settled
from events.formats.findings import Finding
from events.formats.report import (
    MAX_PAIRING_NUMBER,
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    is_temporary_id,
)
from events.formats.result_codes import DOUBLE_GAME_KIND
from events.formats.results_entry import (
    CellPosition,
    GameCell,
    cell_for_game,
    clean_input,
    column_count,
    format_points,
    format_typed_cell,
    has_fixed_pairings,
    has_played,
    is_empty,
    is_last_round_empty,
    missing_results,
    parse_points,
    parse_typed_result,
    with_results,
)
from events.models import Submission
from events.reports.pages.findings import SEVERITY_STYLES
from events.reports.pages.result_choices import result_choices_of
from events.reports.pages.sections import total_of, with_occurrences
from events.reports.services.submissions import reported_in
from events.results_entry.queries import Choice, choices_for, players_with_ratings
from events.results_entry.services import TypedCell, roster_of
from players.models import Player

# The most cells of a form, and the most rows of a page.
MAX_CELLS, MAX_ROWS = 1_400, 120
MAX_FINDINGS = 30
# The most unresolved rows that are shown with candidates.
MAX_ROWS_WITH_CHOICES = 12

MISSING = "result.missing"
UNREADABLE = "result.unreadable"
# Findings that are hidden while results are missing.
HIDDEN_WHILE_INCOMPLETE = (MISSING, "section.rounds_differ", "section.no_game")
_NAME = re.compile(r"([cv])-([0-9]{1,4})-([0-9]{1,4})", re.ASCII)

# Typed text by field name.
Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class GridCell:
    """A field of the grid; the diagonal of a square has none."""

    name: str
    place: CellPosition
    value: str
    label: str
    head: str
    hint: str = ""
    note: str = ""
    level: str = ""
    now: str | None = None

    @property
    def is_field(self) -> bool:
        return bool(self.name)


@dataclass(frozen=True, slots=True)
class GridRow:
    """One entry with its cells."""

    entry: ReportedEntry
    occurrence: int
    player: Player | None
    rating: float | None
    total: str
    cells: tuple[GridCell, ...]
    note: str
    level: str
    is_removable: bool
    choices: tuple[Choice, ...] = ()
    find: str = ""

    @property
    def needs_member(self) -> bool:
        return not self.occurrence and not self.entry.member_id.strip("0")

    @property
    def is_new_member(self) -> bool:
        return is_temporary_id(self.entry.member_id)

    @property
    def member_name(self) -> str:
        """Return the member's name if the report's is another person's."""
        if self.player is None:
            return ""
        family = self.player.family_name.upper()[:12]
        return "" if family in self.entry.name.upper() else self.player.name


@dataclass(frozen=True, slots=True)
class GridFinding:
    """A finding with a link to its field on this page."""

    finding: Finding
    hint: str
    place: str
    anchor: str

    @property
    def style(self) -> tuple[str, str | Promise, str]:
        return SEVERITY_STYLES[self.finding.severity.value]


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of the section; missing results are only counted."""

    lines: list[GridFinding]
    hidden: int
    missing: int

    @property
    def missing_words(self) -> str:
        return ngettext(
            "{number} result is missing.", "{number} results are missing.", self.missing
        ).format(number=self.missing)


@dataclass(frozen=True, slots=True)
class GridPage:
    """The data of the page with a section's grid."""

    reported: ReportedEvent
    section: ReportedSection
    is_square: bool
    can_be_square: bool
    heads: list[str]
    rows: list[GridRow]
    page: Page[tuple[ReportedEntry, int]]
    was: str
    roster: str
    findings: Findings
    keys: list[tuple[str, str]]

    @property
    def columns(self) -> int:
        return column_count(self.section)

    @property
    def navigation_keys(self) -> list[tuple[str, str]]:
        """Return the keyboard shortcuts of the grid."""
        return [
            ("Enter", _("In the grid: save and go to the next empty field")),
            ("↑ ↓ ← →", _("In the grid: go to the next field in that direction")),
            ("Esc", _("In the grid: undo the change in the field")),
        ]

    @property
    def has_results(self) -> bool:
        return not is_empty(self.section)

    @property
    def can_remove_round(self) -> bool:
        return not self.is_square and is_last_round_empty(self.section)

    @property
    def can_add_round(self) -> bool:
        return not self.section.has_opponent_columns

    @property
    def can_delete(self) -> bool:
        return is_empty(self.section) and len(self.reported.sections) > 1

    @property
    def next_section(self) -> int | None:
        following = self._following
        return following.number if following else None

    @property
    def next_quad(self) -> int | None:
        """Return the next section if both are square: scripts add it to the page."""
        one = self._following if self.is_square else None
        return one.number if one and has_fixed_pairings(one) else None

    @property
    def _following(self) -> ReportedSection | None:
        pairs = pairwise(self.reported.sections)
        return next((b for a, b in pairs if a.number == self.section.number), None)


class SquareLayout:
    """Rows cross columns: a cell is the score of the row's player."""

    letter = "v"
    show = staticmethod(format_points)

    def __init__(self, section: ReportedSection) -> None:
        self.section = section
        self.columns = len(section.entries)
        self._crossings: dict[tuple[int, int], GameCell] = {}

    def _crossing(self, number: int, column: int) -> GameCell:
        key = (number, column)
        if key not in self._crossings:
            self._crossings[key] = cell_for_game(self.section, number, column)
        return self._crossings[key]

    def place_of(self, number: int, column: int) -> CellPosition | None:
        return None if number == column else self._crossing(number, column).place

    def read(self, number: int, column: int, text: str) -> Cell:
        return parse_points(text, column, self._crossing(number, column).color)

    def hint(self, number: int, column: int) -> str:
        cross = self._crossing(number, column)
        color = {"W": "○", "B": "●"}[cross.color]
        return f"{cross.round_number} {color}"

    def label(self, number: int, column: int) -> str:
        cross = self._crossing(number, column)
        return _("Number {number} against {other}, round {round}").format(
            number=number, other=column, round=cross.round_number
        )


class RoundsLayout:
    """Columns are rounds, or the columns of an uploaded table: W12, D5, H."""

    letter = "c"
    show = staticmethod(format_typed_cell)

    def __init__(self, section: ReportedSection) -> None:
        self.section = section
        self.columns = column_count(section)

    def place_of(self, number: int, column: int) -> CellPosition | None:
        return CellPosition(number, column)

    def read(self, number: int, column: int, text: str) -> Cell:
        return parse_typed_result(text)

    def hint(self, number: int, column: int) -> str:
        return ""

    def label(self, number: int, column: int) -> str:
        return _("Number {number}, round {round}").format(number=number, round=column)


Layout = SquareLayout | RoundsLayout


def layout_of(section: ReportedSection, *, wants_rounds: bool) -> Layout:
    if has_fixed_pairings(section) and not wants_rounds:
        return SquareLayout(section)
    return RoundsLayout(section)


# Typed text


def submitted_texts(data: QueryDict) -> dict[str, str]:
    """Return the texts of the cells by field name."""
    return {name: str(data[name]) for name in data if _NAME.fullmatch(name)}


def previous_texts(data: QueryDict) -> dict[str, str]:
    """Return the texts that the cells showed; invalid data counts as blank."""
    try:
        said = json.loads(data.get("was", ""))
    except (ValueError, RecursionError):
        return {}
    if not isinstance(said, dict):
        return {}
    return {name: text for name, text in said.items() if isinstance(text, str)}


def changed_cells(
    layout: Layout, texts: Texts, shown: Texts
) -> dict[CellPosition, tuple[str, TypedCell]]:
    """Return the cells whose text was changed, with their field names.

    In a square, each game is assigned a round before the next one looks for a free one.
    """
    typed: dict[CellPosition, tuple[str, TypedCell]] = {}
    for name, text in texts.items():
        was = shown.get(name, "")
        numbers = _numbers(layout, name)
        if numbers is None or clean_input(text) == clean_input(was):
            continue
        place = layout.place_of(*numbers)
        if place is None:
            continue
        cell = layout.read(*numbers, text)
        typed[place] = (name, TypedCell(was, cell))
        if isinstance(layout, SquareLayout):
            section = layout.section
            report = ReportedEvent(sections=(section,))
            changed = with_results(report, section.number, {place: cell})
            layout = SquareLayout(changed.sections[0])
    return typed


def _numbers(layout: Layout, name: str) -> tuple[int, int] | None:
    match = _NAME.fullmatch(name)
    if match is None or match[1] != layout.letter:
        return None
    number, column = int(match[2]), int(match[3])
    if not 1 <= column <= layout.columns or layout.section.entry(number) is None:
        return None
    return (number, column) if 1 <= number <= MAX_PAIRING_NUMBER else None


# The page


def grid_page(
    submission: Submission,
    layout: Layout,
    *,
    page_number: Any = 1,
    kept: Texts | None = None,
    now: Mapping[str, str] | None = None,
    finds: Mapping[int, str] | None = None,
) -> GridPage:
    """Build the grid. *kept* texts are typed but not saved; *now* are the saved ones.

    *finds* are searched names by row; their rows offer candidates.
    """
    report, section = reported_in(submission), layout.section
    found = [
        finding
        for finding in _open_findings(submission)
        if finding.place.section == section.number and not finding.place.file
    ]
    rows = list(with_occurrences(section))
    per_page = max(1, min(MAX_ROWS, MAX_CELLS // max(1, layout.columns)))
    page = Paginator(rows, per_page).get_page(page_number)
    members = players_with_ratings(entry.member_id for entry, _ in page)
    marks = _marks(report, found)
    builder = _RowBuilder(layout, members, marks, kept or {}, now or {})
    made = [builder.row(entry, occurrence) for entry, occurrence in page]
    return GridPage(
        reported=report,
        section=section,
        is_square=isinstance(layout, SquareLayout),
        can_be_square=has_fixed_pairings(section),
        heads=[str(column) for column in range(1, layout.columns + 1)],
        rows=_with_choices(made, finds or {}),
        page=page,
        was=json.dumps(
            {
                cell.name: cell.value if cell.now is None else cell.now
                for row in made
                for cell in row.cells
                if cell.is_field
            },
            ensure_ascii=False,
        ),
        roster=roster_of(section),
        findings=_findings(layout, found, made),
        keys=_keys(layout),
    )


def _open_findings(submission: Submission) -> list[Finding]:
    """Return the findings without an override."""
    settled = set(submission.overrides.values_list("finding_key", flat=True))
    return [
        translated_finding(finding)
        for finding in cached_findings(submission)
        if not is_settled(finding, settled)
    ]


_Marks = dict[tuple[int, int | None], tuple[str, str]]


def _marks(reported: ReportedEvent, found: Iterable[Finding]) -> _Marks:
    """Return the most severe finding at each cell and entry: level and message."""
    marks: _Marks = {}
    for finding in found:
        place = finding.place
        if place.pairing_number is None or finding.code == MISSING:
            continue
        level = SEVERITY_STYLES[finding.severity.value][0]
        at = (place.pairing_number, place.round_number)
        marks.setdefault(at, (level, finding.message))
        for ruling in result_choices_of(reported, finding):
            # At the opponent's cell too.
            told = _("See number {number}: {sentence}").format(
                number=place.pairing_number, sentence=finding.message
            )
            marks.setdefault(ruling.place, (level, told))
    return marks


@dataclass(frozen=True, slots=True)
class _RowBuilder:
    """Builds the rows of a grid, with findings, and texts as in `grid_page`."""

    layout: Layout
    members: Mapping[str, Choice]
    marks: _Marks
    kept: Texts
    now: Texts

    def row(self, entry: ReportedEntry, occurrence: int) -> GridRow:
        section, number = self.layout.section, entry.pairing_number
        member = self.members.get(entry.member_id)
        level, note = self.marks.get((number, None), ("", ""))
        fields = (
            ()
            if occurrence or not 1 <= number <= MAX_PAIRING_NUMBER
            else range(1, self.layout.columns + 1)
        )
        return GridRow(
            entry=entry,
            occurrence=occurrence,
            player=member.player if member else None,
            rating=member.rating if member else None,
            total=total_of(section, entry),
            cells=tuple(self._cell(entry, column) for column in fields),
            note=note,
            level=level,
            is_removable=not occurrence and not has_played(section, number),
        )

    def _cell(self, entry: ReportedEntry, column: int) -> GridCell:
        layout, number = self.layout, entry.pairing_number
        place = layout.place_of(number, column)
        if place is None:
            return GridCell("", CellPosition(number, column), "", "", str(column))
        name = f"{layout.letter}-{number}-{column}"
        level, note = self.marks.get((number, place.column), ("", ""))
        return GridCell(
            name=name,
            place=place,
            value=self.kept.get(name, layout.show(entry.cell(place.column))),
            label=layout.label(number, column),
            head=str(column),
            hint=layout.hint(number, column),
            note=note,
            level=level,
            now=self.now.get(name),
        )


def _with_choices(rows: list[GridRow], finds: Mapping[int, str]) -> list[GridRow]:
    """Add candidates to the rows without a member, up to the page's limit."""
    left = MAX_ROWS_WITH_CHOICES
    done = []
    for row in rows:
        find = finds.get(row.entry.pairing_number, row.entry.name)
        if row.needs_member and find and left:
            left -= 1
            row = replace(row, find=find, choices=tuple(choices_for(find)))
        done.append(row)
    return done


def _findings(layout: Layout, found: list[Finding], rows: list[GridRow]) -> Findings:
    anchors = {cell.place: cell.name for row in rows for cell in row.cells}
    missing = missing_results(layout.section)
    left_out = HIDDEN_WHILE_INCOMPLETE if missing else ()
    told = [finding for finding in found if finding.code not in left_out]
    lines = [
        GridFinding(finding, _hint(finding, layout), *_where(finding, anchors))
        for finding in told[:MAX_FINDINGS]
    ]
    return Findings(lines, len(told) - len(lines), missing)


def _where(finding: Finding, anchors: Mapping[CellPosition, str]) -> tuple[str, str]:
    """Return the place of a finding in words, and the ID of its element, if any."""
    number, round_number = finding.place.pairing_number, finding.place.round_number
    if number is None:
        return _("Section"), ""
    if round_number is None:
        return _("Number {number}").format(number=number), f"row-{number}"
    words = _("Number {number}, round {round}").format(
        number=number, round=round_number
    )
    return words, anchors.get(CellPosition(number, round_number), "")


def _hint(finding: Finding, layout: Layout) -> str:
    """Return the hint; in the square, opponents' numbers are not typed."""
    if isinstance(layout, SquareLayout) and finding.code == UNREADABLE:
        return _(
            "Type 1, 0, or ½ for the player in the row. The opponent’s result is "
            "filled in for you."
        )
    return finding.hint


def _keys(layout: Layout) -> list[tuple[str, str]]:
    """Return the texts that can be typed into a cell."""
    if isinstance(layout, SquareLayout):
        return [
            ("1", _("the player in the row won")),
            ("0", _("the player in the row lost")),
            ("½", _("draw; you can also type 5, .5, 1/2, d or =")),
            ("+", _("won by forfeit")),
            ("-", _("lost by forfeit")),
        ]
    if layout.section.kind_letter == DOUBLE_GAME_KIND:
        return [
            ("$12", _("2–0 against number 12")),
            ("#12", _("1½–½")),
            ("W12", _("1–1, one win each")),
            ("%12", _("1–1, two draws")),
            ("D12", _("½–1½")),
            ("L12", _("0–2")),
            ("B H U", _("full-point bye, half-point bye, not paired")),
        ]
    return [
        ("W12", _("beat number 12; you can also type 12+ or +12")),
        ("L3", _("lost to number 3; you can also type 3-")),
        ("D5", _("drew number 5; you can also type 5= or 1/2 5")),
        ("W12w", _("beat number 12 with White; b for Black")),
        ("B H U", _("full-point bye, half-point bye, not paired")),
        ("X4 F4", _("forfeit win, forfeit loss against number 4")),
    ]
