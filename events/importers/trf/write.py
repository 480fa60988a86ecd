"""Writing of a section as FIDE's tournament report file, in the editions 2016 and 2026.

The format knows neither affiliates nor sections. The edition of 2026 has comments, in
which they stand, and national lines, which have our members' IDs; the one of 2016 has
neither. Sex and birth date stay blank: these files are public.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from events.importers.dbf.write import zipped
from events.importers.outcomes import DOUBLE_GAME_KIND, SINGLE, games_of
from events.importers.records import ReportedEntry, ReportedEvent, ReportedSection
from events.importers.trf import heads
from events.importers.trf.lines import COLUMNS, COMMENT, PLAYER, TrfLine
from events.importers.trf.times import seconds_code
from events.importers.trf.tournament import LAYOUT_2026

_END = "\r\n"
_RESULTS = {"W": "1", "N": "1", "L": "0", "S": "0", "D": "=", "R": "="}
_UNPLAYED = {"X": "+", "F": "-", "Z": "-", "H": "H", "U": "Z", "I": " "}
_NO_OPPONENT = "0000"
_TO_THE_RIGHT = frozenset({"rank", "rating", "number", "points", "place"})


@dataclass(frozen=True, slots=True)
class _Round:
    """One round of one player as the format tells it: at most one game."""

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
    """Return *section*, told by rounds, in the edition *layout*.

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
        *(line for line in _kept(section, layout) if not _is_head(line)),
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
    return zipped(write_trf_files(reported, layout))


# Heading


def _comments(
    reported: ReportedEvent, section: ReportedSection, layout: str
) -> Iterator[str]:
    if layout != LAYOUT_2026:
        return
    yield f"{COMMENT} Event: {_line(reported.name)}"
    yield f"{COMMENT} Section {section.number}: {_line(section.name)}"
    if reported.affiliate_id:
        yield f"{COMMENT} Affiliate: {_line(reported.affiliate_id)}"
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
    made = [
        (heads.NAME, _name(reported, section)),
        (
            heads.CITY,
            heads.place_text(reported.city, reported.state, reported.zip_code),
        ),
        (heads.FEDERATION, reported.country),
        (heads.STARTS, _day(first)),
        (heads.ENDS, _day(last)),
        (heads.PLAYERS, str(len(rows))),
        (heads.RATED_PLAYERS, str(rated)),
        # Nobody has played 0 rounds: checkers refuse that.
        (heads.ROUNDS, str(rounds) if rounds else ""),
        (heads.PROGRAM, reported.program),
    ]
    lines = [f"{tag} {_line(text)}" for tag, text in made if text]
    lines += _held_in_part(reported, section, layout)
    lines += [line for line in _kept(section, layout) if _is_head(line)]
    lines = [line for line in lines if _belongs(line[:3], layout)]
    return sorted(lines, key=lambda line: line[:3])


def _name(reported: ReportedEvent, section: ReportedSection) -> str:
    if len(reported.sections) == 1:
        return reported.name
    return f"{reported.name} - {section.name or f'Section {section.number}'}"


def _held_in_part(
    reported: ReportedEvent, section: ReportedSection, layout: str
) -> Iterator[str]:
    """Yield kind, arbiters and time control: as they came, if they are still true.

    What only a line of 2026 said is said in the words of 2016 if need be.
    """
    came: dict[str, list[str]] = {tag: [] for tag in heads.HELD_IN_PART}
    for line in _trf_lines(section):
        if line.tag in came and _belongs(line.tag, layout):
            came[line.tag].append(line.value)
    chief = section.chief_td_id or reported.chief_td_id
    assistant = section.assistant_td_id or reported.assistant_td_id
    deputies = [one for one in (assistant, *reported.other_td_ids) if one]
    control = section.time_control
    groups = (
        (
            (heads.KIND, heads.KIND_CODE),
            heads.kind_in(came) == section.kind_letter,
            heads.kind_lines(section.kind_letter),
        ),
        (
            (heads.CHIEF,),
            _members(came[heads.CHIEF])[:1] == [chief][: bool(chief)],
            [(heads.CHIEF, heads.member_id_line(chief))] if chief else [],
        ),
        (
            (heads.DEPUTY,),
            _members(came[heads.DEPUTY]) == deputies,
            [(heads.DEPUTY, heads.member_id_line(one)) for one in deputies],
        ),
        (
            (heads.CONTROL, heads.CONTROL_CODE),
            heads.control_in(came) == control,
            [(heads.CONTROL, control), (heads.CONTROL_CODE, seconds_code(control))],
        ),
        # The format asks for it beside national lines; how we rank is in no table.
        ((heads.RANKING,), True, [(heads.RANKING, f"{heads.HOME} OTHER")]),
    )
    for tags, still_true, made in groups:
        told = [(tag, text) for tag in tags for text in came[tag]]
        for tag, text in told if told and still_true else made:
            if text:
                yield f"{tag} {_line(text)}"


def _members(texts: Sequence[str]) -> list[str]:
    return [found for text in texts if (found := heads.member_id_in(text))]


def _trf_lines(section: ReportedSection) -> list[TrfLine]:
    return [TrfLine(0, text) for text in section.trf_lines]


def _kept(section: ReportedSection, layout: str) -> Iterator[str]:
    """Yield the lines that the report has no place for, as they came."""
    for line in _trf_lines(section):
        if line.tag not in heads.HELD_IN_PART and _belongs(line.tag, layout):
            yield line.text


def _belongs(tag: str, layout: str) -> bool:
    return layout == LAYOUT_2026 or tag not in heads.OF_2026


def _is_head(line: str) -> bool:
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
            heads.HOME,
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
        text = _line(fields.get(name, ""))[:width]
        set_in = text.rjust(width) if name in _TO_THE_RIGHT else text.ljust(width)
        line.append(" " * (first - 1 - end) + set_in)
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
    """Yield the rounds; both games of a double round have one of their own."""
    double = section.double_games or section.uses_double_codes
    kind = DOUBLE_GAME_KIND if double else section.kind_letter
    for cell in entry.cells:
        games = games_of(cell, kind, entry.pairing_number)
        for game in games:
            yield _Round(game.code, cell.opponent, game.color)
        for _ in range(len(games), 2 if double else 1):
            yield _Round()


def _line(text: str) -> str:
    """Return *text* without what would end the line or break its columns."""
    return " ".join(
        "".join(letter if letter.isprintable() else " " for letter in text).split()
    )


def _day(day: date | None) -> str:
    return "" if day is None else f"{day.year:04}/{day.month:02}/{day.day:02}"
