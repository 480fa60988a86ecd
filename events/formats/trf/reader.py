"""Read FIDE's tournament report file (TRF16, TRF26) as a report of a domestic event.

A file has one tournament, which is one section of a report; several files together are
one event. Lines without fields in the report are kept unchanged with their section, so
that ``trf.writer`` can write them again. Nothing is raised, and no player line is
skipped.

As in all readers, faults that are visible in the report itself (an opponent that does
not exist, results that disagree) are left to ``checks``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import takewhile

from events.formats.findings import Collector, Place
from events.formats.online_play import is_address
from events.formats.report import ReportedEvent, event_of
from events.formats.translatable_text import translatable
from events.formats.trf import headers
from events.formats.trf.tournament import LAYOUT_2016, LAYOUT_2026, Tournament, TrfFile

# Between the names of an event and its section, if one line has both.
_NAME_SEPARATORS = " -–:,;/"
_MIN_COMMON_NAME_LENGTH = 4
# The longest time between the days of two sections of one event.
_MAX_GAP = timedelta(days=7)
_Days = tuple[date | None, date | None]


def read_tournaments(
    files: Sequence[tuple[str, bytes]], findings: Collector
) -> ReportedEvent | None:
    """Return the event whose sections are the *files* (name and content).

    None if no player can be read in any of them; the findings then say why.
    """
    trf_files = [TrfFile.parse(name, data) for name, data in files]
    names = _common_name([trf_file.name for trf_file in trf_files])
    tournaments = [
        Tournament(trf_file, number, findings)
        for number, trf_file in zip(_numbers(trf_files), trf_files, strict=True)
    ]
    read = [tournament for tournament in tournaments if tournament.read_players()]
    if not read:
        return None
    return _event(names, read)


def _numbers(trf_files: Sequence[TrfFile]) -> list[int]:
    """Return the sections' numbers from the files, or in the files' order."""
    numbers = [trf_file.number for trf_file in trf_files if trf_file.number]
    if len(numbers) == len(trf_files) and len(set(numbers)) == len(numbers):
        return numbers
    return list(range(1, len(trf_files) + 1))


def _common_name(names: Sequence[str]) -> str:
    """Return what the names of one event's sections have in common.

    >>> _common_name(["May Open - Open", "May Open - Under 1200"])
    'May Open'
    """
    return _shared_name(names) or names[0]


def _shared_name(names: Sequence[str]) -> str:
    if len(set(names)) == 1:
        return names[0]
    letters = takewhile(
        lambda letters: len(set(letters)) == 1, zip(*names, strict=False)
    )
    common = "".join(letter for letter, *_ in letters)
    # "May Open - U1200" and "May Open - U1600" have the letter in common, too.
    common = common[: max(common.rfind(mark) for mark in _NAME_SEPARATORS) + 1]
    common = common.strip(_NAME_SEPARATORS)
    return common if len(common) >= _MIN_COMMON_NAME_LENGTH else ""


# The event of several files


def _event(name: str, tournaments: Sequence[Tournament]) -> ReportedEvent:
    days = [tournament.days() for tournament in tournaments]
    _report_other_events(tournaments, days)
    sections = []
    for tournament, (first, last) in zip(tournaments, days, strict=True):
        whole = tournament.trf_file.name
        own = whole.removeprefix(name).strip(_NAME_SEPARATORS)
        # The only tournament of an event has the name of the event.
        section = tournament.section(own or whole)
        sections.append(replace(section, starts=first, ends=last))
    trf_files = [tournament.trf_file for tournament in tournaments]
    place = _first(trf_files, headers.CITY)
    country = _first(trf_files, headers.FEDERATION)
    chiefs = _unique(tournaments, headers.CHIEF)
    deputies = _unique(tournaments, headers.DEPUTY)
    is_of_2026 = any(trf_file.is_of_2026 for trf_file in trf_files)
    return event_of(
        sections,
        layout=LAYOUT_2026 if is_of_2026 else LAYOUT_2016,
        program=_first(trf_files, headers.PROGRAM)[:10],
        name=_first_fact(trf_files, translatable("Event")) or name,
        affiliate_id=_first_fact(trf_files, translatable("Affiliate")).upper(),
        city="" if is_address(place) else place,
        country="" if is_address(country) else country,
        chief_td_id=next(iter(chiefs), ""),
        assistant_td_id=next(iter(deputies), ""),
        other_td_ids=tuple(chiefs[1:] + deputies[1:]),
    )


def _report_other_events(
    tournaments: Sequence[Tournament], days: Sequence[_Days]
) -> None:
    """Report files that differ from the first one in name, or by many days."""
    first, *others = zip(tournaments, days, strict=True)
    for other in others:
        trf_file, file = other[0].trf_file, other[0].trf_file.file
        is_other = _is_other_name(first[0].trf_file, trf_file)
        if is_other or _is_long_after(first[1], other[1]):
            place = Place(file=file)
            other[0].findings.add("file.other_event/tournament", place, name=file)


def _is_other_name(first: TrfFile, other: TrfFile) -> bool:
    events = [
        _first_fact([trf_file], translatable("Event")) for trf_file in (first, other)
    ]
    names = events if all(events) else [first.name, other.name]
    short, long = sorted(names, key=len)
    return bool(short) and not long.startswith(short) and not _shared_name(names)


def _is_long_after(first: _Days, other: _Days) -> bool:
    """Return whether the days of two files are too far apart for one event."""
    (_, ends), (later_begins, _) = sorted(
        (first, other), key=lambda days: days[0] or date.min
    )
    return bool(ends and later_begins and later_begins - ends > _MAX_GAP)


def _first(trf_files: Sequence[TrfFile], tag: str) -> str:
    return next((value for trf_file in trf_files if (value := trf_file.value(tag))), "")


def _first_fact(trf_files: Sequence[TrfFile], name: str) -> str:
    return next(
        (text for trf_file in trf_files if (text := trf_file.facts.get(name))), ""
    )


def _unique(tournaments: Sequence[Tournament], tag: str) -> list[str]:
    member_ids = [
        one for tournament in tournaments for one in tournament.directors(tag)
    ]
    return list(dict.fromkeys(member_ids))
