"""Write the files of the conformance kit: `python -m tests.tools.conformance_kit`.

Each file is made from one description, together with what an office has to say about
it. Expected ratings come from the second implementation of the rules
(`tests/ratings/engine/naive.py`), expected norms from the definition, in `_norm`.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from events.formats.dbf.writer import write_report, zip_report
from events.formats.json.writer import report_document
from events.formats.report import (
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    parse_cell,
)
from events.formats.tables.writer import write_crosstables
from events.formats.trf.writer import write_trf, write_trf_files
from players.formats.xlsx_writer import write_xlsx
from ratings_site.demo.kit_members import AS_OF, FIRST_ID, MEMBERS
from tests.ratings.engine import naive

FOLDER = Path(__file__).parents[2] / "docs" / "conformance"
DAY = date(2025, 5, 3)
EDITION = "2025-07-26"
# What an office says about a report depends on the day in these two findings only.
NOT_COMPARED = ["event.late", "event.old"]
# The floor of each member: the highest rating less 200, down to a hundred, else 150.
FLOORS = [1900, 1700, 1600, 1500, 1600, 1300, 150, None, 1200, 1400, *[None] * 4]
LEVELS = (2400, 2200, 2000, 1800, 1600, 1400, 1200)

# The section of most files: six players (members 1, 2, 3, 4, 6, 7), three rounds.
PLAYERS = (1, 2, 3, 4, 6, 7)
ROWS = (
    *("W4W D2B W3W", "W5B D1W D6B", "W6W W5B L1B"),
    *("L1B W6W L5W", "L2W L3W W4B", "L3B L4B D2W"),
)
QUAD = ("W4W D3B W2B", "D3B W4B L1W", "D2W D1W L4B", "L1B L2W W3W")

LOST = ("L4W L3B L2W", "L3W L4B W1B", "W2B W1W L4B", "W1B W2W W3W")
NORM = (
    *("W2W W3B W4W D5B", "L1B H0 U0 U0", "H0 L1W U0 U0", "U0 H0 L1B U0"),
    "U0 U0 H0 D1W",
)
NEW = ("L2W W3B D4W", "W1B D4W L3W", "W4B L1W W2B", "L3W D2B D1B")

Finding = tuple[str, str, int | None, int | None, int | None]


@dataclass
class Case:
    """Files, and what an office says about them."""

    name: str
    about: str
    files: dict[str, bytes]
    findings: list[Finding] = field(default_factory=list)
    report: ReportedEvent | None = None  # what is read; none: unreadable
    is_rated: bool = True  # otherwise its ratings are not compared

    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "name": self.name,
            "about": self.about,
            "files": list(self.files),
            "status": 200 if self.report else 422,
            "findings": [list(one) for one in self.findings],
        }
        if self.report:
            document["sections"] = [
                self._section(section) for section in self.report.sections
            ]
        return document

    def _section(self, section: ReportedSection) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "players": len(section.entries),
            "games": len(_games(section)),
        }
        if self.is_rated:
            shown |= expected(section)
        return shown


# --- The report ---


def entry(number: int, place: int, cells: str) -> ReportedEntry:
    given, family, rating, _games, _peak = MEMBERS[place - 1]
    return ReportedEntry(
        pairing_number=number,
        member_id=str(FIRST_ID + place - 1),
        name=f"{family}, {given}".upper(),
        state="IL",
        rating="" if rating is None else f"{rating:.0f}",
        cells=tuple(map(parse_cell, cells.split())),
    )


def section(
    players: tuple[int, ...] = PLAYERS, rows: tuple[str, ...] = ROWS, **changes: Any
) -> ReportedSection:
    entries = enumerate(zip(players, rows, strict=True), 1)
    made = ReportedSection(
        number=1,
        name="Open",
        system_letter="R",
        time_control="G/90;d5",
        kind_letter="S",
        rounds=len(rows[0].split()),
        last_pairing_number=len(players),
        entries=tuple(entry(at, who, cells) for at, (who, cells) in entries),
    )
    return replace(made, **changes)


def in_order(one: ReportedSection, *order: int) -> ReportedSection:
    """Return the section with its numbers in another order."""
    new = {old: at for at, old in enumerate(order, 1)}

    def cells(who: ReportedEntry) -> Iterator[Cell]:
        for cell in who.cells:
            yield replace(cell, opponent=new[cell.opponent] if cell.opponent else None)

    entries = (
        replace(one.entry(old), pairing_number=at, cells=tuple(cells(one.entry(old))))
        for old, at in new.items()
    )
    return replace(one, entries=tuple(entries))


def event(*sections: ReportedSection, **changes: Any) -> ReportedEvent:
    sections = sections or (section(),)
    made = ReportedEvent(
        program="Kit 1",
        name="Conformance Open",
        starts=DAY,
        ends=DAY,
        affiliate_id="A6000001",
        city="Springfield",
        state="IL",
        zip_code="62701",
        country="USA",
        send_crosstable="N",
        chief_td_id="12000001",
        sections=sections,
        total_sections=len(sections),
    )
    return replace(made, **changes)


# --- What is expected ---


def _games(section: ReportedSection) -> list[tuple[int, int, float]]:
    """Return each game that both sides report: lower number, opponent, points."""
    points = {"W": 1.0, "D": 0.5, "L": 0.0}
    cells = {one.pairing_number: one.cells for one in section.entries}
    return [
        (number, cell.opponent, points[cell.code])
        for number, row in cells.items()
        for at, cell in enumerate(row)
        if cell.code in points and cell.opponent in cells and cell.opponent > number
        if cells[cell.opponent][at].opponent == number
        if cells[cell.opponent][at].code in points
    ]


def expected(section: ReportedSection) -> dict[str, Any]:
    """Return the ratings after the section, the floors that hold, and the norms."""
    games = _games(section)
    minutes = int(section.time_control[2:].split(";")[0])
    systems = ["OTBR"] if minutes > 29 else ["OTBQ"] if minutes > 10 else ["OTBB"]
    systems += ["OTBQ"] if 30 <= minutes <= 65 else []
    if section.online:
        systems = [f"OL{one[-1]}" for one in systems]
    ratings: dict[str, dict[str, int]] = {}
    shown: dict[str, Any] = {"ratings": ratings}
    for system in systems:
        document = _document(section, system, games, minutes)
        posts = {one["id"]: one["post"] for one in naive.rate(document)}
        played = {number for game in games for number in game[:2]}
        after = {at: math.floor(posts[at] + 0.5) for at in sorted(played)}
        ratings[system] = {str(at): rating for at, rating in after.items()}
        held = {
            str(one["id"]): one["floor"]
            for one in document["players"]
            if one["id"] in played and posts[one["id"]] == one["floor"]
        }
        if held:
            shown["floors"] = held
        if (
            system == "OTBR"
            and (section.rounds or 0) > 3
            and section.kind_letter != "M"
        ):
            free = {
                entry.pairing_number
                for entry in section.entries
                if any(cell.code in ("B", "X") for cell in entry.cells)
            }
            norms = {str(at): _norm(at, games, after, free) for at in after}
            shown["norms"] = {at: level for at, level in norms.items() if level}
    return shown


def _document(
    section: ReportedSection, system: str, games: list[Any], minutes: int
) -> dict[str, Any]:
    return {
        "system": system,
        "total_minutes": minutes,
        "start_date": DAY.isoformat(),
        "end_date": DAY.isoformat(),
        "edition": EDITION,
        "kind": "match" if section.kind_letter == "M" else "swiss",
        "players": [_player(one, system) for one in section.entries],
        "games": [{"a": a, "b": b, "score_a": score} for a, b, score in games],
    }


def _player(entry: ReportedEntry, system: str) -> dict[str, Any]:
    place = int(entry.member_id) - FIRST_ID
    _given, _family, rating, games, _peak = MEMBERS[place]
    known = rating is not None and system == "OTBR"
    sources = []
    if rating is not None and system != "OTBR":
        day = AS_OF.isoformat()
        sources = [{"system": "OTBR", "rating": rating, "games": games, "date": day}]
    return {
        "id": entry.pairing_number,
        "rating": rating if known else None,
        "games": games,
        "record": "mixed",
        "floor": FLOORS[place] if known else None,
        "birth_date": f"1970-01-{place + 1:02}",
        "sources": sources,
    }


def _norm(
    number: int, games: list[Any], after: dict[int, int], free: set[int]
) -> int | None:
    """Return the level of a norm: more than a point above the expected score.

    In three games, with a full-point bye or forfeit win, two points or more.
    A point against one 200 below the level or weaker, half a point against one of the
    level, a quarter against one 200 above it, nothing from 400 on; linear in between.
    """
    mine = [(b, score) for a, b, score in games if a == number]
    mine += [(a, 1 - score) for a, b, score in games if b == number]
    if len(mine) < 3 or (len(mine) == 3 and number not in free):
        return None
    for level in LEVELS:
        above = [after[other] - level for other, _ in mine]
        points = [
            min(1, 0.5 - one / 400) if one <= 0 else max(0, 0.5 - one / 800)
            for one in above
        ]
        lead = sum(score for _, score in mine) - sum(points)
        if lead >= 2 if len(mine) == 3 else lead > 1:
            return level
    return None


# --- The formats that the office reads and does not write ---


def sjson(report: ReportedEvent) -> bytes:
    """Return SwissSys's event file."""
    marks = {"W": "+", "D": "=", "L": "-"}

    def result(cell: Any) -> str:
        if cell.opponent is None:
            return f"{cell.code};0;-;0;0;0;0"
        code = marks.get(cell.code, cell.code)
        return f"{code};{cell.opponent};{cell.color};1;1;1;0"

    sections = [
        {
            "Section name": one.name,
            "Type": {"S": 0, "R": 3}[one.kind_letter],
            "Section time control": one.time_control,
            "Number of players": len(one.entries),
            "Rounds played": one.rounds,
            "Players": [
                {
                    "Pair number": who.pairing_number,
                    "Name": who.name,
                    "ID": who.member_id,
                    "Rating": who.rating,
                    "State": who.state,
                    "Results": [result(cell) for cell in who.cells],
                }
                for who in one.entries
            ],
        }
        for one in report.sections
    ]
    overview = {
        "Program": "SwissSys",
        "Tournament title": report.name,
        "Starting date": f"{report.starts}",
        "Ending date": f"{report.ends}",
        "Event city": report.city,
        "Event state": report.state,
        "Event zip code": report.zip_code,
        "Event country": report.country,
        "Organizer ID": report.affiliate_id,
        "Organizer ID Type": "USCFAffiliateID",
        "Delegations": [
            {"Delegation Level": "TournamentDirector", "Player ID": report.chief_td_id}
        ],
    }
    return json.dumps({"Overview": overview, "Sections": sections}, indent=0).encode()


def published(report: ReportedEvent) -> bytes:
    """Return the JSON that SwissSys publishes."""
    sections = [
        {
            "section": one.name,
            "rounds_paired": one.rounds,
            "rounds_played": one.rounds,
            "rounds": [
                {"pairings": [_pairing(*game) for game in games]}
                for games in _rounds(one)
            ],
            "players": [
                {
                    "name": who.name,
                    "id1": who.member_id,
                    "rating": who.rating,
                    "state": who.state,
                    "results": [cell.code for cell in who.cells],
                    "colors": [cell.color for cell in who.cells],
                    "ops": [cell.opponent for cell in who.cells],
                }
                for who in one.entries
            ],
        }
        for one in report.sections
    ]
    document = {
        "NACHEventID": 1,
        "tournament": report.name,
        "date": f"{report.starts:%Y/%m/%d}",
        "city": report.city,
        "state": report.state,
        "sections": sections,
    }
    return json.dumps(document, indent=0).encode()


def _pairing(white: ReportedEntry, black: ReportedEntry, code: str) -> dict[str, Any]:
    result = {"W": "(1-0)", "D": "(0.5-0.5)", "L": "(0-1)"}[code]
    numbers = {"white": white.pairing_number, "black": black.pairing_number}
    return {**numbers, "result": result}


def _rounds(
    section: ReportedSection,
) -> Iterator[list[tuple[ReportedEntry, ReportedEntry, str]]]:
    """Yield the games of each round: White, Black, and White's result."""
    for at in range(section.rounds or 0):
        yield [
            (who, section.entry(who.cells[at].opponent), who.cells[at].code)
            for who in section.entries
            if who.cells[at].color == "W" and who.cells[at].opponent
        ]


def chess_results(report: ReportedEvent) -> bytes:
    """Return the XML for chess-results.com."""
    [one] = report.sections
    points = {"W": ("1", "0"), "D": ("0.5", "0.5"), "L": ("0", "1")}
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<chessresults>",
        f'<tournament name="{report.name}" from="{report.starts:%Y%m%d}" '
        f'to="{report.ends:%Y%m%d}" location="{report.city}, {report.state}" '
        f'federation="USA" type="0" timecontrol="90+30" rounds="{one.rounds}" '
        f'chiefarbiter="Abara, Ada (USA {report.chief_td_id})"/>',
    ]
    for who in one.entries:
        family, given = who.name.split(", ")
        lines.append(
            f'<player no="{who.pairing_number}" lastname="{family}" '
            f'firstname="{given}" id="{who.member_id}" rtgnat="{who.rating}"/>'
        )
    for number, games in enumerate(_rounds(one), 1):
        lines += [
            f'<playerpairing round="{number}" whiteno="{white.pairing_number}" '
            f'blackno="{black.pairing_number}" reswhite="{points[code][0]}" '
            f'resblack="{points[code][1]}"/>'
            for white, black, code in games
        ]
    return "\n".join([*lines, "</chessresults>", ""]).encode()


def pgn(report: ReportedEvent, moves: str = "1. e4 e5 2. Nf3 Nc6 ") -> bytes:
    results = {"W": "1-0", "D": "1/2-1/2", "L": "0-1"}
    games = []
    for one in report.sections:
        for number, played in enumerate(_rounds(one), 1):
            for board, (white, black, code) in enumerate(played, 1):
                tags = {
                    "Event": report.name,
                    "Site": f"{report.city}, {report.state} USA",
                    "Date": f"{report.starts:%Y.%m.%d}",
                    "Round": f"{number}.{board}",
                    "White": white.name,
                    "Black": black.name,
                    "Result": results[code],
                    "WhiteUSCFId": white.member_id,
                    "BlackUSCFId": black.member_id,
                    "TimeControl": "5400+30",
                }
                lines = [f'[{name} "{value}"]' for name, value in tags.items()]
                games.append("\n".join([*lines, "", f"{moves}{results[code]}", ""]))
    return "\n".join(games).encode()


def game_list(report: ReportedEvent) -> bytes:
    results = {"W": "1-0", "D": "½-½", "L": "0-1"}
    [one] = report.sections
    rows = [
        ("Event", report.name),
        ("First day", f"{report.starts}"),
        ("Last day", f"{report.ends}"),
        ("City", report.city),
        ("State", report.state),
        ("Affiliate ID", report.affiliate_id),
        ("Chief TD", report.chief_td_id),
        ("Section", one.name),
        ("Time control", one.time_control),
        ("Type", "Swiss"),
        ("Round", "White", "White ID", "Black", "Black ID", "Result"),
    ]
    for number, games in enumerate(_rounds(one), 1):
        for white, black, code in games:
            people = white.name, white.member_id, black.name, black.member_id
            rows.append((f"{number}", *people, results[code]))
    return _csv(rows)


def _csv(rows: list[Any], **options: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", **options).writerows(rows)
    return text.getvalue().encode()


def european(report: ReportedEvent) -> bytes:
    """Return a crosstable as European programs write it."""
    [one] = report.sections
    points = {"W": "1", "D": "½", "L": "0"}
    rows: list[Any] = [("SNo", "Name", "Member ID", "1.Rd", "2.Rd", "3.Rd")]
    for who in one.entries:
        cells = [f"{c.opponent}{c.color.lower()}{points[c.code]}" for c in who.cells]
        rows.append((who.pairing_number, who.name, who.member_id, *cells))
    return _csv(rows, delimiter=";")


def wall_chart(report: ReportedEvent) -> bytes:
    [one] = report.sections
    lines = [f"Event: {report.name}", f"Section: {one.name}"]
    for who in one.entries:
        cells = "  ".join(f"{cell.code}{cell.opponent:<3}" for cell in who.cells)
        number, name = f"{who.pairing_number:2}", f"{who.name:22}"
        lines.append(f"{number} {name} {who.member_id}  {who.rating}  {cells}")
    return "\n".join([*lines, ""]).encode()


def pipe_chart(report: ReportedEvent) -> bytes:
    """Return a chart with bars, as the federation prints it."""
    [one] = report.sections
    score = {"W": 1.0, "D": 0.5, "L": 0.0}
    lines = []
    for who in one.entries:
        total = sum(score[cell.code] for cell in who.cells)
        results = "|".join(f"{cell.code}{cell.opponent:4}" for cell in who.cells)
        colors = "|".join(f"{cell.color:5}" for cell in who.cells)
        name = who.name.replace(",", "")
        lines += [
            f"{who.pairing_number:5} | {name:32}|{total:<5}|{results}|",
            f"   {who.state} | {who.member_id} / R: {who.rating:7}->{who.rating:7}"
            f"|     |{colors}|",
        ]
    return "\n".join([*lines, ""]).encode()


def points_table(report: ReportedEvent) -> bytes:
    """Return a round robin with a column for each opponent."""
    [one] = report.sections
    points = {"W": "1", "D": "½", "L": "0"}
    lines = []
    for who in one.entries:
        met = {cell.opponent: points[cell.code] for cell in who.cells}
        cells = " ".join(met.get(at, "X") for at in range(1, len(one.entries) + 1))
        number, name = who.pairing_number, f"{who.name:22}"
        lines.append(f"{number} {name} {who.member_id} {who.rating} {cells}")
    return "\n".join([*lines, ""]).encode()


def trf(report: ReportedEvent) -> bytes:
    return write_trf(report, report.sections[0], "TRF26")


def as_json(report: ReportedEvent) -> bytes:
    """Return our JSON without what is blank."""

    def full(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                k: full(v) for k, v in value.items() if v not in ("", None, [], False)
            }
        return [full(one) for one in value] if isinstance(value, list) else value

    return json.dumps(full(report_document(report)), indent=0).encode()


# --- The cases ---


def place(
    severity: str,
    code: str,
    section: int | None = None,
    number: int | None = None,
    round_number: int | None = None,
) -> Finding:
    return severity, code, section, number, round_number


def error(code: str, *where: int) -> Finding:
    return place("error", code, *where)


def confirm(code: str, *where: int) -> Finding:
    return place("confirm", code, *where)


def caution(code: str, *where: int) -> Finding:
    return place("caution", code, *where)


def note(code: str, *where: int) -> Finding:
    return place("note", code, *where)


def with_section(**changes: Any) -> ReportedEvent:
    return event(section(**changes))


def with_cells(*cells: tuple[int, int, str]) -> ReportedEvent:
    """Return the event with other cells: pairing number, round, cell."""
    report = event()
    for number, round_number, text in cells:
        report = report.with_cell(1, number, round_number, parse_cell(text))
    return report


NO_AFFILIATE = error("event.affiliate_missing")
NO_TD = error("event.chief_td_missing")
NO_DAY = error("event.dates_missing")
NO_CITY = caution("event.place_missing")
NO_CONTROL = error("section.time_control_missing", 1)
NO_KIND = error("section.kind_missing", 1)
NO_COLORS = caution("section.colors_missing", 1)
NO_LETTER = note("event.send_crosstable")
# A table without lines above it; a chart has a name of the event and the section.
BARE = (NO_AFFILIATE, NO_TD, NO_DAY, NO_DAY, NO_CITY, NO_CONTROL)
NAMELESS = (error("event.name_missing"), caution("section.name_missing", 1))


def cases() -> list[Case]:
    base = event()
    byes = with_cells((2, 3, "B0"), (6, 3, "H0"), (4, 3, "X5W"), (5, 3, "F4B"))
    quad = event(section((2, 3, 4, 6), QUAD, kind_letter="R"))
    two = event(
        section((1, 2, 3, 4), QUAD),
        section((5, 6, 7, 10), QUAD, number=2, name="Reserve"),
    )
    listed = event(in_order(section(), 1, 4, 3, 6, 5, 2))  # as the games name them
    one_file = "report.json"
    found: list[Case] = []

    def add(
        about: str,
        files: dict[str, bytes],
        report: ReportedEvent | None,
        *findings: Finding,
        is_rated: bool = True,
    ) -> None:
        name = f"{len(found) + 1:02}"
        found.append(Case(name, about, files, list(findings), report, is_rated))

    # The formats, with one event.
    add("DBF, three files", write_report(base), base)
    add("DBF in a ZIP file", {"report.zip": zip_report(base)}, base)
    add("DBF with byes and a forfeit", write_report(byes), byes)
    add("TRF26", {"open.trf": trf(base)}, base)
    add(
        "TRF16: no affiliate, no member IDs",
        {"open.trf": write_trf(base, base.sections[0], "TRF16")},
        base,
        NO_AFFILIATE,
        *(error("entry.member_id_missing", 1, number) for number in range(1, 7)),
        is_rated=False,
    )
    add("SwissSys event file", {"open.sjson": sjson(base)}, base, NO_LETTER)
    add(
        "JSON that SwissSys publishes: no affiliate, TD, last day, type, time control",
        {"open.json": published(base)},
        base,
        *(NO_AFFILIATE, NO_TD, NO_DAY, NO_KIND, NO_CONTROL, NO_LETTER),
        is_rated=False,
    )
    add("Our JSON", {one_file: as_json(base)}, base)
    table = write_crosstables(base)
    add("Crosstable in CSV", {"open.csv": table}, base)
    rows = list(csv.reader(io.StringIO(table.decode("utf-8-sig"))))
    add("Crosstable in XLSX", {"open.xlsx": write_xlsx(rows)}, base)
    add(
        "Crosstable of a European program",
        {"open.csv": european(base)},
        base,
        *(*BARE, *NAMELESS, NO_KIND),
        is_rated=False,
    )
    add("List of games", {"games.csv": game_list(base)}, listed)
    add(
        "Games in PGN",
        {"open.pgn": pgn(base)},
        listed,
        *(NO_AFFILIATE, NO_TD, note("pgn.time_control", 1)),
    )
    add(
        "XML for chess-results.com",
        {"open.xml": chess_results(base)},
        base,
        *(NO_AFFILIATE, note("chess_results.time_control", 1)),
    )
    add(
        "Wall chart",
        {"chart.txt": wall_chart(base)},
        base,
        *(*BARE, NO_KIND, NO_COLORS),
        is_rated=False,
    )
    add(
        "Chart with bars",
        {"chart.txt": pipe_chart(base)},
        base,
        *(*BARE, *NAMELESS, NO_KIND),
        is_rated=False,
    )
    add(
        "Round robin with points",
        {"quad.txt": points_table(quad)},
        quad,
        *(*BARE, *NAMELESS, NO_COLORS),
        is_rated=False,
    )
    add("Two sections in two TRF files", write_trf_files(two, "TRF26"), two)
    # What is rated, and how.
    dual = with_section(time_control="G/60;d5", system_letter="D")
    add("Rated in two systems", {one_file: as_json(dual)}, dual)
    blitz = with_section(time_control="G/3;+2", online=True, system_letter="B")
    add("Blitz online", {one_file: as_json(blitz)}, blitz)
    games = ("W2W W2B W2W W2B", "L1B L1W L1B L1W")
    match = event(section((6, 3), games, kind_letter="M"))
    add(
        "A match: 50 points at most",
        {one_file: as_json(match)},
        match,
        *(note("section.match_limited", 1, number) for number in (1, 2)),
    )
    lost = event(section((5, 6, 4, 10), LOST, kind_letter="R"))
    add("A floor stops a loss", {one_file: as_json(lost)}, lost)
    norm = event(section((6, 4, 3, 10, 2), NORM))
    add("A norm", {one_file: as_json(norm)}, norm)
    new = event(section((8, 6, 7, 10), NEW))
    add("An unrated member", {one_file: as_json(new)}, new)
    # What is wrong.
    _add_faults(add, base)
    return found


def _add_faults(add: Callable[..., None], base: ReportedEvent) -> None:
    unknown = base.with_entry(1, 3, member_id="19999999")
    add(
        "No member has the ID",
        write_report(unknown),
        unknown,
        error("member.unknown", 1, 3),
        is_rated=False,
    )
    other = base.with_entry(1, 3, name="WHITAKER, OTTO")
    add(
        "The ID is another person's",
        {"open.trf": trf(other)},
        other,
        confirm("member.other_name", 1, 3),
    )
    lapsed = event(section((1, 2, 3, 4, 6, 9)))
    add(
        "The membership ended",
        {"open.sjson": sjson(lapsed)},
        lapsed,
        *(confirm("member.lapsed", 1, 6), NO_LETTER),
    )
    twice = event(section((1, 2, 3, 4, 6, 1)))
    add(
        "One member has two pairing numbers",
        {"report.json": as_json(twice)},
        twice,
        confirm("entry.member_repeated", 1, 6),
        is_rated=False,
    )
    differs = with_cells((2, 3, "W6B"))
    add(
        "Two players report a game differently",
        write_report(differs),
        differs,
        error("result.not_mirrored", 1, 2, 3),
        is_rated=False,
    )
    alone = with_cells((2, 3, "U0"))
    add(
        "One side alone reports a game",
        {"report.json": as_json(alone)},
        alone,
        error("result.claimed_by_opponent", 1, 2, 3),
        error("result.opponent_differs", 1, 6, 3),
        is_rated=False,
    )
    missing = with_cells((1, 3, ""), (3, 3, ""))
    add(
        "A game without a result",
        {"report.json": as_json(missing)},
        missing,
        *(error("result.missing", 1, number, 3) for number in (1, 3)),
    )
    white = with_cells((3, 3, "L1W"))
    add(
        "Both have White",
        {"open.csv": write_crosstables(white)},
        white,
        *(error("result.both_white", 1, number, 3) for number in (1, 3)),
    )
    nobody = with_cells((1, 1, "W9W"))
    add(
        "The opponent is not in the section",
        {"report.json": as_json(nobody)},
        nobody,
        error("result.unknown_opponent", 1, 1, 1),
        error("result.opponent_differs", 1, 4, 1),
    )
    reversed_days = replace(base, ends=date(2025, 5, 2))
    add(
        "The event ends before it begins",
        write_report(reversed_days),
        reversed_days,
        error("event.dates_reversed"),
        is_rated=False,
    )
    future = replace(base, starts=date(2099, 5, 2), ends=date(2099, 5, 2))
    add(
        "The event is not over",
        {"report.json": as_json(future)},
        future,
        *(error("event.not_over"), error("director.lapsed.12000001")),
        caution("director.safe_play.12000001"),
        is_rated=False,
    )
    affiliate = replace(base, affiliate_id="A6999999")
    add(
        "No affiliate has the ID",
        write_report(affiliate),
        affiliate,
        error("affiliate.unknown"),
    )
    td = replace(base, chief_td_id="11000002")
    add(
        "The chief TD is not certified",
        {"report.json": as_json(td)},
        td,
        error("director.unknown.11000002"),
    )
    control = with_section(time_control="G/sixty")
    add(
        "The time control can't be read",
        {"report.json": as_json(control)},
        control,
        error("time_control.unreadable", 1),
        is_rated=False,
    )
    dbf = write_report(base)
    lost = (1, 1), (2, 1), (2, 3), (3, 1), (3, 2)  # opponents 4, 5 and 6 are cut off
    add(
        "A DBF file that was cut off",
        dbf | {"TDEXPORT.DBF": dbf["TDEXPORT.DBF"][:-250]},
        event(replace(base.sections[0], entries=base.sections[0].entries[:3])),
        *(error("dbf.truncated"), error("section.last_pairing_number", 1)),
        *(error("result.unknown_opponent", 1, *where) for where in lost),
        is_rated=False,
    )
    pdf = {"report.pdf": b"%PDF-1.7\n1 0 obj\n"}
    add("A PDF", pdf, None, error("file.not_read"))


# --- Samples: reports that an office can accept ---


def samples() -> dict[str, bytes]:
    """Return three quads on three Saturdays, in three formats, by name."""
    rows = (
        QUAD,
        ("D4W W3W D2B", "W3B D4W D1W", "L2W L1B W4W", "D1B D2B L3B"),
        ("L4W W3W W2B", "W3B W4W L1W", "L2W L1B D4W", "W1B L2B D3B"),
    )
    june, july, august = (
        event(
            section((11, 12, 13, 14), row, kind_letter="R", name="Quad"),
            name=f"Sample Quad {day:%B}",
            starts=day,
            ends=day,
        )
        for day, row in zip(
            (date(2025, 6, 7), date(2025, 7, 5), date(2025, 8, 2)), rows, strict=True
        )
    )
    return {
        "quad.zip": zip_report(june),
        "quad.trf": trf(july),
        "quad.sjson": sjson(august),
    }


def drafts() -> dict[str, bytes]:
    """Return a report, and the same with another result to replace it."""
    day = date(2025, 9, 6)
    quad = section((11, 12, 13, 14), QUAD, kind_letter="R", name="Quad")
    first = event(quad, name="Draft of the Kit", starts=day, ends=day)
    second = first.with_cell(1, 1, 1, parse_cell("D4W")).with_cell(
        1, 4, 1, parse_cell("D1B")
    )
    return {"first.json": as_json(first), "second.json": as_json(second)}


def kit() -> dict[str, bytes]:
    """Return all files of the kit by name."""
    known = cases()
    files = {
        f"files/{one.name}/{name}": content
        for one in known
        for name, content in one.files.items()
    }
    lines = ",\n".join(json.dumps(one.document(), ensure_ascii=False) for one in known)
    head = json.dumps({"not_compared": NOT_COMPARED})[:-1]
    files["expected.json"] = f'{head}, "cases": [\n{lines}\n]}}\n'.encode()
    files |= {f"samples/{name}": data for name, data in samples().items()}
    return files | {f"draft/{name}": data for name, data in drafts().items()}


def main() -> None:
    for folder in ("files", "samples", "draft"):
        shutil.rmtree(FOLDER / folder, ignore_errors=True)
    for name, content in kit().items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main()
