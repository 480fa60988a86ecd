"""The crosstable of one section: four queries, whatever its size."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import F, Q, QuerySet, Subquery, Value
from django.db.models.expressions import OuterRef
from django.db.models.functions import JSONObject

from events.models import Entry, EventOfficial, Game, Section, UnplayedRound
from events.played import HALF_POINTS
from ratings.engine.systems import System
from ratings.models import Calculation
from ratings_site.common.models import Job

EVENT_ID = re.compile(r"[0-9]{12}", re.ASCII)
OTHER_COLOUR = {"W": "B", "B": "W", "": ""}


class Side(NamedTuple):
    """One player's side of a round: one game, or two of a double-game round."""

    outcomes: str
    opponent: int
    colour: str
    half_points: int
    differs: bool  # the other side was not scored as the mirror of this one


class Unplayed(NamedTuple):
    """A bye or forfeit with its half points."""

    kind: str
    opponent: int | None
    half_points: int


Cell = Side | Unplayed


class Change(NamedTuple):
    """A member's line in the ledger, as far as a crosstable shows it."""

    pre: float | None
    pre_games: int
    post: float
    post_games: int
    bonus: float | None
    floor: float | None
    ceiling: float | None


class Published(NamedTuple):
    """What another book prints for an entry."""

    rating: float
    decimals: int
    source: str


@dataclass(slots=True)
class Row:
    """One entry: who it is, and by round what he did."""

    entry_id: int
    number: int
    player_id: int
    member_id: str
    name: str
    cells: dict[int, list[Cell]]
    changes: tuple[Change | None, ...] = ()
    published: tuple[Published | None, ...] = ()
    other_numbers: tuple[int, ...] = ()
    half_points: int = 0

    @property
    def order(self) -> tuple[int, float, int]:
        """By score, then by the rating after the event; never by tie-break."""
        change = self.changes[0] if self.changes else None
        return -self.half_points, -change.post if change else 0.0, self.number


@dataclass(slots=True)
class Crosstable:
    """A section with its rows in order, and what stands above them."""

    section: Section
    siblings: list[Section]
    rows: list[Row]
    systems: tuple[System, ...] = ()
    edition: str = ""
    is_late: bool = False
    job: Job | None = None

    @property
    def is_rated(self) -> bool:
        return self.section.status == Section.Status.RATED

    @property
    def rounds(self) -> int:
        last = max((max(row.cells, default=0) for row in self.rows), default=0)
        return max(self.section.rounds, last)

    @property
    def player_count(self) -> int:
        return len({row.player_id for row in self.rows})

    @property
    def games(self) -> int:
        sides = sum(
            len(cell.outcomes)
            for row in self.rows
            for cells in row.cells.values()
            for cell in cells
            if isinstance(cell, Side)
        )
        return sides // 2


def crosstable_of(event_id: str, number: int) -> Crosstable | None:
    """Return the section's crosstable, or None if there is no such section."""
    if not EVENT_ID.fullmatch(event_id):
        return None
    siblings = list(_sections(event_id))
    section = next((one for one in siblings if one.number == number), None)
    if section is None:
        return None
    table = Crosstable(section, siblings, rows=[])
    changes: dict[System, dict[int, Change]] = {}
    if table.is_rated:
        changes = _read_calculations(table)
    else:
        table.job = Job.objects.filter(key=f"section {section.pk}").first()
    table.rows = _rows(section, table.systems, changes)
    _fill_cells(section, table.rows)
    table.rows.sort(key=lambda row: row.order)
    return table


def _sections(event_id: str) -> QuerySet[Section]:
    """Return all sections of the event, each with its chief TD."""
    directors = (
        EventOfficial.objects.filter(
            Q(section_number=OuterRef("number")) | Q(section_number=None),
            event=OuterRef("event"),
            role=EventOfficial.Role.CHIEF,
        )
        .order_by(F("section_number").desc(nulls_last=True))
        .values(
            director=JSONObject(
                member_id="player__member_id",
                given_name="player__given_name",
                family_name="player__family_name",
                suffix="player__suffix",
            )
        )
    )
    return (
        Section.objects.filter(event__event_id=event_id)
        .select_related("event__affiliate")
        .annotate(director=Subquery(directors[:1]))
        .order_by("number")
    )


def _read_calculations(table: Crosstable) -> dict[System, dict[int, Change]]:
    """Fill in what the calculations say; return their lines by system and player."""
    lines = Calculation.objects.filter(
        section=table.section, is_current=True
    ).order_by()
    changes: defaultdict[System, dict[int, Change]] = defaultdict(dict)
    for system, edition, is_late, player_id, *change in lines.values_list(
        "system",
        "edition",
        "is_late",
        "changes__player_id",
        "changes__pre_rating",
        "changes__pre_games",
        "changes__post_rating",
        "changes__post_games",
        "changes__bonus",
        "changes__floor_used",
        "changes__ceiling_used",
    ):
        by_player = changes[System(system)]
        table.edition, table.is_late = edition, is_late
        if player_id is not None:  # nobody played a game
            by_player[player_id] = Change(*change)
    table.systems = tuple(system for system in System if system in changes)
    return changes


def _rows(
    section: Section,
    systems: tuple[System, ...],
    changes: dict[System, dict[int, Change]],
) -> list[Row]:
    rows: dict[int, Row] = {}
    published: dict[tuple[int, str | None], Published] = {}
    numbers: defaultdict[int, list[int]] = defaultdict(list)
    for pk, number, player_id, member_id, names, book in _entries(section):
        if pk not in rows:
            name = " ".join(part for part in names if part)
            rows[pk] = Row(pk, number, player_id, member_id, name, {})
            numbers[player_id].append(number)
        if book[0] is not None:
            published[pk, book[0]] = Published(*book[1:])
    for row in rows.values():
        row.changes = tuple(changes[one].get(row.player_id) for one in systems)
        row.published = tuple(published.get((row.entry_id, one)) for one in systems)
        row.other_numbers = tuple(
            number for number in numbers[row.player_id] if number != row.number
        )
    return list(rows.values())


def _entries(section: Section) -> Iterable[tuple[Any, ...]]:
    """Yield the entries, once for every number that another book prints for one."""
    entries = Entry.objects.filter(section=section).order_by("pairing_number")
    for pk, number, player_id, member_id, *rest in entries.values_list(
        "pk",
        "pairing_number",
        "player_id",
        "player__member_id",
        "player__given_name",
        "player__family_name",
        "player__suffix",
        "published_ratings__system",
        "published_ratings__post_rating",
        "published_ratings__decimals",
        "published_ratings__source",
    ):
        yield pk, number, player_id, member_id, rest[:3], rest[3:]


def _fill_cells(section: Section, rows: list[Row]) -> None:
    by_entry = {row.entry_id: row for row in rows}
    games_a_round = 2 if section.kind == Section.Kind.DOUBLE_SWISS else 1
    rounds: defaultdict[tuple[int, int, int], list[tuple[str, str, str]]]
    rounds = defaultdict(list)
    for round_number, leg, first, second, colour, *outcomes in _played(section):
        if leg:
            rounds[round_number, first, second].append((colour, *outcomes))
            continue
        kind = outcomes[0]
        opponent = by_entry[second].number if second else None
        points = UnplayedRound.HALF_POINTS[kind] * games_a_round
        _add(by_entry[first], round_number, Unplayed(kind, opponent, points))
    for (round_number, first, second), games in rounds.items():
        one, other = by_entry[first], by_entry[second]
        colour = games[0][0]
        ours = "".join(game[1] for game in games)
        theirs = "".join(game[2] for game in games)
        _add(one, round_number, _side(ours, theirs, other.number, colour))
        _add(other, round_number, _side(theirs, ours, one.number, OTHER_COLOUR[colour]))


def _side(ours: str, theirs: str, opponent: int, colour: str) -> Side:
    points = sum(HALF_POINTS[outcome] for outcome in ours)
    against = sum(HALF_POINTS[outcome] for outcome in theirs)
    return Side(ours, opponent, colour, points, points + against != 2 * len(ours))


def _add(row: Row, round_number: int, cell: Cell) -> None:
    row.cells.setdefault(round_number, []).append(cell)
    row.half_points += cell.half_points


def _played(section: Section) -> list[tuple[Any, ...]]:
    """Return games, and byes and forfeits as leg 0, in the order of rounds and legs."""
    games = Game.objects.filter(section=section).order_by()
    marks = UnplayedRound.objects.filter(entry__section=section).order_by()
    both = games.values_list(
        "round_number",
        "leg",
        "first_id",
        "second_id",
        "first_colour",
        "first_outcome",
        "second_outcome",
    ).union(
        marks.values_list(
            "round_number",
            Value(0),
            "entry_id",
            "opponent_id",
            Value(""),
            "kind",
            Value(""),
        ),
        all=True,
    )
    return sorted(both, key=lambda one: one[:2])
