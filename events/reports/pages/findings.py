"""Findings as the desk lists them: by how serious they are, then by entry."""

import zlib
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from events.checks.queries.likely import identity_of
from events.checks.queries.record import differs_from_record
from events.checks.saying import finding_said, place_said
from events.checks.services import OVERRIDDEN, may_be_overridden
from events.importers.findings import Finding, Place, Severity
from events.importers.records import ReportedEvent
from events.models import FindingOverride, Submission
from events.reports.pages.rulings import Ruling, rulings_of

# Nobody reads further before putting some of them right.
MOST_FINDINGS = 300

# An entry with one of these has no number of a member.
MAY_BE_NEW = frozenset(
    {
        "entry.member_id_missing",
        "entry.member_id_malformed",
        "member.unknown",
        "newcomer.unknown",
        "newcomer.waits",
    }
)

# How the four severities look: the class, the word, and the mark in a narrow cell.
LOOKS: Mapping[str, tuple[str, str, str]] = {
    "error": ("error", gettext_lazy("Error"), "✕"),
    "confirm": ("warning", gettext_lazy("Confirm"), "?"),
    "caution": ("warning", gettext_lazy("Caution"), "!"),
    "note": ("note", gettext_lazy("Note"), "i"),
    OVERRIDDEN: ("good", gettext_lazy("Confirmed"), "✓"),
}
_GRAVEST_FIRST = list(LOOKS)


@dataclass(frozen=True, slots=True)
class CountChip:
    """How many findings of one kind a report has, as lists show it."""

    level: str
    text: str
    kind: str


def count_chips(counts: Mapping[str, int]) -> list[CountChip]:
    """Return the counts of a report's findings, the gravest first."""
    return [
        CountChip(LOOKS[kind][0], _counted(kind, number), kind)
        for kind in _GRAVEST_FIRST
        if (number := counts.get(kind, 0))
    ]


def _counted(kind: str, number: int) -> str:
    words = {
        "error": ngettext("{number:,} error", "{number:,} errors", number),
        "confirm": ngettext("{number:,} to confirm", "{number:,} to confirm", number),
        "caution": ngettext("{number:,} caution", "{number:,} cautions", number),
        "note": ngettext("{number:,} note", "{number:,} notes", number),
        OVERRIDDEN: ngettext("{number:,} confirmed", "{number:,} confirmed", number),
    }
    return words[kind].format(number=number)


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding with the way to what it concerns, and what can be done about it.

    *record* is what the office knows of the member where the report says otherwise;
    *likely* are the members whom a doubtful ID may mean; *rulings* say whose word
    counts where two players contradict each other.
    """

    finding: Finding
    level: str
    word: str
    place: str
    place_url: str
    override: FindingOverride | None = None
    may_override: bool = False
    office_may_override: bool = False
    record: str = ""
    likely: tuple[Any, ...] = ()
    rulings: tuple[Ruling, ...] = ()

    @property
    def cells(self) -> set[tuple[int, int | None]]:
        """Return the entries and rounds at which the finding is marked."""
        place = self.finding.place
        own = {(place.pairing_number or 0, place.round_number)}
        return own | {(one.place.number, one.place.column) for one in self.rulings}

    @property
    def dom_id(self) -> str:
        """Name the line on the page, the same as long as the finding is there."""
        said = f"{self.finding.key}|{self.finding.message}"
        return f"f{zlib.crc32(said.encode()):08x}"

    @property
    def spot(self) -> str:
        """Name the entry for the form that sets it from the member's record."""
        place = self.finding.place
        return f"{place.section}-{place.pairing_number}"

    @property
    def may_be_new(self) -> bool:
        """Tell whether the entry may be a new member, or is one already."""
        place = self.finding.place
        has_address = min(place.section or 0, place.pairing_number or 0) > 0
        return has_address and self.finding.code in MAY_BE_NEW

    @property
    def kind(self) -> str:
        """Return what equal findings of several entries share."""
        return ".".join(self.finding.code.split(".")[:2])


@dataclass(frozen=True, slots=True)
class EntryFindings:
    """What is said of one entry, one section, or the event itself."""

    who: str
    lines: tuple[ShownFinding, ...]


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """Findings that are equally serious, by entry; *alike* can be settled at once."""

    kind: str
    level: str
    heading: str
    number: int
    entries: tuple[EntryFindings, ...]
    alike: tuple[tuple[ShownFinding, ...], ...] = ()
    with_record: tuple[ShownFinding, ...] = ()

    @property
    def is_folded(self) -> bool:
        """Tell whether it can wait: notes, and what has been confirmed."""
        return self.kind in (Severity.NOTE, OVERRIDDEN)

    @property
    def is_for_each(self) -> bool:
        """Tell whether each name needs a look before the record may stand for it."""
        return self.kind in (Severity.ERROR, Severity.CONFIRM)


def findings_lines(
    reported: ReportedEvent,
    findings: list[Finding],
    overrides: Mapping[str, FindingOverride],
    links: "Links",
    records: Mapping[tuple[int, int], str],
    likely: Mapping[tuple[int, int], Sequence[Any]],
) -> list[ShownFinding]:
    """Return a line for each finding that is listed."""
    lines = []
    left = dict(likely)
    for finding in _listed(findings, overrides):
        line = finding_line(finding, links, overrides.get(finding.key))
        if links.editable and line.override is None:
            spot = (finding.place.section or 0, finding.place.pairing_number or 0)
            line = replace(
                line,
                record=records.get(spot, "") if differs_from_record(finding) else "",
                # Beside the gravest finding of an entry; once is enough.
                likely=tuple(left.pop(spot, ())) if identity_of(finding) else (),
                rulings=rulings_of(reported, finding),
            )
        lines.append(line)
    return lines


def groups_of(
    lines: Iterable[ShownFinding], reported: ReportedEvent
) -> list[FindingGroup]:
    """Group what is listed: the gravest first, and within by section and entry."""
    by_kind: dict[str, list[ShownFinding]] = {kind: [] for kind in LOOKS}
    for line in lines:
        kind = OVERRIDDEN if line.override else line.finding.severity.value
        by_kind[kind].append(line)
    names = _names_of(reported)
    return [_group(kind, own, names) for kind, own in by_kind.items() if own]


def _group(
    kind: str, lines: list[ShownFinding], names: Mapping[tuple[int, int], str]
) -> FindingGroup:
    entries: dict[str, list[ShownFinding]] = {}
    for line in lines:
        entries.setdefault(_who(line.finding.place, names), []).append(line)
    return FindingGroup(
        kind=kind,
        level=LOOKS[kind][0],
        heading=_counted(kind, len(lines)),
        number=len(lines),
        entries=tuple(EntryFindings(who, tuple(own)) for who, own in entries.items()),
        alike=_alike(lines),
        with_record=_with_record(lines),
    )


def _names_of(reported: ReportedEvent) -> dict[tuple[int, int], str]:
    """Return the reported names by section and pairing number; the first one counts."""
    names: dict[tuple[int, int], str] = {}
    for section in reported.sections:
        for entry in section.entries:
            names.setdefault((section.number, entry.pairing_number), entry.name)
    return names


def _who(place: Place, names: Mapping[tuple[int, int], str]) -> str:
    """Say whom or what a finding is about, as the heading over its lines."""
    if place.file:
        return place.file
    if place.section is None:
        return _("The event")
    if place.pairing_number is None:
        return _("Section {number}").format(number=place.section)
    return _("Section {section}, number {number}: {name}").format(
        section=place.section,
        number=place.pairing_number,
        name=names.get((place.section, place.pairing_number)) or _("no name"),
    )


def _alike(lines: list[ShownFinding]) -> tuple[tuple[ShownFinding, ...], ...]:
    """Return findings of one kind that one reason can settle."""
    kinds: dict[str, list[ShownFinding]] = {}
    for line in lines:
        if line.may_override:
            kinds.setdefault(line.kind, []).append(line)
    return tuple(tuple(own) for own in kinds.values() if len(own) > 1)


def _with_record(lines: list[ShownFinding]) -> tuple[ShownFinding, ...]:
    """Return a line for each entry that can be set from its record, if several."""
    spots = {line.spot: line for line in reversed(lines) if line.record}
    return tuple(reversed(spots.values())) if len(spots) > 1 else ()


def _listed(
    findings: list[Finding], overrides: Mapping[str, FindingOverride]
) -> list[Finding]:
    """Return the findings to list: where there are too many, the settled ones last."""
    if len(findings) <= MOST_FINDINGS:
        return findings
    by_need = sorted(findings, key=lambda finding: is_settled(finding, overrides))
    return by_need[:MOST_FINDINGS]


def is_settled(finding: Finding, overrides: Container[str]) -> bool:
    return may_be_overridden(finding) and finding.key in overrides


def finding_line(
    finding: Finding, links: "Links", override: FindingOverride | None
) -> ShownFinding:
    level, word, _mark = LOOKS[finding.severity.value]
    if not may_be_overridden(finding):
        override = None  # it has become an error since
    is_open = links.editable and override is None
    is_error = finding.severity == Severity.ERROR
    return ShownFinding(
        finding=finding_said(finding),
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
    return place_said(place) or _("The event")


def marks_of_event(lines: Iterable[ShownFinding]) -> dict[str, ShownFinding]:
    """Return the gravest finding of each of the event's own fields."""
    marks: dict[str, ShownFinding] = {}
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
