"""Checks of a rating report that need nothing but the report.

They run on the working copy, so a finding disappears when its fault is fixed. Checks
that need the database (members, affiliates, TDs, time controls, events that were
already reported) are elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, timedelta

from events.formats.checks.results import ResultsCheck
from events.formats.checks.schedules import check_schedules
from events.formats.dbf.layout_2c import FORMAT, SECTION_TYPES
from events.formats.dbf.writer import text_findings
from events.formats.findings import AddFinding, Collector, Finding, Place, Severity
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    is_temporary_id,
)
from events.formats.translatable_text import translatable, translatable_date
from events.formats.trf.tournament import LAYOUTS as TRF_LAYOUTS
from players.formats.member_ids import MEMBER_ID

LONGEST_SECTION = timedelta(days=42)

_AFFILIATE_ID = re.compile(r"[AH][0-9]{7}", re.ASCII)
_FOREIGN_ID = re.compile(r"[0-9]{1,10}", re.ASCII)
_FOREIGN_RATING = re.compile(r"[0-9]{3,4}", re.ASCII)


def check_report(reported: ReportedEvent) -> list[Finding]:
    """Return the findings about *reported*, most severe first.

    >>> for finding in check_report(ReportedEvent(name="May Open"))[:2]:
    ...     print(finding)
    The event has no sections. Export the report again from your pairing program.
    The affiliate ID is missing. Enter the letter A and seven digits.
    """
    findings = Collector()
    _check_event(reported, findings)
    _check_section_numbers(reported, findings)
    for section in reported.sections:
        _check_section(reported, section, findings)
        _check_entries(section, findings)
        check_schedules(reported, section, findings)
        ResultsCheck(section, findings).check()
    findings.extend(text_findings(reported))
    return findings.in_order()


# The event


def _check_event(reported: ReportedEvent, findings: Collector) -> None:
    add = findings.at(Place())
    if reported.layout not in (FORMAT, *TRF_LAYOUTS):
        name = "event.layout" if reported.layout else "event.layout/missing"
        add(name, "layout", layout=reported.layout, format=FORMAT)
    if not reported.name:
        add("event.name_missing", "name")
    _check_event_dates(reported, add)
    affiliate_id = reported.affiliate_id
    if not affiliate_id:
        add("event.affiliate_missing", "affiliate_id")
    elif not _AFFILIATE_ID.fullmatch(affiliate_id):
        add("event.affiliate_malformed", "affiliate_id", affiliate_id=affiliate_id)
    if is_missing_id(reported.chief_td_id):
        add("event.chief_td_missing", "chief_td_id")
    _check_tds("event.td_malformed", reported, add)
    for member_id in filter(_is_malformed_id, reported.other_td_ids):
        add("event.td_malformed" + _form(), "other_td_ids", member_id=member_id)
    if not reported.city:
        add("event.place_missing", "city")
    elif not reported.state:
        add("event.place_missing/state", "state")
    if reported.send_crosstable not in ("T", "A", "N"):
        letter = reported.send_crosstable
        add("event.send_crosstable", "send_crosstable", send_crosstable=letter)


def _check_event_dates(reported: ReportedEvent, add: AddFinding) -> None:
    starts, ends = reported.starts, reported.ends
    if starts is None:
        add("event.dates_missing", "starts")
    if ends is None:
        add("event.dates_missing/ends", "ends")
    if starts and ends and ends < starts:
        add("event.dates_reversed", "ends", **_dates_shown(starts, ends))


def _dates_shown(starts: date, ends: date) -> dict[str, str]:
    return {"first_day": translatable_date(starts), "last_day": translatable_date(ends)}


def _check_tds(
    name: str, record: ReportedEvent | ReportedSection, add: AddFinding
) -> None:
    for field in ("chief_td_id", "assistant_td_id"):
        if _is_malformed_id(member_id := getattr(record, field)):
            add(name + _form(), field, member_id=member_id)


def is_missing_id(member_id: str) -> bool:
    return member_id in ("", "00000000", "0" * len(MEMBER_ID.places))


def _is_malformed_id(member_id: str) -> bool:
    return not (is_missing_id(member_id) or MEMBER_ID.shape.fullmatch(member_id))


def _form() -> str:
    """Return which sentence says what a member ID of this office looks like."""
    return "" if MEMBER_ID.is_eight_digits else "/other"


def _check_section_numbers(reported: ReportedEvent, findings: Collector) -> None:
    numbers = [section.number for section in reported.sections]
    add = findings.at(Place())
    if not numbers:
        add("event.no_sections")
        return
    stated = reported.total_sections
    if stated != len(numbers):
        name = "event.section_count" + ("/none" if stated is None else "")
        add(name, "total_sections", said=stated, numbers=len(numbers))
    for number, count in Counter(numbers).items():
        if count > 1:
            place = Place(section=number)
            findings.add("section.number_repeated", place, count=count, number=number)
    if set(numbers) != set(range(1, len(set(numbers)) + 1)):
        listed = ", ".join(str(number) for number in sorted(set(numbers))[:20])
        add("section.numbers_gap", listed=listed)


# A section's own fields

_LETTERS = {"system_letter": "RDQB", "scholastic_level": "NSPJ"}


def _check_section(
    reported: ReportedEvent, section: ReportedSection, findings: Collector
) -> None:
    add = findings.at(Place(section=section.number))
    if section.number < 1:
        add("section.number_invalid")
    for field, name in (
        ("name", "section.name_missing"),
        ("time_control", "section.time_control_missing"),
        ("kind_letter", "section.kind_missing"),
    ):
        if not getattr(section, field):
            add(name, field)
    if section.rounds is None or section.rounds < 1:
        add("section.rounds_missing", "rounds")
    letter = section.kind_letter
    if letter and letter not in SECTION_TYPES:
        known = ", ".join(f"{one} ({kind})" for one, kind in SECTION_TYPES.items())
        add("section.kind_unknown", "kind_letter", kind_letter=letter, known=known)
    for field, letters in _LETTERS.items():
        letter = getattr(section, field)
        if letter not in ("", *letters):
            add(f"section.{field}", field, **{field: letter})
    points = section.grand_prix_points
    if points and not section.grand_prix:
        add("section.grand_prix", "grand_prix", grand_prix_points=points)
    _check_tds("section.td_malformed", section, add)
    _check_section_dates(reported, section, add)
    _check_section_size(section, add)


def _check_section_dates(
    reported: ReportedEvent, section: ReportedSection, add: AddFinding
) -> None:
    starts, ends = reported.dates_of(section)
    if starts is None or ends is None:
        return
    field = "starts" if section.starts else "ends"
    own_dates = section.starts is not None or section.ends is not None
    if own_dates and ends < starts:
        add("section.dates_reversed", field, **_dates_shown(starts, ends))
    elif own_dates and _is_outside_event(reported, starts, ends):
        add("section.outside_event", field, **_dates_shown(starts, ends))
    if ends - starts > LONGEST_SECTION:
        add("section.long", "dates", days=(ends - starts).days + 1)


def _is_outside_event(reported: ReportedEvent, starts: date, ends: date) -> bool:
    return (reported.starts is not None and starts < reported.starts) or (
        reported.ends is not None and ends > reported.ends
    )


def _check_section_size(section: ReportedSection, add: AddFinding) -> None:
    numbers = [entry.pairing_number for entry in section.entries]
    if not numbers:
        add("section.no_entries")
        return
    highest, stated = max(numbers), section.last_pairing_number
    if stated != highest:
        name = "section.last_pairing_number" + ("/none" if stated is None else "")
        add(name, "last_pairing_number", said=stated, highest=highest)
    # Counting only up to the number of entries keeps a hostile "9999" cheap.
    absent = sorted(set(range(1, len(numbers) + 1)) - set(numbers))
    if absent:
        more = len(absent) - 10
        several = "/more" if more > 0 else "/several"
        named = {cell.opponent for entry in section.entries for cell in entry.cells}
        add(
            "section.pairing_numbers_gap" + (several if len(absent) > 1 else ""),
            # A bye's row, or an entry without results, may have been removed.
            severity=Severity.CAUTION if named.isdisjoint(absent) else Severity.ERROR,
            missing=", ".join(str(number) for number in absent[:10]),
            more=more,
        )
    if section.kind_letter == "M" and len(numbers) != 2:
        add("section.match_players", "kind_letter", numbers=len(numbers))


# Entries


def _check_entries(section: ReportedSection, findings: Collector) -> None:
    by_member: dict[str, int] = {}
    seen: set[int] = set()
    for entry in section.entries:
        place = Place(section=section.number, pairing_number=entry.pairing_number)
        add = findings.at(place)
        _check_pairing_number(entry, seen, add)
        _check_member_id(entry, by_member, add)
        _check_foreign_ratings(entry, add)
        if not entry.name:
            add("entry.name_missing", "name")


def _check_pairing_number(
    entry: ReportedEntry, seen: set[int], add: AddFinding
) -> None:
    number = entry.pairing_number
    shown = entry.name or entry.member_id or translatable("an entry")
    if number < 1:
        add("entry.pairing_number_invalid", shown=shown)
    elif number in seen:
        add("entry.pairing_number_repeated", number=number, shown=shown)
    seen.add(number)


def _check_member_id(
    entry: ReportedEntry, by_member: dict[str, int], add: AddFinding
) -> None:
    member_id = entry.member_id
    if is_missing_id(member_id):
        name = entry.name or translatable("this player")
        add("entry.member_id_missing", "member_id", name=name)
    elif _is_malformed_id(member_id) and not is_temporary_id(member_id):
        name = "entry.member_id_malformed" + _form()
        add(name, "member_id", member_id=member_id)
    elif member_id in by_member:
        values = {"member_id": member_id, "by_member": by_member[member_id]}
        add("entry.member_repeated", "member_id", **values)
    else:
        by_member[member_id] = entry.pairing_number


_FOREIGN_FIELDS = (
    ("FIDE", "fide_id", _FOREIGN_ID, "entry.foreign_rating/id"),
    ("FIDE", "fide_rating", _FOREIGN_RATING, "entry.foreign_rating"),
    ("CFC", "cfc_id", _FOREIGN_ID, "entry.foreign_rating/id"),
    ("CFC", "cfc_rating", _FOREIGN_RATING, "entry.foreign_rating"),
)


def _check_foreign_ratings(entry: ReportedEntry, add: AddFinding) -> None:
    for federation, field, form, name in _FOREIGN_FIELDS:
        text = getattr(entry, field)
        if text and not form.fullmatch(text):
            add(name, field, federation=federation, written=text)
