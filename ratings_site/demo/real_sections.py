"""Real sections, as events of invented members.

Results, previous ratings and published ratings come from
``tests/data/real-sections.json``, whose README names the sources. A section without a
date gets one in its window, so that the bonus multiplier of that time applies.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, NamedTuple

from django.conf import settings

from events.formats.report import ReportedSection
from players.models import Player
from ratings.models import OpeningEntry
from ratings_site.demo.clubs import CASTLE, OTHERS, Club
from ratings_site.demo.games import Rows
from ratings_site.demo.members import Register, opening
from ratings_site.demo.sections import report_section

EVENTS = ("Saturday Swiss", "Open", "Weekend Swiss", "Class Championship", "Classic")
SECTIONS_OF_AN_EVENT = 5
NAMES = ("Open", "Reserve", "Premier", "Challengers", "Booster")
SOURCE = "Earlier records (published with the section)"
CELLS = {
    "bye": "B0",
    "half-bye": "H0",
    "forfeit-win": "X0",
    "forfeit-loss": "F0",
    "unplayed": "U0",
}
# For players who are established but whose number of games is not known.
ESTABLISHED_GAMES = 1000
# Established players have an absolute floor of 150, which needs 13 wins, unless their
# ratings were below it.
WINS_FOR_FULL_FLOOR = 13
FULL_FLOOR = 150

Record = dict[str, Any]


@dataclass(slots=True)
class DemoSection:
    """A section to report, with opening ratings, floors and published ratings."""

    event_name: str
    starts: date
    ends: date
    reported: ReportedSection
    players: Sequence[Player]
    club: Club = CASTLE
    openings: list[OpeningEntry] = field(default_factory=list)
    published: dict[tuple[int, str], float] = field(default_factory=dict)
    decimals: int = 0
    granted_floors: list[tuple[Player, str, int]] = field(default_factory=list)

    @property
    def number(self) -> int:
        return self.reported.number


def demo_section(
    event_name: str,
    players: Sequence[Player],
    rows: Rows,
    *,
    club: Club = CASTLE,
    starts: date,
    ends: date,
    **facts: Any,
) -> DemoSection:
    """Return a section with these games; *facts* are those of a report."""
    reported = report_section(players, rows, starts=starts, ends=ends, **facts)
    return DemoSection(event_name, starts, ends, reported, players, club)


class Place(NamedTuple):
    """The event, club, dates and number of a section."""

    event_name: str
    club: Club
    starts: date
    ends: date
    number: int = 1


def load_sections(register: Register) -> list[DemoSection]:
    """Return all real sections in the order of their dates."""
    path = settings.BASE_DIR / "tests" / "data" / "real-sections.json"
    records = json.loads(path.read_text())
    dual = {r["name"][:-2]: r for r in records if r["name"].endswith("-novice-Q")}
    # Quick records have the same games as the Regular record of their name.
    records = [r for r in records if not r["name"].endswith("-novice-Q")]
    sections = [
        _section(
            record,
            dual.get(record["name"][:-2]) if record["dual_rated"] else None,
            register,
            place,
        )
        for record, place in zip(records, _places(records), strict=True)
    ]
    return sorted(sections, key=lambda section: (section.ends, section.event_name))


def _section(
    record: Record, quick: Record | None, register: Register, place: Place
) -> DemoSection:
    players = [
        _player(row, register, place.ends, place.club.state)
        for row in record["players"]
    ]
    rounds = range(1, record["rounds"] + 1)
    section = demo_section(
        players=players,
        rows=[[_cell(row, number) for number in rounds] for row in record["players"]],
        **place._asdict(),
        control=record["time_control"] or "G/90;d5",
        name=NAMES[place.number - 1],
        system="D" if record["dual_rated"] else "R",
        ratings=[
            str(int(row["pre"])) if "pre" in row else "" for row in record["players"]
        ],
    )
    section.decimals = 2 if record["name"].startswith("real-2026") else 0
    for system, source in (("OTBR", record), ("OTBQ", quick)):
        if source is not None:
            _add_ratings(section, source, system)
    return section


def _places(records: list[Record]) -> list[Place]:
    """Return the event of each section, grouping sections of the same dates.

    The public record has the games, not the event.
    """
    places: list[Place] = []
    of_days: Counter[date] = Counter()
    serials: dict[tuple[date, int], int] = {}
    for index, record in enumerate(records):
        starts, ends = _dates(record, index)
        if name := _event_name(record):
            number = 2 if record["name"].endswith("swiss-2") else 1
            places.append(Place(name, CASTLE, starts, ends, number))
            continue
        event, before = divmod(of_days[ends], SECTIONS_OF_AN_EVENT)
        of_days[ends] += 1
        serial = serials.setdefault((ends, event), len(serials))
        club = OTHERS[serial % len(OTHERS)]
        name = f"{club.place} {EVENTS[serial % len(EVENTS)]} {ends.year}"
        places.append(Place(name, club, starts, ends, before + 1))
    return places


def _dates(record: Record, index: int) -> tuple[date, date]:
    """Return the section's dates, invented if the record has none."""
    if record["end_date"]:
        ends = date.fromisoformat(record["end_date"])
        starts = record["start_date"]
        return (date.fromisoformat(starts) if starts else ends), ends
    if record["name"].startswith("real-2015"):
        return date(2015, 8, 29), date(2015, 8, 30)
    window = record["end_date_window"]
    if window.startswith("on or shortly before"):
        last, weeks = date.fromisoformat(window[-10:]), 1
    else:
        last = date.fromisoformat(window[-10:])
        weeks = (last - date.fromisoformat(window[:10])).days // 7
    sunday = last - timedelta(weeks=index % max(weeks, 1))
    return sunday - timedelta(days=1), sunday


def _event_name(record: Record) -> str:
    """Return the name of a section's event, if it is known."""
    year = record["name"].split("-")[1]
    if "late-spring" in record["name"]:
        return "Late Spring Swiss"
    return {"2015": "Lakeshore Open", "2026": "Novice Day"}.get(year, "")


def _player(row: Record, register: Register, ends: date, state: str) -> Player:
    """Return a new member; an unrated one has no birth date, unless shown as 1300."""
    shown = row.get("initial_rating_shown")
    birth_date = date(ends.year - 40, 3, 1) if shown == 1300 else None
    if row["status"] not in ("unrated", "unknown"):
        birth_date = date(1950 + len(register.players) % 60, 1 + row["pair"] % 12, 5)
    return register.new(birth_date=birth_date, state=state)


def _cell(row: Record, round_number: int) -> str:
    for number, outcome, opponent, color in row["results"]:
        if number == round_number:
            is_game = outcome in ("W", "L", "D")
            return f"{outcome}{opponent}{color or ''}" if is_game else CELLS[outcome]
    return "U0"


def _add_ratings(section: DemoSection, record: Record, system: str) -> None:
    day_before = section.starts - timedelta(days=1)
    for row, player in zip(record["players"], section.players, strict=True):
        if "post" in row:
            section.published[row["pair"], system] = float(row["post"])
        rating = row.get("pre", row.get("pre_estimated"))
        if rating is None:
            continue
        games = row.get("pre_games", ESTABLISHED_GAMES)
        floor = row.get("floor_inferred")
        section.openings.append(
            opening(
                player,
                rating,
                games,
                system=system,
                as_of=day_before,
                wins=_wins_before(row, rating, games),
                peak=floor + 200.0 if floor and 1200 <= floor <= 2100 else None,
                source=SOURCE,
            )
        )
        if floor == 2200 or (floor and floor < 1200):
            section.granted_floors.append((player, system, floor))


def _wins_before(row: Record, rating: float, games: int) -> int:
    lowest = min(rating, row.get("post", rating))
    if games < ESTABLISHED_GAMES or lowest < FULL_FLOOR:
        return 0
    return WINS_FOR_FULL_FLOOR
