"""The grid in which a section is typed: its rows, its cells, what is odd beside them.

Two grids have the same form: rounds as columns, and for a round robin the square, where
a row crosses a column and only 1, 0 or ½ is typed.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.checks.saying import finding_said
from events.checks.services import shown_findings
from events.importers.findings import Finding
from events.importers.key_in import (
    Crossing,
    Place,
    columns_in,
    crossing,
    has_played,
    is_by_numbers,
    is_empty,
    last_round_is_empty,
    missing_results,
    plain,
    read_points,
    read_typed,
    show_cell,
    show_points,
    with_typed,
)
from events.importers.outcomes import DOUBLE_GAME_KIND, ResultCode, result_code
from events.importers.records import (
    HIGHEST_PAIRING_NUMBER,
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    is_temporary_number,
)
from events.key_in.queries import Choice, choices_for, players_with_ratings, rating_of
from events.key_in.services import Typed, roster_of
from events.models import Submission
from events.reports.pages.findings import LOOKS, is_settled
from events.reports.pages.rulings import rulings_of
from events.reports.services.submissions import reported_in
from players.models import Player
from ratings_site.common.looks.figures import half_points

# A form has so many cells at most, and a page so many rows.
MOST_CELLS, MOST_ROWS = 1_400, 120
MOST_FINDINGS = 30
# So many unresolved rows come with the members they may mean.
MOST_ROWS_WITH_CHOICES = 12

MISSING = "result.missing"
UNREADABLE = "result.unreadable"
# What goes without saying while results are missing.
WHILE_TYPING = (MISSING, "section.rounds_differ", "section.no_game")
_NAME = re.compile(r"([cv])-([0-9]{1,4})-([0-9]{1,4})", re.ASCII)

# By the name of a field: what was typed there.
Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class GridCell:
    """One field of the grid; the diagonal of a square has none."""

    name: str
    place: Place
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
        return is_temporary_number(self.entry.member_id)

    @property
    def told_name(self) -> str:
        """Return the member's own name, where the report spells somebody else's."""
        if self.player is None:
            return ""
        family = self.player.family_name.upper()[:12]
        return "" if family in self.entry.name.upper() else self.player.name


@dataclass(frozen=True, slots=True)
class GridFinding:
    """A finding with the way to its field on this page."""

    level: str
    word: str
    sentence: str
    hint: str
    place: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Findings:
    """What is odd about the section; missing results are only counted."""

    lines: list[GridFinding]
    hidden: int
    missing: int

    @property
    def missing_words(self) -> str:
        return ngettext(
            "{number} result is still missing.",
            "{number} results are still missing.",
            self.missing,
        ).format(number=self.missing)


@dataclass(frozen=True, slots=True)
class GridPage:
    """Everything the page of a section's grid shows."""

    reported: ReportedEvent
    section: ReportedSection
    is_square: bool
    may_be_square: bool
    heads: list[str]
    rows: list[GridRow]
    page: Page
    was: str
    roster: str
    findings: Findings
    keys: list[tuple[str, str]]

    @property
    def columns(self) -> int:
        return columns_in(self.section)

    @property
    def walking_keys(self) -> list[tuple[str, str]]:
        """Return the keys that move through the grid, for the list of keys."""
        return [
            ("Enter", _("In the grid: save, and on to the next empty field")),
            ("↑ ↓ ← →", _("In the grid: the field beside")),
            ("Esc", _("In the grid: what stood there before")),
        ]

    @property
    def has_results(self) -> bool:
        return not is_empty(self.section)

    @property
    def may_remove_round(self) -> bool:
        return not self.is_square and last_round_is_empty(self.section)

    @property
    def may_add_round(self) -> bool:
        return not self.section.columns_are_opponents

    @property
    def may_delete(self) -> bool:
        return is_empty(self.section) and len(self.reported.sections) > 1

    @property
    def next_section(self) -> int | None:
        numbers = [section.number for section in self.reported.sections]
        following = dict(pairwise(numbers))
        return following.get(self.section.number)


class Square:
    """Rows cross columns: what is typed is how the row's player scored."""

    letter = "v"
    show = staticmethod(show_points)

    def __init__(self, section: ReportedSection) -> None:
        self.section = section
        self.columns = len(section.entries)
        self._crossings: dict[tuple[int, int], Crossing] = {}

    def _crossing(self, number: int, column: int) -> Crossing:
        key = (number, column)
        if key not in self._crossings:
            self._crossings[key] = crossing(self.section, number, column)
        return self._crossings[key]

    def place_of(self, number: int, column: int) -> Place | None:
        return None if number == column else self._crossing(number, column).place

    def read(self, number: int, column: int, text: str) -> Cell:
        return read_points(text, column, self._crossing(number, column).color)

    def head(self, column: int) -> str:
        return str(column)

    def hint(self, number: int, column: int) -> str:
        cross = self._crossing(number, column)
        color = {"W": "○", "B": "●"}[cross.color]
        return f"{cross.round_number} {color}"

    def label(self, number: int, column: int) -> str:
        cross = self._crossing(number, column)
        return _("Number {number} against {other}, round {round}").format(
            number=number, other=column, round=cross.round_number
        )


class Rounds:
    """Columns are rounds, or what an uploaded table has: W12, D5, H."""

    letter = "c"
    show = staticmethod(show_cell)

    def __init__(self, section: ReportedSection) -> None:
        self.section = section
        self.columns = columns_in(section)

    def place_of(self, number: int, column: int) -> Place | None:
        return Place(number, column)

    def read(self, number: int, column: int, text: str) -> Cell:
        return read_typed(text)

    def head(self, column: int) -> str:
        return str(column)

    def hint(self, number: int, column: int) -> str:
        return ""

    def label(self, number: int, column: int) -> str:
        return _("Number {number}, round {round}").format(number=number, round=column)


Layout = Square | Rounds


def layout_of(section: ReportedSection, *, wants_rounds: bool) -> Layout:
    if is_by_numbers(section) and not wants_rounds:
        return Square(section)
    return Rounds(section)


# What was typed


def texts_in(data: QueryDict) -> dict[str, str]:
    """Return what was typed into the cells, by the names of their fields."""
    return {name: data[name] for name in data if _NAME.fullmatch(name)}


def shown_before(data: QueryDict) -> dict[str, str]:
    """Return what the cells showed; nonsense counts as blank cells."""
    try:
        said = json.loads(data.get("was", ""))
    except (ValueError, RecursionError):
        return {}
    if not isinstance(said, dict):
        return {}
    return {name: text for name, text in said.items() if isinstance(text, str)}


def typed_cells(
    section: ReportedSection, layout: Layout, texts: Texts, shown: Texts
) -> dict[Place, tuple[str, Typed]]:
    """Return the cells whose text was changed, with the names of their fields.

    In a square each game takes its round before the next one looks for a free one.
    """
    typed: dict[Place, tuple[str, Typed]] = {}
    for name, text in texts.items():
        was = shown.get(name, "")
        numbers = _numbers(section, layout, name)
        if numbers is None or plain(text) == plain(was):
            continue
        place = layout.place_of(*numbers)
        if place is None:
            continue
        cell = layout.read(*numbers, text)
        typed[place] = (name, Typed(was, cell))
        if isinstance(layout, Square):
            report = with_typed(
                ReportedEvent(sections=(layout.section,)), section.number, {place: cell}
            )
            layout = Square(report.sections[0])
    return typed


def _numbers(
    section: ReportedSection, layout: Layout, name: str
) -> tuple[int, int] | None:
    match = _NAME.fullmatch(name)
    if match is None or match[1] != layout.letter:
        return None
    number, column = int(match[2]), int(match[3])
    if not 1 <= column <= layout.columns or section.entry(number) is None:
        return None
    return (number, column) if number <= HIGHEST_PAIRING_NUMBER else None


# The page


def grid_page(
    submission: Submission,
    section: ReportedSection,
    *,
    layout: Layout,
    page_number: Any = 1,
    kept: Texts | None = None,
    now: Mapping[str, str] | None = None,
    finds: Mapping[int, str] | None = None,
) -> GridPage:
    """Set the grid. *kept* texts were typed and are not saved; *now* is what is there.

    *finds* are names that were looked for, by the row; they offer members to choose.
    """
    report = reported_in(submission)
    found = [
        finding
        for finding in _open_findings(submission)
        if finding.place.section == section.number and not finding.place.file
    ]
    marks = _marks(report, found)
    rows = _rows_of(section)
    per_page = max(1, min(MOST_ROWS, MOST_CELLS // max(1, layout.columns)))
    page = Paginator(rows, per_page).get_page(page_number)
    members = players_with_ratings(entry.member_id for entry, _ in page)
    made = [
        _row(section, layout, entry, occurrence, members, marks, kept or {}, now or {})
        for entry, occurrence in page
    ]
    columns = range(1, layout.columns + 1)
    return GridPage(
        reported=report,
        section=section,
        is_square=isinstance(layout, Square),
        may_be_square=is_by_numbers(section),
        heads=[layout.head(column) for column in columns],
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
        findings=_findings(section, layout, found, made),
        keys=_keys(section, layout),
    )


def _open_findings(submission: Submission) -> list[Finding]:
    """Return the findings on which nobody has given a word yet."""
    settled = set(submission.overrides.values_list("finding_key", flat=True))
    return [
        finding_said(finding)
        for finding in shown_findings(submission)
        if not is_settled(finding, settled)
    ]


_Marks = dict[tuple[int, int | None], tuple[str, str]]


def _marks(reported: ReportedEvent, found: Iterable[Finding]) -> _Marks:
    """Return the gravest finding at each cell and entry: its level and sentence."""
    marks: _Marks = {}
    for finding in found:
        place = finding.place
        if place.pairing_number is None or finding.code == MISSING:
            continue
        level = LOOKS[finding.severity.value][0]
        at = (place.pairing_number, place.round_number)
        marks.setdefault(at, (level, finding.message))
        for ruling in rulings_of(reported, finding):
            # The opponent's cell, where the sentence is the other player's.
            told = _("See number {number}: {sentence}").format(
                number=place.pairing_number, sentence=finding.message
            )
            marks.setdefault(ruling.place, (level, told))
    return marks


def _rows_of(section: ReportedSection) -> list[tuple[ReportedEntry, int]]:
    """Return the entries, with how often their number stood there before."""
    seen: dict[int, int] = {}
    rows = []
    for entry in section.entries:
        occurrence = seen.get(entry.pairing_number, 0)
        seen[entry.pairing_number] = occurrence + 1
        rows.append((entry, occurrence))
    return rows


def _row(
    section: ReportedSection,
    layout: Layout,
    entry: ReportedEntry,
    occurrence: int,
    members: Mapping[str, Player],
    marks: _Marks,
    kept: Texts,
    now: Texts,
) -> GridRow:
    number = entry.pairing_number
    player = members.get(entry.member_id)
    level, note = marks.get((number, None), ("", ""))
    fields = (
        ()
        if occurrence or not 1 <= number <= HIGHEST_PAIRING_NUMBER
        else range(1, layout.columns + 1)
    )
    return GridRow(
        entry=entry,
        occurrence=occurrence,
        player=player,
        rating=rating_of(player) if player else None,
        total=total_of(section, entry),
        cells=tuple(
            _cell(layout, entry, column, marks, kept, now) for column in fields
        ),
        note=note,
        level=level,
        is_removable=not occurrence and not has_played(section, number),
    )


def total_of(section: ReportedSection, entry: ReportedEntry) -> str:
    kind = section.codes_kind
    results: list[ResultCode | None] = [
        result_code(cell.code, kind) for cell in entry.cells
    ]
    return half_points(sum(result.half_points for result in results if result))


def _cell(
    layout: Layout,
    entry: ReportedEntry,
    column: int,
    marks: _Marks,
    kept: Texts,
    now: Texts,
) -> GridCell:
    number = entry.pairing_number
    place = layout.place_of(number, column)
    head = layout.head(column)
    if place is None:
        return GridCell("", Place(number, column), "", "", head)
    name = f"{layout.letter}-{number}-{column}"
    level, note = marks.get((number, place.column), ("", ""))
    return GridCell(
        name=name,
        place=place,
        value=kept.get(name, layout.show(entry.cell(place.column))),
        label=layout.label(number, column),
        head=head,
        hint=layout.hint(number, column),
        note=note,
        level=level,
        now=now.get(name),
    )


def _with_choices(rows: list[GridRow], finds: Mapping[int, str]) -> list[GridRow]:
    """Offer members for the rows that have none, as far as a page may ask for."""
    left = MOST_ROWS_WITH_CHOICES
    done = []
    for row in rows:
        find = finds.get(row.entry.pairing_number, row.entry.name)
        if row.needs_member and find and left:
            left -= 1
            row = _offering(row, find)
        done.append(row)
    return done


def _offering(row: GridRow, find: str) -> GridRow:
    return replace(row, find=find, choices=tuple(choices_for(find)))


def _findings(
    section: ReportedSection,
    layout: Layout,
    found: list[Finding],
    rows: list[GridRow],
) -> Findings:
    anchors = {cell.place: cell.name for row in rows for cell in row.cells}
    missing = missing_results(section)
    left_out = WHILE_TYPING if missing else ()
    told = [finding for finding in found if finding.code not in left_out]
    lines = [
        GridFinding(
            level=LOOKS[finding.severity.value][0],
            word=str(LOOKS[finding.severity.value][1]),
            sentence=finding.message,
            hint=_hint(finding, layout),
            place=_where(finding),
            anchor=_anchor(finding, anchors),
        )
        for finding in told[:MOST_FINDINGS]
    ]
    return Findings(lines, len(told) - len(lines), missing)


def _where(finding: Finding) -> str:
    place = finding.place
    if place.pairing_number is None:
        return _("The section")
    if place.round_number is None:
        return _("Number {number}").format(number=place.pairing_number)
    return _("Number {number}, round {round}").format(
        number=place.pairing_number, round=place.round_number
    )


def _hint(finding: Finding, layout: Layout) -> str:
    """Return the hint; in the square nobody types an opponent's number."""
    if isinstance(layout, Square) and finding.code == UNREADABLE:
        return _("1, 0 or ½ for the row’s player; the other half fills itself in.")
    return finding.hint


def _anchor(finding: Finding, anchors: Mapping[Place, str]) -> str:
    place = finding.place
    if place.pairing_number is None:
        return ""
    if place.round_number is None:
        return f"row-{place.pairing_number}"
    return anchors.get(Place(place.pairing_number, place.round_number), "")


def _keys(section: ReportedSection, layout: Layout) -> list[tuple[str, str]]:
    """Say what can be typed into a cell."""
    if isinstance(layout, Square):
        return [
            ("1", _("the row’s player won")),
            ("0", _("the row’s player lost")),
            ("½", _("a draw; 5, .5, 1/2, d and = do as well")),
            ("+", _("won by forfeit")),
            ("-", _("lost by forfeit")),
        ]
    if section.kind_letter == DOUBLE_GAME_KIND:
        return [
            ("$12", _("2–0 against number 12")),
            ("#12", _("1½–½")),
            ("W12", _("1–1, each won one")),
            ("%12", _("1–1 by draws")),
            ("D12", _("½–1½")),
            ("L12", _("0–2")),
            ("B H U", _("full-point bye, half-point bye, not paired")),
        ]
    return [
        ("W12", _("won against number 12; 12+ and +12 do as well")),
        ("L3", _("lost to number 3; 3- does as well")),
        ("D5", _("drew with number 5; 5= and 1/2 5 do as well")),
        ("W12w", _("the same with White; b for Black")),
        ("B H U", _("full-point bye, half-point bye, not paired")),
        ("X4 F4", _("won, lost by forfeit against number 4")),
    ]
