"""Write a section as FIDE's tournament report file, in the editions 2016 and 2026.

The format has neither affiliates nor sections. The edition of 2026 has comments, which
we use for them, and national lines, which have our members' IDs; the one of 2016 has
neither. Sex and birth date stay blank: these files are public.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from events.formats.dbf.writer import zip_files
from events.formats.report import ReportedEntry, ReportedEvent, ReportedSection
from events.formats.result_codes import DOUBLE_GAME_KIND, SINGLE, single_results
from events.formats.trf import headers
from events.formats.trf.lines import COLUMNS, COMMENT, PLAYER, TrfLine
from events.formats.trf.time_codes import format_seconds_code
from events.formats.trf.tournament import LAYOUT_2026

_END = "\r\n"
_RESULTS = {"W": "1", "N": "1", "L": "0", "S": "0", "D": "=", "R": "="}
_UNPLAYED = {"X": "+", "F": "-", "Z": "-", "H": "H", "U": "Z", "I": " "}
_NO_OPPONENT = "0000"
_CONTROLS = (headers.CONTROL, headers.CONTROL_CODE)
_OUR_RANKING = f"{headers.HOME_FEDERATION} OTHER"
_RIGHT_ALIGNED = frozenset({"rank", "rating", "number", "points", "place"})


@dataclass(frozen=True, slots=True)
class _Round:
    """One round of one player in the format: at most one game."""

    code: str = ""
    opponent: int | None = None
    color: str = ""


@dataclass(frozen=True, slots=True)
class _PlayerRounds:
    entry: ReportedEntry
    rounds: tuple[_Round, ...]

    @property
    def half_points(self) -> int:
        return sum(SINGLE[one.code].half_points for one in self.rounds if one.code)


def write_trf(reported: ReportedEvent, section: ReportedSection, layout: str) -> bytes:
    """Return *section*, written by rounds, in the edition *layout*.

    >>> report = ReportedEvent(name="May Open", sections=(ReportedSection(1),))
    >>> write_trf(report, report.sections[0], "TRF16").splitlines()[0]
    b'012 May Open'
    """
    rows = _rows(section)
    lines = [
        *_comments(reported, section, layout),
        *_heading(reported, section, rows, layout),
        *_players(rows),
        *(_national(rows) if layout == LAYOUT_2026 else ()),
        *(line for line in _kept_lines(section, layout) if not _is_header(line)),
    ]
    return "".join(f"{line}{_END}" for line in lines).encode()


def write_trf_files(reported: ReportedEvent, layout: str) -> dict[str, bytes]:
    """Return a file for each section of *reported*, by name."""
    return {
        f"{layout}-{section.number:02}.trf": write_trf(reported, section, layout)
        for section in reported.sections
    }


def zip_trf_files(reported: ReportedEvent, layout: str) -> bytes:
    """Return the files in a ZIP archive, the same bytes for the same report."""
    return zip_files(write_trf_files(reported, layout))


# Heading


def _comments(
    reported: ReportedEvent, section: ReportedSection, layout: str
) -> Iterator[str]:
    if layout != LAYOUT_2026:
        return
    yield f"{COMMENT} Event: {_single_line(reported.name)}"
    yield f"{COMMENT} Section {section.number}: {_single_line(section.name)}"
    if reported.affiliate_id:
        yield f"{COMMENT} Affiliate: {_single_line(reported.affiliate_id)}"
    if section.online:
        yield f"{COMMENT} Online: yes"


def _heading(
    reported: ReportedEvent,
    section: ReportedSection,
    rows: Sequence[_PlayerRounds],
    layout: str,
) -> list[str]:
    first, last = reported.dates_of(section)
    rated = sum(bool(row.entry.fide_rating) for row in rows)
    rounds = max((len(row.rounds) for row in rows), default=0)
    place = headers.place_text(reported.city, reported.state, reported.zip_code)
    made = [
        (headers.NAME, _name(reported, section)),
        (headers.CITY, place),
        (headers.FEDERATION, reported.country),
        (headers.STARTS, _day(first)),
        (headers.ENDS, _day(last)),
        (headers.PLAYERS, str(len(rows))),
        (headers.RATED_PLAYERS, str(rated)),
        # Checkers reject 0 rounds.
        (headers.ROUNDS, str(rounds) if rounds else ""),
        (headers.PROGRAM, reported.program),
    ]
    lines = [f"{tag} {_single_line(text)}" for tag, text in made if text]
    lines += _partly_stored_lines(reported, section, layout)
    lines += [line for line in _kept_lines(section, layout) if _is_header(line)]
    lines = [line for line in lines if _is_in_layout(line[:3], layout)]
    return sorted(lines, key=lambda line: line[:3])


def _name(reported: ReportedEvent, section: ReportedSection) -> str:
    if len(reported.sections) == 1:
        return reported.name
    return f"{reported.name} - {section.name or f'Section {section.number}'}"


def _partly_stored_lines(
    reported: ReportedEvent, section: ReportedSection, layout: str
) -> Iterator[str]:
    """Yield kind, arbiters and time control: as read, if they are still current.

    Data from a line of 2026 only is written in the words of 2016 if necessary.
    """
    stored: dict[str, list[str]] = {tag: [] for tag in headers.PARTLY_STORED}
    for line in _trf_lines(section):
        if line.tag in stored and _is_in_layout(line.tag, layout):
            stored[line.tag].append(line.value)
    chief = section.chief_td_id or reported.chief_td_id
    assistant = section.assistant_td_id or reported.assistant_td_id
    deputies = [one for one in (assistant, *reported.other_td_ids) if one]
    control = section.time_control
    groups: dict[tuple[str, ...], tuple[bool, list[tuple[str, str]]]] = {
        (headers.KIND, headers.KIND_CODE): (
            headers.find_kind(stored) == section.kind_letter,
            headers.kind_lines(section.kind_letter),
        ),
        (headers.CHIEF,): (
            _members(stored[headers.CHIEF])[:1] == [chief][: bool(chief)],
            [(headers.CHIEF, headers.member_id_line(chief))] if chief else [],
        ),
        (headers.DEPUTY,): (
            _members(stored[headers.DEPUTY]) == deputies,
            [(headers.DEPUTY, headers.member_id_line(one)) for one in deputies],
        ),
        _CONTROLS: (
            headers.find_time_control(stored) == control,
            [*zip(_CONTROLS, (control, format_seconds_code(control)), strict=True)],
        ),
        # The format requires it with national lines; our ranking is in no table.
        (headers.RANKING,): (True, [(headers.RANKING, _OUR_RANKING)]),
    }
    for tags, (is_current, made) in groups.items():
        kept = [(tag, text) for tag in tags for text in stored[tag]]
        for tag, text in kept if kept and is_current else made:
            if text:
                yield f"{tag} {_single_line(text)}"


def _members(texts: Sequence[str]) -> list[str]:
    return [member_id for text in texts if (member_id := headers.find_member_id(text))]


def _trf_lines(section: ReportedSection) -> list[TrfLine]:
    return [TrfLine(0, text) for text in section.trf_lines]


def _kept_lines(section: ReportedSection, layout: str) -> Iterator[str]:
    """Yield the lines that the report has no fields for, unchanged."""
    for line in _trf_lines(section):
        if line.tag not in headers.PARTLY_STORED and _is_in_layout(line.tag, layout):
            yield line.text


def _is_in_layout(tag: str, layout: str) -> bool:
    return layout == LAYOUT_2026 or tag not in headers.TAGS_2026


def _is_header(line: str) -> bool:
    return re.match(r"[0-3][0-9]2 ", line) is not None


# Players


def _players(rows: Sequence[_PlayerRounds]) -> Iterator[str]:
    byes = [
        sum(row.rounds[number].code == "B" for row in rows if number < len(row.rounds))
        for number in range(max((len(row.rounds) for row in rows), default=0))
    ]
    scores = sorted(-row.half_points for row in rows)
    for row in rows:
        entry = row.entry
        fields = _fields(
            PLAYER,
            rank=str(entry.pairing_number),
            name=entry.name,
            rating=entry.fide_rating,
            number=entry.fide_id,
            points=f"{row.half_points / 2:.1f}",
            place=str(bisect_left(scores, -row.half_points) + 1),
        )
        cells = (
            _round(one, allocated=byes[number] == 1)
            for number, one in enumerate(row.rounds)
        )
        yield f"{fields}{''.join(cells)}".rstrip()


def _national(rows: Sequence[_PlayerRounds]) -> Iterator[str]:
    for entry in (row.entry for row in rows):
        rating = re.match(r"[0-9]{0,4}", entry.rating)
        line = _fields(
            headers.HOME_FEDERATION,
            rank=str(entry.pairing_number),
            rating=rating[0] if rating else "",
            federation=entry.state,
            number=entry.member_id,
        )
        if entry.member_id or entry.rating or entry.state:
            yield line.rstrip()


def _fields(tag: str, **fields: str) -> str:
    """Return the fixed columns of a player's or a national line."""
    line = [tag]
    end = len(tag)
    for name, (first, last) in COLUMNS.items():
        width = last - first + 1
        text = _single_line(fields.get(name, ""))[:width]
        padded = text.rjust(width) if name in _RIGHT_ALIGNED else text.ljust(width)
        line.append(" " * (first - 1 - end) + padded)
        end = last
    return "".join(line)


def _round(one: _Round, *, allocated: bool) -> str:
    if not one.code:
        return " " * 10
    if one.code == "B":
        result = "U" if allocated else "F"
    else:
        result = _RESULTS.get(one.code) or _UNPLAYED[one.code]
    if one.opponent is None or one.code in "BHU":
        return f"  {_NO_OPPONENT} - {result}"
    return f"  {one.opponent:>4} {one.color.lower() or ' '} {result}"


def _rows(section: ReportedSection) -> list[_PlayerRounds]:
    entries = sorted(section.entries, key=lambda entry: entry.pairing_number)
    return [_PlayerRounds(entry, tuple(_rounds(section, entry))) for entry in entries]


def _rounds(section: ReportedSection, entry: ReportedEntry) -> Iterator[_Round]:
    """Yield the rounds; each game of a double round has its own."""
    double = section.has_double_games or section.has_double_codes
    kind = DOUBLE_GAME_KIND if double else section.kind_letter
    for cell in entry.cells:
        games = single_results(cell, kind, entry.pairing_number)
        for game in games:
            yield _Round(game.code, cell.opponent, game.color)
        for _ in range(len(games), 2 if double else 1):
            yield _Round()


def _single_line(text: str) -> str:
    """Return *text* without characters that would break the line or its columns."""
    return " ".join(
        "".join(letter if letter.isprintable() else " " for letter in text).split()
    )


def _day(day: date | None) -> str:
    return "" if day is None else f"{day.year:04}/{day.month:02}/{day.day:02}"
