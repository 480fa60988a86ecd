"""Crosstables of a report, built cell by cell.

All user input is escaped here: a template would be too slow for three thousand cells.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy

from events.formats.report import (
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    is_temporary_id,
)
from events.formats.result_codes import ResultCode, result_code
from events.formats.results_entry import column_count
from events.reports.forms.edits import KIND_CHOICES
from events.reports.pages.findings import (
    SEVERITY_STYLES,
    Links,
    ShownFinding,
    reported_text,
)
from players.models import Player
from ratings_site.common.names.phonetics import searchable
from ratings_site.common.ui.formatting import COLOR_MARKS, days, half_points

# The most findings or rows shown at one place of a damaged report.
MAX_MARKS = 20
# Longer parts of a name may be broken on a phone.
_LONG_WORD = re.compile(r"(\w{14})(?=\w)")
UNPLAYED = {
    "B": gettext_lazy("1 bye"),
    "H": gettext_lazy("½ bye"),
    "U": "–",
    "I": gettext_lazy("in progress"),
}
_Key = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class SectionTable:
    """A section's facts and its crosstable."""

    section: ReportedSection
    kind: str
    dates: str
    edit_url: str
    marks: tuple[ShownFinding, ...]
    head: str
    rows: tuple[tuple[str, str], ...]

    @property
    def table(self) -> SafeString:
        """Return the crosstable as HTML."""
        rows = "".join(html for _, html in self.rows)
        return SafeString(
            '<table class="table crosstable">'
            f'<caption class="vh">{gettext("Crosstable")}</caption>'
            f"<thead>{self.head}</thead><tbody>{rows}</tbody></table>"
        )

    def has_different_structure(self, before: "SectionTable") -> bool:
        """Return whether rows or columns changed, or rows are ambiguous."""
        anchors = [anchor for anchor, _ in self.rows]
        return (
            self.head != before.head
            or anchors != [anchor for anchor, _ in before.rows]
            or len(set(anchors)) < len(anchors)
        )

    def changed_rows(self, before: "SectionTable") -> list[SafeString]:
        """Return the rows that differ, for out-of-band swaps."""
        shown = dict(before.rows)
        return [
            SafeString(html.replace("<tr ", '<tr hx-swap-oob="true" ', 1))
            for anchor, html in self.rows
            if shown.get(anchor) != html
        ]


def section_table(
    reported: ReportedEvent,
    section: ReportedSection,
    lines: list[ShownFinding],
    members: dict[str, Player],
    links: Links,
    most_columns: int,
) -> SectionTable:
    own = [line for line in lines if line.finding.place.section == section.number]
    crosstable = _Crosstable(section, own, members, links, most_columns)
    return SectionTable(
        section=section,
        kind=str(dict(KIND_CHOICES[1:]).get(section.kind_letter, gettext("No type"))),
        dates=dates_in_words(*reported.dates_of(section)),
        edit_url=links.section(section.number),
        marks=tuple(
            line
            for line in own
            if line.finding.place.pairing_number is None and not line.override
        )[:MAX_MARKS],
        head=crosstable.head(),
        rows=tuple(crosstable.rows()),
    )


class _Crosstable:
    """Builds the rows of a section, with findings at their cells."""

    def __init__(
        self,
        section: ReportedSection,
        lines: list[ShownFinding],
        members: dict[str, Player],
        links: Links,
        most_columns: int,
    ) -> None:
        self.section, self.members, self.links = section, members, links
        self.kind = section.codes_kind
        self.columns = min(column_count(section), most_columns)
        self.marks: dict[_Key, list[ShownFinding]] = {}
        for line in lines:
            if line.finding.place.pairing_number is not None and not line.override:
                for key in line.cells:
                    self.marks.setdefault(key, []).append(line)

    def head(self) -> str:
        rounds = "".join(
            f'<th scope="col" class="round">{number}</th>'
            for number in range(1, self.columns + 1)
        )
        return (
            f'<tr><th scope="col" class="num">{gettext("No.")}</th>'
            f'<th scope="col" class="name">{gettext("Player")}</th>'
            f'<th scope="col" class="num">{gettext("Total")}</th>{rounds}</tr>'
        )

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yield each entry's row with its anchor."""
        for entry, occurrence in with_occurrences(self.section):
            anchor = f"s{self.section.number}p{entry.pairing_number}"
            anchor += "b" if occurrence else ""
            yield anchor, self._row(anchor, entry, occurrence)

    def _row(self, anchor: str, entry: ReportedEntry, occurrence: int) -> str:
        number = entry.pairing_number
        cells = [
            self._cell(entry, round_number, occurrence)
            for round_number in range(1, self.columns + 1)
        ]
        faulty = any(
            self._marks_at(number, round_number, occurrence)
            for round_number in range(1, self.columns + 1)
        )
        return (
            f'<tr id="{anchor}"{" class=open" if faulty else ""}>'
            f'<td class="num number"><a href="#{anchor}">{number}</a></td>'
            f"{self._name(entry, occurrence)}"
            f'<td class="num total">{total_of(self.section, entry)}</td>'
            f"{''.join(cells)}</tr>"
        )

    def _name(self, entry: ReportedEntry, occurrence: int) -> str:
        number = entry.pairing_number
        url = self.links.entry(
            self.section.number, number, occurrence=occurrence, in_table=True
        )
        name = _LONG_WORD.sub(r"\1<wbr>", escape(entry.name or gettext("No name")))
        return (
            f'<th scope="row" class="name"><a href="{escape(url)}">{name}</a>'
            f'<br><span class="id">{self._identity(entry, occurrence)}</span>'
            f"{_reported(entry)}</th>"
        )

    def _marks_at(
        self, number: int, round_number: int | None, occurrence: int
    ) -> list[ShownFinding]:
        """Return the findings at a place; several rows may have one pairing number."""
        if occurrence >= MAX_MARKS:
            return []
        return self.marks.get((number, round_number), [])[:MAX_MARKS]

    def _identity(self, entry: ReportedEntry, occurrence: int) -> str:
        """Return the member ID, and the member's name if the report's differs."""
        marks = self._marks_at(entry.pairing_number, None, occurrence)
        member = self.members.get(entry.member_id)
        if member is None:
            known = _unknown_member_text(entry.member_id)
            return _marked(f"{escape(entry.member_id)} {known}", marks)
        same = set(searchable(entry.name).split()) == set(member.search_name.split())
        said = "" if same else f" {escape(member.name)}"
        return _marked(escape(entry.member_id), marks) + said

    def _cell(self, entry: ReportedEntry, round_number: int, occurrence: int) -> str:
        cell = entry.cell(round_number)
        result = result_code(cell.code, self.kind)
        marks = self._marks_at(entry.pairing_number, round_number, occurrence)
        text = _marked(_cell_text(cell, result), marks)
        place = (self.section.number, entry.pairing_number)
        if self.links.editable and occurrence:  # it needs its own pairing number first
            url = self.links.entry(*place, occurrence=occurrence, in_table=True)
        elif self.links.editable:
            url = self.links.cell(*place, round_number, in_table=True)
        elif cell.opponent is not None:
            url = f"#s{self.section.number}p{cell.opponent}"
        else:
            url = ""
        kind = _cell_class(cell, result)
        if url:
            return f'<td><a class="{kind}" href="{url}">{text}</a></td>'
        return f'<td><span class="{kind}">{text}</span></td>'


def _reported(entry: ReportedEntry) -> str:
    original = entry.as_reported
    if original is None or original.identity == entry.identity:
        return ""
    text = reported_text(entry)
    words = gettext("Reported: {entry}").format(entry=text)
    return f'<span class="as-reported">{escape(words)}</span>'


def with_occurrences(section: ReportedSection) -> Iterator[tuple[ReportedEntry, int]]:
    """Yield each entry with the number of earlier entries of its pairing number."""
    seen: Counter[int] = Counter()
    for entry in section.entries:
        yield entry, seen[entry.pairing_number]
        seen[entry.pairing_number] += 1


def total_of(section: ReportedSection, entry: ReportedEntry) -> str:
    results = (result_code(cell.code, section.codes_kind) for cell in entry.cells)
    return half_points(sum(result.half_points for result in results if result))


def _unknown_member_text(member_id: str) -> str:
    """Return why there is no member with this ID."""
    if is_temporary_id(member_id):
        return gettext("new member")
    return gettext("unknown ID") if member_id.strip("0") else gettext("no member ID")


def _cell_text(cell: Cell, result: ResultCode | None) -> str:
    if cell.raw:
        return f"“{escape(cell.raw[:12])}”"
    if result is None:
        return gettext("blank") if cell.is_blank else escape(cell.code)
    text = str(UNPLAYED.get(cell.code, cell.code))
    if cell.opponent is not None:
        text = f"{cell.code} {cell.opponent}"
    if cell.color:
        letter, mark, _ = COLOR_MARKS["white" if cell.color == "W" else "black"]
        text += f' <b class="{letter}">{mark}</b>'
    return text


def _cell_class(cell: Cell, result: ResultCode | None) -> str:
    if result is None or not result.is_game:
        return "none"
    margin = result.half_points - len(result.games)
    return "win" if margin > 0 else "lost" if margin < 0 else "draw"


def _marked(text: str, marks: list[ShownFinding]) -> str:
    """Add icon, color and text of the findings, most severe first."""
    if not marks:
        return text
    level, word, icon = SEVERITY_STYLES[marks[0].finding.severity.value]
    title = " ".join(line.finding.message for line in marks)
    return (
        f'<span class="chip {level}" title="{escape(title)}">'
        f'<span aria-hidden="true">{icon}</span><span class="vh">{word}:</span> '
        f"{text}</span>"
    )


def dates_in_words(starts: Any, ends: Any) -> str:
    if starts is None or ends is None:
        return gettext("no dates")
    return days(starts, ends)
