"""Reading of FIDE's tournament report file (TRF16, TRF26) as a report of an event here.

A file holds one tournament, which is one section here; several files together are one
event. Of each line the report takes what it has a place for; all other lines stay with
their section as they are, so that ``trf_write`` can give them back. Nothing is raised,
and no player line is left out.

As everywhere, what can be seen in the report itself (an opponent that does not exist,
results that disagree) is left to ``checks``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import takewhile

from events.importers.findings import Collector, Place
from events.importers.online_play import is_address, server_in
from events.importers.records import ReportedEvent
from events.importers.sentences import say
from events.importers.trf import heads
from events.importers.trf.tournament import (
    LAYOUT_2016,
    LAYOUT_2026,
    Sheet,
    Tournament,
)

# Between the name of an event and that of its section, where one line has both.
_BETWEEN_NAMES = " -–:,;/"
_SHORTEST_COMMON_NAME = 4
# Between the days of two sections of one event at most.
_APART = timedelta(days=7)
_Days = tuple[date | None, date | None]


def read_tournaments(
    files: Sequence[tuple[str, bytes]], findings: Collector
) -> ReportedEvent | None:
    """Return the event whose sections are the *files* (name and content).

    None if no player can be read in any of them; the findings then say why.
    """
    sheets = [Sheet.of(name, data) for name, data in files]
    names = _common_name([sheet.name for sheet in sheets])
    tournaments = [
        Tournament(sheet, number, findings)
        for number, sheet in zip(_numbers(sheets), sheets, strict=True)
    ]
    read = [tournament for tournament in tournaments if tournament.read_players()]
    if not read:
        return None
    return _event(names, read)


def _numbers(sheets: Sequence[Sheet]) -> list[int]:
    """Return the sections' numbers as the files say, or in the files' order."""
    said = [sheet.number for sheet in sheets if sheet.number]
    if len(said) == len(sheets) and len(set(said)) == len(said):
        return said
    return list(range(1, len(sheets) + 1))


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
    common = common[: max(common.rfind(mark) for mark in _BETWEEN_NAMES) + 1]
    common = common.strip(_BETWEEN_NAMES)
    return common if len(common) >= _SHORTEST_COMMON_NAME else ""


# The event of several files


def _event(name: str, tournaments: Sequence[Tournament]) -> ReportedEvent:
    days = [tournament.days() for tournament in tournaments]
    _tell_other_events(tournaments, days)
    starts = min((first for first, _ in days if first), default=None)
    ends = max((last for _, last in days if last), default=None)
    sections = []
    for tournament, (first, last) in zip(tournaments, days, strict=True):
        whole = tournament.sheet.name
        own = whole.removeprefix(name).strip(_BETWEEN_NAMES)
        sections.append(
            replace(
                # The only tournament of an event is called like the event.
                tournament.section(own or whole),
                starts=None if first == starts else first,
                ends=None if last == ends else last,
            )
        )
    sheets = [tournament.sheet for tournament in tournaments]
    place = _first(sheets, heads.CITY)
    is_place = not (is_address(place) or server_in([place]))
    city, state, zip_code = heads.place_in(place if is_place else "")
    country = _first(sheets, heads.FEDERATION)
    chiefs = _unique(tournaments, heads.CHIEF)
    deputies = _unique(tournaments, heads.DEPUTY)
    others = chiefs[1:] + deputies[1:]
    return ReportedEvent(
        layout=LAYOUT_2026
        if any(sheet.is_of_2026 for sheet in sheets)
        else LAYOUT_2016,
        program=_first(sheets, heads.PROGRAM)[:10],
        name=_first_fact(sheets, say("Event")) or name,
        starts=starts,
        ends=ends,
        affiliate_id=_first_fact(sheets, say("Affiliate")).upper(),
        city=city,
        state=state,
        zip_code=zip_code,
        country="" if is_address(country) or server_in([country]) else country,
        send_crosstable="N",
        chief_td_id=chiefs[0] if chiefs else "",
        assistant_td_id=deputies[0] if deputies else "",
        other_td_ids=tuple(others),
        sections=tuple(sections),
        total_sections=len(sections),
    )


def _tell_other_events(
    tournaments: Sequence[Tournament], days: Sequence[_Days]
) -> None:
    """Say which files differ from the first one in name, or by many days."""
    first, *others = zip(tournaments, days, strict=True)
    for other in others:
        sheet = other[0].sheet
        if _is_other_name(first[0].sheet, sheet) or _is_long_after(first[1], other[1]):
            other[0].findings.add(
                "file.other_event/tournament", Place(file=sheet.file), name=sheet.file
            )


def _is_other_name(first: Sheet, other: Sheet) -> bool:
    events = [_first_fact([sheet], say("Event")) for sheet in (first, other)]
    names = events if all(events) else [first.name, other.name]
    short, long = sorted(names, key=len)
    return bool(short) and not long.startswith(short) and not _shared_name(names)


def _is_long_after(first: _Days, other: _Days) -> bool:
    """Tell whether the days of two files lie apart as those of sections do not."""
    (_, ends), (later_begins, _) = sorted(
        (first, other), key=lambda days: days[0] or date.min
    )
    return bool(ends and later_begins and later_begins - ends > _APART)


def _first(sheets: Sequence[Sheet], tag: str) -> str:
    return next((value for sheet in sheets if (value := sheet.value(tag))), "")


def _first_fact(sheets: Sequence[Sheet], name: str) -> str:
    return next((text for sheet in sheets if (text := sheet.facts.get(name))), "")


def _unique(tournaments: Sequence[Tournament], tag: str) -> list[str]:
    found = [one for tournament in tournaments for one in tournament.directors(tag)]
    return list(dict.fromkeys(found))
