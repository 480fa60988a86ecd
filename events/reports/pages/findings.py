"""Findings for the report page, grouped by severity and entry."""

import zlib
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from events.checks.messages import translated_finding, translated_place
from events.checks.queries.likely_members import IDENTITY_CODES, identity_of
from events.checks.queries.member_records import differs_from_record
from events.checks.services import (
    OVERRIDDEN,
    Cause,
    Causes,
    can_be_overridden,
    is_settled,
)
from events.formats.findings import Finding, Place, Severity
from events.formats.report import ReportedEntry, ReportedEvent
from events.models import FindingOverride, Submission
from events.reports.pages.result_choices import ResultChoice, result_choices_of
from events.reports.services.submissions import can_fix
from ratings_site.common.models import User

# The most findings that a page lists.
MAX_FINDINGS = 300

# Findings of entries without a valid member ID.
MAY_BE_NEW = frozenset(
    {
        "entry.member_id_missing",
        "entry.member_id_malformed",
        "member.unknown",
        "newcomer.unknown",
        "newcomer.waits",
    }
)

# Findings of entries whose member can be chosen in one table.
MATCHABLE = MAY_BE_NEW - {"newcomer.waits"} | {
    *("member.duplicate", "member.deceased", "member.other_name"),
    *("member.sibling", "member.other_family_name"),
}
# More issues of a kind are a short list without their buttons.
MAX_INLINE = 6

# CSS class, word, and symbol in a narrow cell, by severity.
SEVERITY_STYLES: Mapping[str, tuple[str, str | Promise, str]] = {
    "error": ("error", gettext_lazy("Error"), "✕"),
    "confirm": ("warning", gettext_lazy("Confirm"), "?"),
    "caution": ("warning", gettext_lazy("Warning"), "!"),
    "note": ("note", gettext_lazy("Note"), "i"),
    OVERRIDDEN: ("good", gettext_lazy("Confirmed"), "✓"),
}
_GRAVEST_FIRST = list(SEVERITY_STYLES)


@dataclass(frozen=True, slots=True)
class CountChip:
    """The number of findings of a severity, as shown in lists."""

    level: str
    text: str
    kind: str


def count_chips(counts: Mapping[str, int]) -> list[CountChip]:
    """Return the counts of a report's findings, most severe first."""
    return [
        CountChip(SEVERITY_STYLES[kind][0], _counted(kind, number), kind)
        for kind in _GRAVEST_FIRST
        if (number := counts.get(kind, 0))
    ]


def _counted(kind: str, number: int) -> str:
    words = {
        "error": ngettext("{number:,} error", "{number:,} errors", number),
        "confirm": ngettext("{number:,} to confirm", "{number:,} to confirm", number),
        "caution": ngettext("{number:,} warning", "{number:,} warnings", number),
        "note": ngettext("{number:,} note", "{number:,} notes", number),
        OVERRIDDEN: ngettext("{number:,} confirmed", "{number:,} confirmed", number),
    }
    return words[kind].format(number=number)


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding with links to its place and the actions that settle it.

    *record* is the member's record where the report differs from it; *likely* are the
    members whom a doubtful ID may mean; *result_choices* are the two versions of a
    result that players report differently; *also* are the same issue in other places.
    """

    finding: Finding
    shown_key: str
    level: str
    word: str
    place: str
    place_url: str
    cause: Cause = ()
    also: tuple["ShownFinding", ...] = ()
    override: FindingOverride | None = None
    can_override: bool = False
    office_can_override: bool = False
    record: str = ""
    likely: tuple[Any, ...] = ()
    result_choices: tuple[ResultChoice, ...] = ()

    @property
    def cells(self) -> set[tuple[int, int | None]]:
        """Return the entries and rounds that are marked with the finding."""
        place = self.finding.place
        own = {(place.pairing_number or 0, place.round_number)}
        return own | {
            (one.place.number, one.place.column) for one in self.result_choices
        }

    @property
    def group(self) -> str:
        """Return the kind under which the issue is listed."""
        return _group_name(self.finding)

    @property
    def is_exact(self) -> bool:
        """Return whether a likely member has exactly the reported name."""
        return any(member.is_exact for member in self.likely)

    @property
    def dom_id(self) -> str:
        """Return an element ID that stays the same as long as the finding exists."""
        said = f"{self.finding.key}|{self.finding.message}"
        return f"f{zlib.crc32(said.encode()):08x}"

    @property
    def entry_key(self) -> str:
        """Return the key of the entry in the form that applies member records."""
        place = self.finding.place
        return f"{place.section}-{place.pairing_number}"

    @property
    def can_be_new(self) -> bool:
        """Return whether the entry may be, or already is, a new member."""
        place = self.finding.place
        has_address = min(place.section or 0, place.pairing_number or 0) > 0
        return has_address and self.finding.code in MAY_BE_NEW

    @property
    def kind(self) -> str:
        """Return a key that is equal for the same finding of several entries."""
        return ".".join(self.finding.code.split(".")[:2])


@dataclass(frozen=True, slots=True)
class EntryFindings:
    """The findings of one entry, one section, or the event."""

    who: str
    lines: tuple[ShownFinding, ...]


@dataclass(frozen=True, slots=True)
class IssueKind:
    """Issues of one kind by entry."""

    name: str
    label: str
    number: int
    entries: tuple[EntryFindings, ...]

    @property
    def is_long(self) -> bool:
        """Return whether the list is collapsed and has no buttons."""
        return self.number > MAX_INLINE

    @property
    def is_matchable(self) -> bool:
        """Return whether members can be chosen in one table."""
        found = {line.finding.code for one in self.entries for line in one.lines}
        return self.number > 1 and bool(found & MATCHABLE)


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """Issues of a severity by kind; *alike* can be settled at once."""

    kind: str
    level: str
    heading: str
    number: int
    kinds: tuple[IssueKind, ...]
    alike: tuple[tuple[ShownFinding, ...], ...] = ()
    with_record: tuple[ShownFinding, ...] = ()

    @property
    def is_collapsed(self) -> bool:
        """Return whether the group is collapsed: notes and confirmed findings."""
        return self.kind in (Severity.NOTE, OVERRIDDEN)

    @property
    def needs_individual_review(self) -> bool:
        """Return whether each name must be checked before its record is applied."""
        return self.kind in (Severity.ERROR, Severity.CONFIRM)


_KIND_OF_CODE: Mapping[str, str] = {
    **dict.fromkeys(MAY_BE_NEW, "unmatched"),
    "newcomer.waits": "new",
    "member.duplicate": "merged",
    "member.lapsed": "membership",
    **dict.fromkeys(IDENTITY_CODES - MAY_BE_NEW - {"member.duplicate"}, "identity"),
}
KIND_LABELS: Mapping[str, str | Promise] = {
    "unmatched": gettext_lazy("Players without a match"),
    "merged": gettext_lazy("Merged member IDs"),
    "identity": gettext_lazy("Players to check"),
    "new": gettext_lazy("New members"),
    "membership": gettext_lazy("Memberships"),
    "result": gettext_lazy("Results"),
    "official": gettext_lazy("TDs and affiliates"),
    "event": gettext_lazy("Event and section details"),
    "other": gettext_lazy("Other issues"),
}
_KIND_OF_FAMILY: Mapping[str, str] = {
    "result": "result",
    "director": "official",
    "affiliate": "official",
    "event": "event",
    "section": "event",
    "time_control": "event",
    "schedule": "event",
}


def _group_name(finding: Finding) -> str:
    family, _dot, rest = finding.code.partition(".")
    code = f"{family}.{rest.partition('.')[0]}"
    return _KIND_OF_CODE.get(code) or _KIND_OF_FAMILY.get(family, "other")


def inline_findings(
    findings: Iterable[Finding], overridden: Container[str], causes: Causes
) -> list[Finding]:
    """Return the findings that are listed with their buttons: no long kinds."""
    left = [finding for finding in findings if finding.key not in overridden]
    same: dict[tuple[str, str], set[Cause]] = {}
    for one in left:
        same.setdefault((one.severity, _group_name(one)), set()).add(causes.of(one))
    return [
        one for one in left if len(same[one.severity, _group_name(one)]) <= MAX_INLINE
    ]


def findings_lines(
    reported: ReportedEvent,
    findings: Sequence[Finding],
    overrides: Mapping[str, FindingOverride],
    links: "Links",
    causes: Causes,
    records: Mapping[tuple[int, int], str],
    likely: Mapping[tuple[int, int], Sequence[Any]],
) -> list[ShownFinding]:
    """Return a line for each finding that is listed."""
    lines = []
    left = dict(likely)
    for finding in _listed(findings, overrides):
        line = finding_line(finding, links, overrides.get(finding.key))
        line = replace(line, cause=causes.of(finding))
        if links.can_fix and line.override is None:
            entry_key = (finding.place.section or 0, finding.place.pairing_number or 0)
            line = replace(
                line,
                record=records.get(entry_key, "")
                if differs_from_record(finding)
                else "",
                # Only with the most severe finding of an entry.
                likely=tuple(left.pop(entry_key, ())) if identity_of(finding) else (),
                result_choices=result_choices_of(reported, finding)
                if links.editable
                else (),
            )
        lines.append(line)
    return lines


def groups_of(
    lines: Iterable[ShownFinding], reported: ReportedEvent
) -> list[FindingGroup]:
    """Group the issues by severity and kind, and within that by section and entry."""
    by_kind: dict[str, dict[Cause, list[ShownFinding]]]
    by_kind = {kind: {} for kind in SEVERITY_STYLES}
    for line in lines:
        kind = OVERRIDDEN if line.override else line.finding.severity.value
        by_kind[kind].setdefault(line.cause, []).append(line)
    names = _names_of(reported)
    return [
        _group(kind, [_merged(same) for same in own.values()], names)
        for kind, own in by_kind.items()
        if own
    ]


def _merged(same: list[ShownFinding]) -> ShownFinding:
    """Return one line for findings with one cause, with all their places."""
    return replace(same[0], also=tuple(same[1:]))


def _group(
    kind: str, lines: list[ShownFinding], names: Mapping[tuple[int, int], str]
) -> FindingGroup:
    kinds: dict[str, list[ShownFinding]] = {}
    for line in sorted(lines, key=lambda one: one.group != "unmatched"):
        kinds.setdefault(line.group, []).append(line)
    return FindingGroup(
        kind=kind,
        level=SEVERITY_STYLES[kind][0],
        heading=_counted(kind, len(lines)),
        number=len(lines),
        kinds=tuple(_issue_kind(name, own, names) for name, own in kinds.items()),
        alike=_alike(lines),
        with_record=_with_record(lines),
    )


def _issue_kind(
    name: str, lines: list[ShownFinding], names: Mapping[tuple[int, int], str]
) -> IssueKind:
    entries: dict[str, list[ShownFinding]] = {}
    for line in lines:
        entries.setdefault(_author_label(line.finding.place, names), []).append(line)
    return IssueKind(
        name=name,
        label=str(KIND_LABELS[name]),
        number=len(lines),
        entries=tuple(EntryFindings(who, tuple(own)) for who, own in entries.items()),
    )


def _names_of(reported: ReportedEvent) -> dict[tuple[int, int], str]:
    """Return the reported names by section and pairing number; the first one counts."""
    names: dict[tuple[int, int], str] = {}
    for section in reported.sections:
        for entry in section.entries:
            names.setdefault((section.number, entry.pairing_number), entry.name)
    return names


def _author_label(place: Place, names: Mapping[tuple[int, int], str]) -> str:
    """Return the entry, section or event of a finding as a heading."""
    if place.file:
        return place.file
    if place.section is None:
        return _("Event")
    if place.pairing_number is None:
        return _("Section {number}").format(number=place.section)
    return _("Section {section}, number {number}: {name}").format(
        section=place.section,
        number=place.pairing_number,
        name=names.get((place.section, place.pairing_number)) or _("no name"),
    )


def _alike(lines: list[ShownFinding]) -> tuple[tuple[ShownFinding, ...], ...]:
    """Return findings of the same kind, which one reason can settle."""
    kinds: dict[str, list[ShownFinding]] = {}
    for line in lines:
        if line.can_override:
            kinds.setdefault(line.kind, []).append(line)
    return tuple(tuple(own) for own in kinds.values() if len(own) > 1)


def _with_record(lines: list[ShownFinding]) -> tuple[ShownFinding, ...]:
    """Return a line for each entry whose record can be applied, if several."""
    entry_keys = {line.entry_key: line for line in reversed(lines) if line.record}
    return tuple(reversed(entry_keys.values())) if len(entry_keys) > 1 else ()


def _listed(
    findings: Sequence[Finding], overrides: Mapping[str, FindingOverride]
) -> Sequence[Finding]:
    """Return the findings to list; if there are too many, settled ones are last."""
    if len(findings) <= MAX_FINDINGS:
        return findings
    by_need = sorted(findings, key=lambda finding: is_settled(finding, overrides))
    return by_need[:MAX_FINDINGS]


def finding_line(
    finding: Finding, links: "Links", override: FindingOverride | None
) -> ShownFinding:
    level, word, _mark = SEVERITY_STYLES[finding.severity.value]
    if not can_be_overridden(finding):
        override = None  # it has become an error
    is_open = links.editable and override is None
    is_error = finding.severity == Severity.ERROR
    return ShownFinding(
        finding=translated_finding(finding),
        shown_key=finding.shown_key,
        level=level,
        word=str(word),
        place=_place_in_words(finding.place),
        place_url=links.of(finding.place),
        override=override,
        can_override=is_open
        and finding.severity in (Severity.CONFIRM, Severity.CAUTION),
        office_can_override=is_open and is_error and can_be_overridden(finding),
    )


def _place_in_words(place: Place) -> str:
    return translated_place(place) or _("Event")


@dataclass(frozen=True, slots=True)
class FixedEntry:
    """An entry that differs from what was reported."""

    key: str
    place: str
    url: str
    now: str
    was: str


def fixed_entries(reported: ReportedEvent, links: "Links") -> list[FixedEntry]:
    """Return the entries that were fixed, by place."""
    return [
        FixedEntry(
            key=f"{section.number}-{entry.pairing_number}",
            place=_place_in_words(Place("", section.number, entry.pairing_number)),
            url=links.entry(section.number, entry.pairing_number),
            now=entry.identity,
            was=reported_text(entry),
        )
        for section in reported.sections
        for entry in section.entries
        if entry.as_reported and section.entry(entry.pairing_number) is entry
    ]


def reported_text(entry: ReportedEntry) -> str:
    """Return what was reported, if a fix differs from it."""
    original = entry.as_reported
    if original is None:
        return ""
    if original.identity != entry.identity:
        return original.identity or _("no name")
    return _("other results or ratings")


def event_field_findings(lines: Iterable[ShownFinding]) -> dict[str, ShownFinding]:
    """Return the most severe finding of each of the event's own fields."""
    marks: dict[str, ShownFinding] = {}
    for line in lines:
        place = line.finding.place
        if place.section is None and place.field and not line.override:
            marks.setdefault(place.field, line)
    return marks


class Links:
    """Links within a report: to forms while it can be edited, else to rows."""

    def __init__(
        self,
        submission: Submission,
        table_base: str | None = None,
        user: User | None = None,
    ) -> None:
        self.editable = submission.is_editable
        self.can_fix = self.editable or (user is not None and can_fix(submission, user))
        self.base = reverse("events:report", args=[submission.pk])
        self.table_base = self.base if table_base is None else table_base

    def of(self, place: Place) -> str:
        """Return the link to the place where a finding can be fixed."""
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
        if not self.can_fix or section < 0 or number < 0:
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
