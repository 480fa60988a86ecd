"""Rows of a table of ratings: one for each member and system."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

from players.importers.tables import (
    ColumnsSaid,
    Line,
    Reason,
    Refused,
    Table,
    day_of,
    decimal,
    read_table,
    short,
    whole_number,
)
from ratings.engine.cards import Record
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import Body, System

SPELLINGS: Mapping[str, str] = {
    "member_id": "id, member, member no, member number, uscf id, us chess id",
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

_SYSTEMS = {
    spelling: source
    for source, spellings in {
        System.OTBR: "OTBR, R, REGULAR, OTB REGULAR, STANDARD",
        System.OTBQ: "OTBQ, Q, QUICK, OTB QUICK",
        System.OTBB: "OTBB, B, BLITZ, OTB BLITZ",
        System.OLR: "OLR, OR, ONLINE REGULAR",
        System.OLQ: "OLQ, OQ, ONLINE QUICK",
        System.OLB: "OLB, OB, ONLINE BLITZ",
        Body.FIDE: "FIDE, FIDE STANDARD, F",
        Body.CFC: "CFC, CFC REGULAR",
    }.items()
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
_EARLIEST = date(1939, 1, 1)  # before it, nobody here was rated
# How lists write a provisional rating: 1654/12 or 1654P12.
_PROVISIONAL = re.compile(r"([\d.]+) ?[/Pp] ?(\d+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class FloorSaid:
    level: int
    kind: str
    starts: date
    evidence: str


@dataclass(frozen=True, slots=True)
class RatingRow:
    """A rating as earlier books have it, at the end of its last event."""

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
    floor: FloorSaid | None

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
    path: Path, today: date, columns: ColumnsSaid | None = None
) -> tuple[Table, Iterator[RatingRow | RefusedRating]]:
    """Open a table of ratings; return it and its rows to come. May raise Refused."""
    table, lines = read_table(path, SPELLINGS, NEEDED, columns)
    return table, _ratings(lines, today)


def _ratings(
    lines: Iterator[Line | tuple[int, tuple[str, ...], Reason]], today: date
) -> Iterator[RatingRow | RefusedRating]:
    for line in lines:
        if isinstance(line, tuple):
            yield RefusedRating(*line)
            continue
        try:
            yield _rating(line, today)
        except Refused as refusal:
            member_id = line.by_column.get("member_id", "")[:20]
            yield RefusedRating(line.number, line.cells, refusal.reason, member_id)


def _rating(line: Line, today: date) -> RatingRow:
    said = line.by_column
    system = _SYSTEMS.get(said.get("system", "").upper())
    if system is None:
        raise Refused("system_unknown", cell=said.get("system", "")[:40])
    rating, games = _rating_and_games(said)
    is_external = isinstance(system, Body)
    value = decimal(rating, "rating")
    if not (1 if is_external else _LOWEST) <= value <= _HIGHEST:
        raise Refused("rating_out_of_range", cell=rating)
    if not games and not is_external:
        raise Refused("rating_without_games")
    as_of = _day(said, "as_of", today)
    counts = {name: _count(said, name) for name in ("wins", "draws", "losses")}
    if sum(counts.values()) > games and not is_external:
        raise Refused("more_results_than_games", cell=sum(counts.values()), games=games)
    return RatingRow(
        line=line.number,
        cells=line.cells,
        member_id=said.get("member_id", "")[:20],
        system=system,
        rating=value,
        exact=Decimal(rating),
        games=games,
        as_of=as_of,
        record=_word(said, "record", _RECORDS),
        three_game_events=_count(said, "three_game_events"),
        peak=_peak(said),
        floor=_floor(said, system, as_of, today),
        **counts,
    )


def _rating_and_games(said: Mapping[str, str]) -> tuple[str, int]:
    rating, games = said.get("rating", ""), said.get("games", "")
    if found := _PROVISIONAL.fullmatch(rating):
        rating, games = found[1], games or found[2]
    return rating, whole_number(games, "games") if games else 0


def _count(said: Mapping[str, str], name: str) -> int:
    return whole_number(said[name], name) if name in said else 0


def _day(said: Mapping[str, str], name: str, today: date) -> date:
    day = day_of(said.get(name, ""), name)
    if not _EARLIEST <= day <= today:
        raise Refused("day_out_of_range", column=name, cell=said[name])
    return day


def _peak(said: Mapping[str, str]) -> float | None:
    if "peak" not in said:
        return None
    peak = decimal(said["peak"], "peak")
    if not _LOWEST <= peak <= _HIGHEST:
        raise Refused("rating_out_of_range", cell=said["peak"])
    return peak


def _word(said: Mapping[str, str], name: str, words: Mapping[str, str]) -> str:
    text = said.get(name, "")
    if text.upper() not in words:
        raise Refused(f"{name}_unknown", cell=text[:40])
    return words[text.upper()]


def _floor(
    said: Mapping[str, str], system: System | Body, as_of: date, today: date
) -> FloorSaid | None:
    kind = _word(said, "floor_kind", _FLOORS)
    if "floor" not in said and kind != "life_master":
        return None
    rules = rules_in_force(today)
    level = whole_number(said.get("floor", str(rules.olm_floor)), "floor")
    absolute, step = rules.absolute_floor, rules.peak_floor_step
    levels = range(2 * step, rules.olm_floor + 1, step)
    allowed = {
        "office": level in levels or absolute.base <= level <= absolute.highest,
        "money": level in levels and level <= rules.highest_money_floor,
        "life_master": level == rules.olm_floor and system == System.OTBR,
    }
    if isinstance(system, Body) or not allowed[kind]:
        raise Refused("floor_not_possible", cell=level)
    starts = _day(said, "floor_from", today) if "floor_from" in said else as_of
    evidence = short(said.get("floor_evidence", ""), "floor_evidence", 400)
    return FloorSaid(level, kind, starts, evidence)
