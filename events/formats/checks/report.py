"""Checks of a rating report that need nothing but the report.

They run on the working copy, so a finding disappears when its fault is fixed. Checks
that need the database (members, affiliates, TDs, time controls, events that were
already reported) are elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta

from events.formats.checks.results import ResultsCheck
from events.formats.checks.schedules import check_schedules
from events.formats.dbf.layout_2c import FORMAT, SECTION_TYPES
from events.formats.dbf.writer import text_findings
from events.formats.findings import Collector, Finding, Place, Severity
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    is_temporary_id,
)
from events.formats.translatable_text import translatable, translatable_date
from events.formats.trf.tournament import LAYOUTS as TRF_LAYOUTS

__all__ = ["LONGEST_SECTION", "check_report"]

LONGEST_SECTION = timedelta(days=42)
NO_MEMBER_ID = "00000000"

_MEMBER_ID = re.compile(r"[0-9]{8}", re.ASCII)
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
    place = Place()
    if reported.layout not in (FORMAT, *TRF_LAYOUTS):
        findings.add(
            "event.layout" if reported.layout else "event.layout/missing",
            Place(field="layout"),
            layout=reported.layout,
            format=FORMAT,
        )
    if not reported.name:
        findings.add("event.name_missing", Place(field="name"))
    _check_event_dates(reported, findings)
    _check_affiliate(reported.affiliate_id, findings)
    if _is_missing_id(reported.chief_td_id):
        findings.add("event.chief_td_missing", Place(field="chief_td_id"))
    officials = (
        ("chief_td_id", reported.chief_td_id),
        ("assistant_td_id", reported.assistant_td_id),
        *(("other_td_ids", member_id) for member_id in reported.other_td_ids),
    )
    _check_tds("event.td_malformed", place, officials, findings)
    if not reported.city or not reported.state:
        if reported.city:
            findings.add("event.place_missing/state", Place(field="state"))
        else:
            findings.add("event.place_missing", Place(field="city"))
    if reported.send_crosstable not in ("T", "A", "N"):
        findings.add(
            "event.send_crosstable",
            Place(field="send_crosstable"),
            send_crosstable=reported.send_crosstable,
        )


def _check_event_dates(reported: ReportedEvent, findings: Collector) -> None:
    if reported.starts is None:
        findings.add("event.dates_missing", Place(field="starts"))
    if reported.ends is None:
        findings.add("event.dates_missing/ends", Place(field="ends"))
    if reported.starts and reported.ends and reported.ends < reported.starts:
        findings.add(
            "event.dates_reversed",
            Place(field="ends"),
            last_day=translatable_date(reported.ends),
            first_day=translatable_date(reported.starts),
        )


def _check_affiliate(affiliate_id: str, findings: Collector) -> None:
    if not affiliate_id:
        findings.add("event.affiliate_missing", Place(field="affiliate_id"))
    elif not _AFFILIATE_ID.fullmatch(affiliate_id):
        findings.add(
            "event.affiliate_malformed",
            Place(field="affiliate_id"),
            affiliate_id=affiliate_id,
        )


def _check_tds(
    code: str,
    place: Place,
    officials: Iterable[tuple[str, str]],
    findings: Collector,
) -> None:
    for field, member_id in officials:
        if not _is_missing_id(member_id) and not _MEMBER_ID.fullmatch(member_id):
            where = Place(section=place.section, field=field)
            findings.add(code, where, member_id=member_id)


def _is_missing_id(member_id: str) -> bool:
    return member_id in ("", NO_MEMBER_ID)


def _check_section_numbers(reported: ReportedEvent, findings: Collector) -> None:
    numbers = [section.number for section in reported.sections]
    if not numbers:
        findings.add("event.no_sections", Place())
        return
    if reported.total_sections != len(numbers):
        stated = reported.total_sections
        findings.add(
            "event.section_count" + ("/none" if stated is None else ""),
            Place(field="total_sections"),
            said=stated,
            numbers=len(numbers),
        )
    for number, count in Counter(numbers).items():
        if count > 1:
            findings.add(
                "section.number_repeated",
                Place(section=number),
                count=count,
                number=number,
            )
    if set(numbers) != set(range(1, len(set(numbers)) + 1)):
        listed = ", ".join(str(number) for number in sorted(set(numbers))[:20])
        findings.add("section.numbers_gap", Place(), listed=listed)


# A section's own fields


def _check_section(
    reported: ReportedEvent, section: ReportedSection, findings: Collector
) -> None:
    place = Place(section=section.number)
    if section.number < 1:
        findings.add("section.number_invalid", place)
    for field, missing in (
        ("name", not section.name),
        ("time_control", not section.time_control),
        ("kind", not section.kind_letter),
        ("rounds", section.rounds is None or section.rounds < 1),
    ):
        if missing:
            where = Place(
                section=section.number,
                field="kind_letter" if field == "kind" else field,
            )
            findings.add(f"section.{field}_missing", where)
    if section.kind_letter and section.kind_letter not in SECTION_TYPES:
        known = ", ".join(
            f"{letter} ({kind})" for letter, kind in SECTION_TYPES.items()
        )
        findings.add(
            "section.kind_unknown",
            Place(section=section.number, field="kind_letter"),
            kind_letter=section.kind_letter,
            known=known,
        )
    if section.system_letter not in ("", "R", "D", "Q", "B"):
        findings.add(
            "section.system_letter",
            Place(section=section.number, field="system_letter"),
            system_letter=section.system_letter,
        )
    if section.scholastic_level not in ("", "N", "S", "P", "J"):
        findings.add(
            "section.scholastic_level",
            Place(section=section.number, field="scholastic_level"),
            scholastic_level=section.scholastic_level,
        )
    if section.grand_prix_points and not section.grand_prix:
        findings.add(
            "section.grand_prix",
            Place(section=section.number, field="grand_prix"),
            grand_prix_points=section.grand_prix_points,
        )
    officials = (
        ("chief_td_id", section.chief_td_id),
        ("assistant_td_id", section.assistant_td_id),
    )
    _check_tds("section.td_malformed", place, officials, findings)
    _check_section_dates(reported, section, findings)
    _check_section_size(section, findings)


def _check_section_dates(
    reported: ReportedEvent, section: ReportedSection, findings: Collector
) -> None:
    starts, ends = reported.dates_of(section)
    if starts is None or ends is None:
        return
    place = Place(section=section.number, field="starts" if section.starts else "ends")
    own_dates = section.starts is not None or section.ends is not None
    if own_dates and ends < starts:
        findings.add(
            "section.dates_reversed",
            place,
            last_day=translatable_date(ends),
            first_day=translatable_date(starts),
        )
    elif own_dates and _is_outside_event(reported, starts, ends):
        findings.add(
            "section.outside_event",
            place,
            first_day=translatable_date(starts),
            last_day=translatable_date(ends),
        )
    if ends - starts > LONGEST_SECTION:
        findings.add(
            "section.long",
            Place(section=section.number, field="dates"),
            days=(ends - starts).days + 1,
        )


def _is_outside_event(reported: ReportedEvent, starts: date, ends: date) -> bool:
    return (reported.starts is not None and starts < reported.starts) or (
        reported.ends is not None and ends > reported.ends
    )


def _check_section_size(section: ReportedSection, findings: Collector) -> None:
    numbers = [entry.pairing_number for entry in section.entries]
    if not numbers:
        findings.add("section.no_entries", Place(section=section.number))
        return
    highest = max(numbers)
    if section.last_pairing_number != highest:
        stated = section.last_pairing_number
        findings.add(
            "section.last_pairing_number" + ("/none" if stated is None else ""),
            Place(section=section.number, field="last_pairing_number"),
            said=stated,
            highest=highest,
        )
    # Counting only up to the number of entries keeps a hostile "9999" cheap.
    absent = sorted(set(range(1, len(numbers) + 1)) - set(numbers))
    if absent:
        more = len(absent) - 10
        several = "/more" if more > 0 else "/several"
        named = {cell.opponent for entry in section.entries for cell in entry.cells}
        findings.add(
            "section.pairing_numbers_gap" + (several if len(absent) > 1 else ""),
            Place(section=section.number),
            # A bye's row, or an entry without results, may have been removed.
            severity=Severity.CAUTION if named.isdisjoint(absent) else Severity.ERROR,
            missing=", ".join(str(number) for number in absent[:10]),
            more=more,
        )
    if section.kind_letter == "M" and len(numbers) != 2:
        findings.add(
            "section.match_players",
            Place(section=section.number, field="kind_letter"),
            numbers=len(numbers),
        )


# Entries


def _check_entries(section: ReportedSection, findings: Collector) -> None:
    by_member: dict[str, int] = {}
    seen: set[int] = set()
    for entry in section.entries:
        place = Place(section=section.number, pairing_number=entry.pairing_number)
        _check_pairing_number(entry, seen, place, findings)
        _check_member_id(entry, by_member, place, findings)
        _check_foreign_ratings(entry, place, findings)
        if not entry.name:
            findings.add("entry.name_missing", replace(place, field="name"))


def _check_pairing_number(
    entry: ReportedEntry, seen: set[int], place: Place, findings: Collector
) -> None:
    number = entry.pairing_number
    shown = entry.name or entry.member_id or translatable("an entry")
    if number < 1:
        findings.add("entry.pairing_number_invalid", place, shown=shown)
    elif number in seen:
        findings.add("entry.pairing_number_repeated", place, number=number, shown=shown)
    seen.add(number)


def _check_member_id(
    entry: ReportedEntry, by_member: dict[str, int], place: Place, findings: Collector
) -> None:
    where = replace(place, field="member_id")
    if _is_missing_id(entry.member_id):
        findings.add(
            "entry.member_id_missing",
            where,
            name=entry.name or translatable("this player"),
        )
    elif not _is_valid_member_id(entry.member_id):
        findings.add("entry.member_id_malformed", where, member_id=entry.member_id)
    elif entry.member_id in by_member:
        findings.add(
            "entry.member_repeated",
            where,
            member_id=entry.member_id,
            by_member=by_member[entry.member_id],
        )
    else:
        by_member[entry.member_id] = entry.pairing_number


def _is_valid_member_id(member_id: str) -> bool:
    """Return whether it is a member ID or the temporary number of a new member."""
    return bool(_MEMBER_ID.fullmatch(member_id)) or is_temporary_id(member_id)


def _check_foreign_ratings(
    entry: ReportedEntry, place: Place, findings: Collector
) -> None:
    for federation, field, text, form in (
        ("FIDE", "fide_id", entry.fide_id, _FOREIGN_ID),
        ("FIDE", "fide_rating", entry.fide_rating, _FOREIGN_RATING),
        ("CFC", "cfc_id", entry.cfc_id, _FOREIGN_ID),
        ("CFC", "cfc_rating", entry.cfc_rating, _FOREIGN_RATING),
    ):
        if text and not form.fullmatch(text):
            findings.add(
                "entry.foreign_rating" + ("/id" if form is _FOREIGN_ID else ""),
                replace(place, field=field),
                federation=federation,
                written=text,
            )
