"""What the desk's pages show of a report: findings, tables, progress, history.

Plain records ready to show. A section's crosstable is joined here, cell by cell, with
everything that people wrote escaped: three thousand cells are too many for a template.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from typing import Any

from django.urls import reverse
from django.utils.safestring import SafeString

from events.forms import KIND_CHOICES, kind_of
from events.importers.findings import Finding, Place, Severity
from events.importers.outcomes import ResultCode, result_code
from events.importers.records import Cell, EntryReport, EventReport, SectionReport
from events.models import Event, FindingOverride, Section, Submission
from events.queries import members_of
from events.rating_jobs import RATE_SECTION, rating_job_key
from events.services.findings import (
    MUST_BE_SETTLED,
    OVERRIDDEN,
    count_findings,
    findings_of,
    may_be_overridden,
)
from events.services.submissions import report_of
from players.models import Player
from ratings_site.common.audit import entries_about
from ratings_site.common.figures import COLOUR_MARKS, day, half_points
from ratings_site.common.models import AuditEntry, Job
from ratings_site.common.names import searchable

# Nobody reads further before putting some of them right.
MOST_FINDINGS = 300
# What a wrecked report may heap on one place: sentences, chips, rows of one number.
MOST_MARKS = 20
# No event has as many; a page of more would be too heavy for a browser.
MOST_CELLS = 120_000
LATEST_ACTS = 100

# How the four severities look: the class, the word, and the mark in a narrow cell.
LOOKS: Mapping[str, tuple[str, str, str]] = {
    "error": ("error", "Error", "✕"),
    "confirm": ("warning", "Confirm", "?"),
    "caution": ("warning", "Caution", "!"),
    "note": ("note", "Note", "i"),
    OVERRIDDEN: ("good", "Overridden", "✓"),
}
_GRAVEST_FIRST = list(LOOKS)


@dataclass(frozen=True, slots=True)
class CountChip:
    """How many findings of one kind a report has, as lists show it."""

    level: str
    text: str


def count_chips(counts: Mapping[str, int]) -> list[CountChip]:
    """Return the counts of a report's findings, the gravest first."""
    nouns = {
        "error": ("error", "errors"),
        "confirm": ("to confirm", "to confirm"),
        "caution": ("caution", "cautions"),
        "note": ("note", "notes"),
        OVERRIDDEN: ("overridden", "overridden"),
    }
    return [
        CountChip(LOOKS[kind][0], f"{number:,} {nouns[kind][number != 1]}")
        for kind in _GRAVEST_FIRST
        if (number := counts.get(kind, 0))
    ]


@dataclass(frozen=True, slots=True)
class FindingLine:
    """A finding with the way to what it concerns."""

    finding: Finding
    level: str
    word: str
    place: str
    place_url: str
    override: FindingOverride | None = None
    may_override: bool = False
    office_may_override: bool = False


@dataclass(frozen=True, slots=True)
class SectionTable:
    """A section's head facts and its crosstable, joined."""

    section: SectionReport
    kind: str
    dates: str
    edit_url: str
    marks: tuple[FindingLine, ...]
    table: SafeString


@dataclass(frozen=True, slots=True)
class Act:
    """One line of the report's history."""

    at: datetime
    who: str
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class ReportPage:
    """Everything the report's page shows that comes from the working copy."""

    report: EventReport
    findings: list[FindingLine]
    hidden_findings: int
    chips: list[CountChip]
    blocking: int
    overrides: list[FindingOverride]
    sections: list[SectionTable]
    dates: str
    event_marks: dict[str, FindingLine] = field(default_factory=dict)

    @property
    def is_wide(self) -> bool:
        """Tell whether a crosstable needs more than the usual width of a page."""
        return any(columns_of(part.section) > 9 for part in self.sections)


def report_page(submission: Submission, *, table_base: str | None = None) -> ReportPage:
    """Check the report and set its tables, with every listed finding at its place.

    *table_base* leads from the page to the report's own address, where it is short:
    fifty thousand cells each have a link.
    """
    report = report_of(submission)
    links = Links(submission, table_base)
    overrides = list(submission.overrides.select_related("by").order_by("pk"))
    by_key = {override.finding_key: override for override in overrides}
    findings = findings_of(submission)
    lines = [
        _finding_line(finding, links, by_key.get(finding.key))
        for finding in _listed(findings, by_key)
    ]
    members = members_of(report)
    entries = sum(len(section.entries) for section in report.sections)
    most_columns = MOST_CELLS // max(1, entries)
    return ReportPage(
        report=report,
        findings=lines,
        hidden_findings=len(findings) - len(lines),
        chips=count_chips(count_findings(findings, by_key.keys())),
        blocking=sum(
            finding.severity in MUST_BE_SETTLED and not _is_settled(finding, by_key)
            for finding in findings
        ),
        overrides=overrides,
        sections=[
            _section_table(report, section, lines, members, links, most_columns)
            for section in report.sections
        ],
        dates=_dates(report.starts, report.ends),
        event_marks=_marks_of_event(lines),
    )


def findings_at(submission: Submission, place: Place) -> list[FindingLine]:
    """Return what is odd about one part of a report, for the form that changes it."""
    links = Links(submission)
    return [
        _finding_line(finding, links, None)
        for finding in findings_of(submission)
        if not finding.place.file
        and finding.place.section == place.section
        and finding.place.pairing_number == place.pairing_number
        and finding.place.round_number == place.round_number
    ]


def _listed(
    findings: list[Finding], overrides: Mapping[str, FindingOverride]
) -> list[Finding]:
    """Return the findings to list: where there are too many, the settled ones last."""
    if len(findings) <= MOST_FINDINGS:
        return findings
    by_need = sorted(findings, key=lambda finding: _is_settled(finding, overrides))
    return by_need[:MOST_FINDINGS]


def _is_settled(finding: Finding, overrides: Mapping[str, FindingOverride]) -> bool:
    return may_be_overridden(finding) and finding.key in overrides


def _finding_line(
    finding: Finding, links: "Links", override: FindingOverride | None
) -> FindingLine:
    level, word, _ = LOOKS[finding.severity.value]
    if not may_be_overridden(finding):
        override = None  # it has become an error since
    is_open = links.editable and override is None
    is_error = finding.severity == Severity.ERROR
    return FindingLine(
        finding=finding,
        level=level,
        word=word,
        place=_place_in_words(finding.place),
        place_url=links.of(finding.place),
        override=override,
        may_override=is_open
        and finding.severity in (Severity.CONFIRM, Severity.CAUTION),
        office_may_override=is_open and is_error and may_be_overridden(finding),
    )


def _place_in_words(place: Place) -> str:
    return str(place) or "The event"


def _marks_of_event(lines: Iterable[FindingLine]) -> dict[str, FindingLine]:
    """Return the gravest finding of each of the event's own fields."""
    marks: dict[str, FindingLine] = {}
    for line in lines:
        place = line.finding.place
        if place.section is None and place.field and not line.override:
            marks.setdefault(place.field, line)
    return marks


class Links:
    """Addresses within one report; to forms while it can be edited, else to rows."""

    def __init__(self, submission: Submission, table_base: str | None = None) -> None:
        self.editable = submission.is_editable
        self.base = reverse("events:report", args=[submission.pk])
        self.table_base = self.base if table_base is None else table_base

    def of(self, place: Place) -> str:
        """Return where to put a finding right."""
        if place.file:
            return f"{self.base}#files"
        if place.section is None:
            fragment = f"#id_{place.field}" if place.field else ""
            return f"{self.base}event/{fragment}" if self.editable else ""
        if place.pairing_number is None:
            return self.section(place.section, place.field)
        if place.round_number is not None:
            return self.cell(place.section, place.pairing_number, place.round_number)
        return self.entry(place.section, place.pairing_number, field=place.field)

    def section(self, number: int, field: str = "") -> str:
        if not self.editable or number < 0:
            return f"{self.base}#s{number}"
        return f"{self.base}sections/{number}/" + (f"#id_{field}" if field else "")

    def entry(
        self,
        section: int,
        number: int,
        *,
        occurrence: int = 0,
        field: str = "",
        in_table: bool = False,
    ) -> str:
        if not self.editable or section < 0 or number < 0:
            return f"{self.base}#s{section}p{number}"
        query = f"?occurrence={occurrence}" if occurrence else ""
        fragment = f"#id_{field}" if field else ""
        path = f"sections/{section}/entries/{number}/{query}{fragment}"
        return f"{self._base(in_table)}{path}"

    def cell(
        self, section: int, number: int, round_number: int, *, in_table: bool = False
    ) -> str:
        if not self.editable or section < 0 or number < 0:
            return f"{self.base}#s{section}p{number}"
        path = f"sections/{section}/entries/{number}/rounds/{round_number}/"
        return f"{self._base(in_table)}{path}"

    def _base(self, in_table: bool) -> str:
        return self.table_base if in_table else self.base


# A section's crosstable

# So long a part of a name may be broken on a phone.
_LONG_WORD = re.compile(r"(\w{14})(?=\w)")
UNPLAYED = {"B": "1 bye", "H": "½ bye", "U": "–", "I": "going on"}
_Key = tuple[int | None, int | None]


def _section_table(
    report: EventReport,
    section: SectionReport,
    lines: list[FindingLine],
    members: dict[str, Player],
    links: Links,
    most_columns: int,
) -> SectionTable:
    own = [line for line in lines if line.finding.place.section == section.number]
    return SectionTable(
        section=section,
        kind=dict(KIND_CHOICES[1:]).get(section.kind_letter, "Type missing"),
        dates=_dates(*report.dates_of(section)),
        edit_url=links.section(section.number),
        marks=tuple(
            line
            for line in own
            if line.finding.place.pairing_number is None and not line.override
        )[:MOST_MARKS],
        table=_Crosstable(section, own, members, links, most_columns).html(),
    )


class _Crosstable:
    """Joins one section's rows; findings stand at their cells."""

    def __init__(
        self,
        section: SectionReport,
        lines: list[FindingLine],
        members: dict[str, Player],
        links: Links,
        most_columns: int,
    ) -> None:
        self.section, self.members, self.links = section, members, links
        self.kind = kind_of(section)
        self.columns = min(columns_of(section), most_columns)
        self.marks: dict[_Key, list[FindingLine]] = {}
        for line in lines:
            place = line.finding.place
            if place.pairing_number is not None and not line.override:
                key = (place.pairing_number, place.round_number)
                self.marks.setdefault(key, []).append(line)

    def html(self) -> SafeString:
        head = "".join(
            f'<th scope="col" class="round">{number}</th>'
            for number in range(1, self.columns + 1)
        )
        seen: dict[int, int] = {}
        rows = []
        for entry in self.section.entries:
            occurrence = seen.get(entry.pairing_number, 0)
            seen[entry.pairing_number] = occurrence + 1
            rows.append(self._row(entry, occurrence))
        return SafeString(
            '<table class="table crosstable"><caption class="vh">Crosstable</caption>'
            "<thead><tr>"
            '<th scope="col" class="num">No.</th>'
            '<th scope="col" class="name">Player</th>'
            '<th scope="col" class="num">Total</th>'
            f"{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        )

    def _row(self, entry: EntryReport, occurrence: int) -> str:
        number = entry.pairing_number
        anchor = f"s{self.section.number}p{number}" + ("b" if occurrence else "")
        cells = [
            self._cell(entry, round_number, occurrence)
            for round_number in range(1, self.columns + 1)
        ]
        total = sum(
            result.half_points
            for cell in entry.cells
            if (result := result_code(cell.code, self.kind)) is not None
        )
        faulty = any(
            self._marks_at(number, round_number, occurrence)
            for round_number in range(1, self.columns + 1)
        )
        return (
            f'<tr id="{anchor}"{" class=open" if faulty else ""}>'
            f'<td class="num number"><a href="#{anchor}">{number}</a></td>'
            f"{self._name(entry, occurrence)}"
            f'<td class="num total">{half_points(total)}</td>'
            f"{''.join(cells)}</tr>"
        )

    def _name(self, entry: EntryReport, occurrence: int) -> str:
        number = entry.pairing_number
        url = self.links.entry(
            self.section.number, number, occurrence=occurrence, in_table=True
        )
        name = _LONG_WORD.sub(r"\1<wbr>", escape(entry.name or "No name reported"))
        return (
            f'<th scope="row" class="name"><a href="{escape(url)}">{name}</a>'
            f'<br><span class="id">{self._identity(entry, occurrence)}</span></th>'
        )

    def _marks_at(
        self, number: int, round_number: int | None, occurrence: int
    ) -> list[FindingLine]:
        """Return what concerns a place; many rows may claim one pairing number."""
        if occurrence >= MOST_MARKS:
            return []
        return self.marks.get((number, round_number), [])[:MOST_MARKS]

    def _identity(self, entry: EntryReport, occurrence: int) -> str:
        """Return the member ID, and the member's name where it reads otherwise."""
        marks = self._marks_at(entry.pairing_number, None, occurrence)
        member = self.members.get(entry.member_id)
        if member is None:
            known = "no such member" if entry.member_id.strip("0") else "no member ID"
            return _marked(f"{escape(entry.member_id)} {known}", marks)
        same = set(searchable(entry.name).split()) == set(member.search_name.split())
        said = "" if same else f" {escape(member.name)}"
        return _marked(escape(entry.member_id), marks) + said

    def _cell(self, entry: EntryReport, round_number: int, occurrence: int) -> str:
        cell = entry.cell(round_number)
        result = result_code(cell.code, self.kind)
        marks = self._marks_at(entry.pairing_number, round_number, occurrence)
        text = _marked(_cell_text(cell, result), marks)
        place = (self.section.number, entry.pairing_number)
        if self.links.editable and occurrence:  # first it needs its own number
            url = self.links.entry(*place, occurrence=occurrence, in_table=True)
        elif self.links.editable:
            url = self.links.cell(*place, round_number, in_table=True)
        elif cell.opponent is not None:
            url = f"#s{self.section.number}p{cell.opponent}"
        else:
            url = ""
        kind = _cell_class(cell, result)
        if url:
            return f'<td class="round"><a class="{kind}" href="{url}">{text}</a></td>'
        return f'<td class="round"><span class="{kind}">{text}</span></td>'


def columns_of(section: SectionReport) -> int:
    """Return how many columns of results the section has, reported or announced."""
    longest = max((len(entry.cells) for entry in section.entries), default=0)
    return max(longest, min(section.rounds or 0, 99))


def _cell_text(cell: Cell, result: ResultCode | None) -> str:
    if cell.raw:
        return f"“{escape(cell.raw[:12])}”"
    if result is None:
        return "blank" if cell.blank else escape(cell.code)
    text = UNPLAYED.get(cell.code, cell.code)
    if cell.opponent is not None:
        text = f"{cell.code} {cell.opponent}"
    if cell.colour:
        letter, mark, _ = COLOUR_MARKS["white" if cell.colour == "W" else "black"]
        text += f' <b class="{letter}">{mark}</b>'
    return text


def _cell_class(cell: Cell, result: ResultCode | None) -> str:
    if result is None or not result.is_game:
        return "none"
    margin = result.half_points - len(result.games)
    return "win" if margin > 0 else "lost" if margin < 0 else "draw"


def _marked(text: str, marks: list[FindingLine]) -> str:
    """Put icon, tint and sentence round what findings concern, the gravest first."""
    if not marks:
        return text
    level, word, icon = LOOKS[marks[0].finding.severity.value]
    title = " ".join(line.finding.message for line in marks)
    return (
        f'<span class="chip {level}" title="{escape(title)}">'
        f'<span aria-hidden="true">{icon}</span><span class="vh">{word}:</span> '
        f"{text}</span>"
    )


def _dates(starts: Any, ends: Any) -> str:
    if starts is None or ends is None:
        return "no dates"
    return day(starts) if starts == ends else f"{day(starts)} to {day(ends)}"


# History

ACTS = {
    "received": "sent the files",
    "columns_told": "said which column of the table is which",
    "event_changed": "changed the event",
    "section_changed": "changed section {section}",
    "entry_changed": "changed number {pairing_number} of section {section}",
    "cell_changed": "changed number {pairing_number} of section {section} in round "
    "{round}",
    "finding_overridden": "confirmed",
    "submitted": "submitted the report to the office",
    "returned": "returned the report to the TD",
    "accepted": "accepted the report",
    "withdrawn": "withdrew the report",
}
_IN_THE_SENTENCE = ("section", "pairing_number", "round", "both_sides", "occurrence")


def history_of(submission: Submission) -> list[Act]:
    return [_act(entry) for entry in entries_about(submission)[:LATEST_ACTS]]


def _act(entry: AuditEntry) -> Act:
    name = entry.action.partition(".")[2]
    # PostgreSQL keeps no order of its own in JSON.
    facts = {key: str(entry.facts[key]) for key in sorted(entry.facts)}
    what = ACTS.get(name, name.replace("_", " "))
    for key in ("section", "pairing_number", "round"):
        what = what.replace("{" + key + "}", facts.get(key, "?"))
    said = [
        f"{key.replace('_', ' ')}: {value or 'blank'}"
        for key, value in facts.items()
        if key not in _IN_THE_SENTENCE
    ]
    return Act(
        at=entry.at,
        who=str(entry.actor) if entry.actor else "The office’s worker",
        what=f"{what} ({', '.join(said)})" if said else what,
        why=entry.reason,
    )


# Progress


@dataclass(frozen=True, slots=True)
class SectionProgress:
    """How far the rating of one section has come."""

    section: Section
    state: str
    word: str
    message: str = ""
    job_id: int | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the rating of an accepted event has come."""

    event: Event
    sections: list[SectionProgress]

    @property
    def rated(self) -> int:
        return sum(line.state == "rated" for line in self.sections)

    @property
    def failed(self) -> int:
        return sum(line.state == "failed" for line in self.sections)

    @property
    def is_done(self) -> bool:
        return self.rated + self.failed == len(self.sections)

    @property
    def percent(self) -> int:
        return 100 * self.rated // len(self.sections) if self.sections else 100

    @property
    def sentence(self) -> str:
        if self.failed:
            return f"{self.failed} of {len(self.sections)} sections could not be rated."
        if self.is_done:
            return "Every section is rated."
        return f"{self.rated} of {len(self.sections)} sections rated so far."


def progress_of(submission: Submission) -> Progress | None:
    """Return the progress of an accepted report, None before it is one."""
    event = Event.objects.filter(submission=submission).first()
    if event is None:
        return None
    sections = list(event.sections.select_related("event").order_by("number"))
    keys = [rating_job_key(section) for section in sections]
    jobs = Job.objects.filter(kind=RATE_SECTION, key__in=keys).order_by("pk")
    newest = {job.key: job for job in jobs}
    return Progress(
        event,
        [_section_progress(section, newest) for section in sections],
    )


def _section_progress(section: Section, jobs: dict[str, Job]) -> SectionProgress:
    job = jobs.get(rating_job_key(section))
    if section.status == Section.Status.RATED:
        return SectionProgress(section, "rated", "Rated")
    if job is not None and job.state == Job.State.FAILED:
        return SectionProgress(section, "failed", "Failed", job.message, job.pk)
    if job is not None and job.state == Job.State.RUNNING:
        return SectionProgress(section, "running", "Running", job.message)
    return SectionProgress(section, "waiting", "Waiting", job.message if job else "")
