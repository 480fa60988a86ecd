"""Reading a table of ratings: a row for each member and system, or for each member."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

from players.formats.dates import PAST, DateColumns, parse_date
from players.formats.errors import InputRefused, Reason
from players.formats.member_ids import MEMBER_ID
from players.formats.table_reader import (
    ColumnMapping,
    Line,
    Table,
    clean_text,
    decimal,
    read_table,
    whole_number,
)
from ratings.engine.inputs import Record
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import Body, System

SPELLINGS: Mapping[str, str] = {
    "member_id": "id, member, member no, member number, uscf id, us chess id, mem id, "
    "r mem id",
    "system": "rating system, rating type, type, source, list",
    "rating": "rtg, current rating, post rating, value",
    "games": "n, game count, games played, number of games",
    "as_of": "date, as of date, last event, last event date, rated on, list date",
    "record": "results so far",
    "wins": "won, w",
    "draws": "drawn, d",
    "losses": "lost, l",
    "three_game_events": "events of three games, events with three games",
    "peak": "highest rating, peak rating, max rating",
    "floor": "granted floor, rating floor",
    "floor_kind": "kind of floor, floor type",
    "floor_from": "floor since, floor starts, floor date",
    "floor_evidence": "evidence, floor reason",
}
NEEDED = ("member_id", "system", "rating", "games", "as_of")
# A row for each member: the files of our lists and of US Chess, and common headings.
_WIDE: Mapping[System | Body, str] = {
    System.OTBR: "regular, regular rating, r lpb rat, r rating1, otb regular",
    System.OTBQ: "quick, quick rating, q lpb rat, r rating2, otb quick",
    System.OTBB: "blitz, blitz rating, b lpb rat, r rating3, otb blitz",
    System.OLR: "online regular, online regular rating, onl r rtg",
    System.OLQ: "online quick, online quick rating, onl q rtg",
    System.OLB: "online blitz, online blitz rating, onl b rtg",
    Body.FIDE: "fide rating",
    Body.CFC: "cfc rating",
}
_ABOUT = {
    **dict.fromkeys(("OTBR", "OTBQ", "OTBB"), "{letter} about"),
    **dict.fromkeys(("OLR", "OLQ", "OLB"), "onl {letter} abt"),
}


def _wide_spellings() -> dict[str, str]:
    """Return the headings of each system's rating, games, and mark of “about”."""
    spellings = {}
    for system, names in _WIDE.items():
        first = names.partition(",")[0]
        spellings[str(system)] = names
        spellings[f"{system}_games"] = f"{first} games, {first} provisional games"
        short = _ABOUT.get(str(system), "").format(letter=str(system)[-1].lower())
        spellings[f"{system}_about"] = f"{first} about, {short}".strip(", ")
    return spellings


WIDE_SYSTEMS = tuple(map(str, _WIDE))
ALL_SPELLINGS = {**SPELLINGS, **_wide_spellings()}
DAYS = {"as_of": PAST, "floor_from": PAST}

Word = TypeVar("Word", bound=str)

_SPELLINGS: dict[System | Body, str] = {
    System.OTBR: "OTBR, R, REGULAR, OTB REGULAR, STANDARD",
    System.OTBQ: "OTBQ, Q, QUICK, OTB QUICK",
    System.OTBB: "OTBB, B, BLITZ, OTB BLITZ",
    System.OLR: "OLR, OR, ONLINE REGULAR",
    System.OLQ: "OLQ, OQ, ONLINE QUICK",
    System.OLB: "OLB, OB, ONLINE BLITZ",
    Body.FIDE: "FIDE, FIDE STANDARD, F",
    Body.CFC: "CFC, CFC REGULAR",
}
_BODIES = frozenset(map(str, Body))
_SYSTEMS = {
    spelling: source
    for source, spellings in _SPELLINGS.items()
    for spelling in spellings.split(", ")
}
_RECORDS = {
    **dict.fromkeys(["MIXED", "M", ""], Record.MIXED),
    **dict.fromkeys(["ALL WINS", "ONLY WINS", "ALL_WINS", "W"], Record.ALL_WINS),
    **dict.fromkeys(
        ["ALL LOSSES", "ONLY LOSSES", "ALL_LOSSES", "L"], Record.ALL_LOSSES
    ),
}
_FLOORS = {
    **dict.fromkeys(["", "OFFICE"], "office"),
    **dict.fromkeys(["MONEY", "MONEY FLOOR"], "money"),
    **dict.fromkeys(
        ["OLM", "LIFE MASTER", "ORIGINAL LIFE MASTER", "LIFE_MASTER"], "life_master"
    ),
}
_LOWEST, _HIGHEST = 100, 3500
_EARLIEST = date(1939, 1, 1)  # no ratings before
# The forms of a provisional rating: 1654/12 or 1654P12.
_PROVISIONAL = re.compile(r"([\d.]+) ?[/Pp] ?(\d+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class ListDefaults:
    """What a person says about a list that has no day or no numbers of games."""

    as_of: str = ""
    games: str = ""


NO_DEFAULTS = ListDefaults()


@dataclass(frozen=True, slots=True)
class FloorInput:
    level: int
    kind: str
    starts: date
    evidence: str


@dataclass(frozen=True, slots=True)
class RatingRow:
    """A rating to import, as of the end of its last event."""

    line: int
    cells: tuple[str, ...]
    member_id: str
    system: System | Body
    rating: float
    exact: Decimal
    games: int
    as_of: date
    record: Record
    wins: int
    draws: int
    losses: int
    three_game_events: int
    peak: float | None
    floor: FloorInput | None

    @property
    def is_external(self) -> bool:
        return isinstance(self.system, Body)


@dataclass(frozen=True, slots=True)
class RefusedRating:
    line: int
    cells: tuple[str, ...]
    reason: Reason
    member_id: str = ""


def read_ratings(
    path: Path,
    today: date,
    columns: ColumnMapping | None = None,
    day_orders: Mapping[str, str] | None = None,
    defaults: ListDefaults = NO_DEFAULTS,
) -> tuple[Table, Iterator[RatingRow | RefusedRating]]:
    """Open a table of ratings; return it and an iterator of its rows."""
    days = DateColumns(DAYS, today, day_orders)
    table, lines = read_table(path, ALL_SPELLINGS, ("member_id",), columns, days)
    systems = [str(system) for system in _WIDE if str(system) in table.columns]
    if systems and "system" not in table.columns:
        if "as_of" not in table.columns and not defaults.as_of:
            raise InputRefused("ratings_without_day")
        return table, _ratings(_parted(lines, systems, defaults), today)
    if missing := [name for name in NEEDED if name not in table.columns]:
        raise InputRefused("columns_missing", missing=", ".join(missing), line=1)
    return table, _ratings(lines, today)


_Lines = Iterator[Line | tuple[int, tuple[str, ...], Reason]]


def _parted(lines: _Lines, systems: list[str], defaults: ListDefaults) -> _Lines:
    """Yield a line for each rating of a member; a blank cell or 0 is none."""
    for line in lines:
        if isinstance(line, tuple):
            yield line
            continue
        values = line.by_column
        for system in systems:
            rating = values.get(system, "")
            if not rating.strip("0.*-/ "):
                continue
            if f"{system}_about" in values:
                reason = InputRefused("rating_is_about", cell=rating).reason
                yield line.number, line.cells, reason
                continue
            is_provisional = _PROVISIONAL.fullmatch(rating) is not None
            games = values.get(f"{system}_games", "")
            if not games and not is_provisional:
                games = defaults.games or ("0" if system in _BODIES else "")
            if not games and not is_provisional:
                reason = InputRefused("games_not_in_list", cell=rating).reason
                yield line.number, line.cells, reason
                continue
            one = {
                "member_id": values.get("member_id", ""),
                "system": system,
                "rating": rating,
                "games": games,
                "as_of": values.get("as_of", defaults.as_of),
            }
            yield Line(line.number, line.cells, one)


def _ratings(lines: _Lines, today: date) -> Iterator[RatingRow | RefusedRating]:
    for line in lines:
        if isinstance(line, tuple):
            yield RefusedRating(*line)
            continue
        try:
            yield _rating(line, today)
        except InputRefused as refusal:
            member_id = line.by_column.get("member_id", "")[:20]
            yield RefusedRating(line.number, line.cells, refusal.reason, member_id)


def _rating(line: Line, today: date) -> RatingRow:
    values = line.by_column
    system = _SYSTEMS.get(values.get("system", "").upper())
    if system is None:
        raise InputRefused("system_unknown", cell=values.get("system", "")[:40])
    rating, games = _rating_and_games(values)
    is_external = isinstance(system, Body)
    value = decimal(rating, "rating")
    if not (1 if is_external else _LOWEST) <= value <= _HIGHEST:
        raise InputRefused("rating_out_of_range", cell=rating)
    if not games and not is_external:
        raise InputRefused("rating_without_games")
    as_of = _day(values, "as_of", today)
    counts = {name: _count(values, name) for name in ("wins", "draws", "losses")}
    if sum(counts.values()) > games and not is_external:
        raise InputRefused(
            "more_results_than_games", cell=sum(counts.values()), games=games
        )
    return RatingRow(
        line=line.number,
        cells=line.cells,
        member_id=MEMBER_ID.clean(values.get("member_id", ""))[:20],
        system=system,
        rating=value,
        exact=Decimal(rating),
        games=games,
        as_of=as_of,
        record=_word(values, "record", _RECORDS),
        three_game_events=_count(values, "three_game_events"),
        peak=_peak(values),
        floor=_floor(values, system, as_of, today),
        **counts,
    )


def _rating_and_games(values: Mapping[str, str]) -> tuple[str, int]:
    rating, games = values.get("rating", ""), values.get("games", "")
    if found := _PROVISIONAL.fullmatch(rating):
        rating, games = found[1], games or found[2]
    return rating, whole_number(games, "games") if games else 0


def _count(values: Mapping[str, str], name: str) -> int:
    return whole_number(values[name], name) if name in values else 0


def _day(values: Mapping[str, str], name: str, today: date) -> date:
    day = parse_date(values.get(name, ""), name)
    if not _EARLIEST <= day <= today:
        raise InputRefused("day_out_of_range", column=name, cell=values[name])
    return day


def _peak(values: Mapping[str, str]) -> float | None:
    if "peak" not in values:
        return None
    peak = decimal(values["peak"], "peak")
    if not _LOWEST <= peak <= _HIGHEST:
        raise InputRefused("rating_out_of_range", cell=values["peak"])
    return peak


def _word(values: Mapping[str, str], name: str, words: Mapping[str, Word]) -> Word:
    text = values.get(name, "")
    if text.upper() not in words:
        raise InputRefused(f"{name}_unknown", cell=text[:40])
    return words[text.upper()]


def _floor(
    values: Mapping[str, str], system: System | Body, as_of: date, today: date
) -> FloorInput | None:
    kind = _word(values, "floor_kind", _FLOORS)
    if "floor" not in values and kind != "life_master":
        return None
    rules = rules_in_force(today)
    level = whole_number(values.get("floor", str(rules.olm_floor)), "floor")
    absolute, step = rules.absolute_floor, rules.peak_floor_step
    levels = range(2 * step, rules.olm_floor + 1, step)
    allowed = {
        "office": level in levels or absolute.base <= level <= absolute.highest,
        "money": level in levels and level <= rules.highest_money_floor,
        "life_master": level == rules.olm_floor and system == System.OTBR,
    }
    if isinstance(system, Body) or not allowed[kind]:
        raise InputRefused("floor_not_possible", cell=level)
    starts = _day(values, "floor_from", today) if "floor_from" in values else as_of
    evidence = clean_text(values.get("floor_evidence", ""), "floor_evidence", 400)
    return FloorInput(level, kind, starts, evidence)
