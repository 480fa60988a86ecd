"""A rated section under every system of the laboratory.

It is built from the crosstable, so a page takes the same queries. Players begin with
their published numbers, and no birth date is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext

from events.formats.played_games import HALF_POINTS
from events.models import Section
from ratings.engine import systems as ours
from ratings.engine.time_controls import (
    BadTimeControl,
    NotRatable,
    parse_time_control,
)
from ratings.laboratory.calculator import PlayerCalculation, SectionGame, rate_section
from ratings.laboratory.protocol import Standing, System
from ratings.laboratory.systems.fide_formulas import approved_minutes
from ratings.ledger.queries.published_ratings import published_change
from ratings.pages.crosstable.queries.crosstable import (
    Change,
    Crosstable,
    CrosstableRow,
    Side,
)
from ratings.research.systems.queries.catalog import REFUSALS, is_better, standing_of
from ratings_site.common.ui.formatting import MINUS, half_points


@dataclass(frozen=True, slots=True)
class Person:
    """A player of the section, with our published numbers."""

    number: int
    member_id: str
    name: str
    before: float | None
    games_before: int
    after: float | None

    @property
    def change(self) -> int | None:
        return published_change(self.before, self.after)


@dataclass(frozen=True, slots=True)
class Cell:
    """One system's rating of one player, in its own units."""

    system: System
    person: Person
    worked: PlayerCalculation

    @property
    def change(self) -> str:
        """The difference of the ratings as they are displayed, "" if there is none."""
        if self.worked.before is None or self.worked.after is None:
            return ""
        decimals = len(self.after.partition(".")[2])
        change = round(float(self.after) - float(self.before), decimals)
        return f"{change:+.{decimals}f}".replace("-", MINUS) if change else ""

    @property
    def is_gain(self) -> bool:
        before, after = self.worked.before, self.worked.after
        return (
            before is not None
            and after is not None
            and is_better(self.system, before.rating, after.rating)
        )

    @property
    def before(self) -> str:
        return self._displayed(self.worked.before)

    @property
    def after(self) -> str:
        return self._displayed(self.worked.after)

    def _displayed(self, standing: Standing | None) -> str:
        if standing is None:
            return gettext("unrated")
        return self.system.display(standing.rating)

    @property
    def score(self) -> str:
        score = half_points(round(2 * self.worked.score))
        return f"{score}/{len(self.worked.lines)}"

    @property
    def expected(self) -> str:
        expected = self.worked.expected
        return "" if expected is None else f"{expected:.2f}"


@dataclass(frozen=True, slots=True)
class Column:
    """One system's ratings of a section, in the order of the people."""

    system: System
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class RatedSection:
    """The people and games of a section, ready for any system."""

    our_system: ours.System
    people: list[Person]
    games: list[SectionGame]
    colored: list[bool]
    day: int
    minutes: int
    has_unequal_results: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """A section under several systems; *failed* are those that could not rate it."""

    section: RatedSection
    columns: list[Column] = field(default_factory=list)
    failed: list[System] = field(default_factory=list)


def section_of(table: Crosstable) -> RatedSection:
    """Return the games of a rated section, in the first of its systems."""
    places: dict[int, int] = {}
    people: list[Person] = []
    for row in table.rows:
        if row.has_played and row.player_id not in places:
            places[row.player_id] = len(people)
            people.append(_person(row))
    games = _games(table, places)
    return RatedSection(
        our_system=table.systems[0],
        people=people,
        games=[game for game, _ in games],
        colored=[is_colored for _, is_colored in games],
        day=table.section.ends.toordinal(),
        minutes=section_minutes(table.section),
        has_unequal_results=table.has_unequal_results,
    )


def _person(row: CrosstableRow) -> Person:
    change: Change | None = row.changes[0] if row.changes else None
    return Person(
        number=row.number,
        member_id=row.member_id,
        name=row.name,
        before=change.before if change else None,
        games_before=change.pre_games if change else 0,
        after=change.after if change else None,
    )


def section_minutes(section: Section) -> int:
    """Return the time for 60 moves, which is long enough if FIDE approved the event."""
    minutes = minutes_of(section.time_control)
    if not minutes or section.event.fide_approved_on is None:
        return minutes
    control = parse_time_control(section.time_control)
    parts = [(section.rounds, section.starts, section.ends)]
    parts += [
        (one.last_round - one.first_round + 1, one.starts, one.ends)
        for one in section.schedules.all()
        if one.starts and one.ends and one.starts <= one.ends
    ]
    approved = approved_minutes(
        control.main_minutes,
        control.seconds if control.is_increment else 0,
        starts=section.starts,
        rounds_a_day=max(
            rounds / ((ends - starts).days + 1) for rounds, starts, ends in parts
        ),
    )
    return max(minutes, approved)


def minutes_of(time_control: str) -> int:
    """Return the time for 60 moves in minutes, 0 if the text cannot be read."""
    try:
        return parse_time_control(time_control).total
    except (BadTimeControl, NotRatable):
        return 0


def _games(table: Crosstable, places: dict[int, int]) -> list[tuple[SectionGame, bool]]:
    """Return the games round by round, and whether their colors are known.

    Colors are those of the first game of a double-game round.
    """
    rows = {row.number: row for row in table.rows}
    found: list[tuple[SectionGame, bool]] = []
    for round_number in range(1, table.rounds + 1):
        for number in sorted(rows):
            cell = rows[number].cells.get(round_number)
            if isinstance(cell, Side) and _is_counted_side(number, cell):
                own = places[rows[number].player_id]
                other = places[rows[cell.opponent].player_id]
                found += [
                    ((own, other, HALF_POINTS[outcome] / 2), bool(cell.color))
                    for outcome in cell.outcomes
                ]
    return found


def _is_counted_side(number: int, cell: Side) -> bool:
    """Return whether a game is taken from this side: White's, or the lower number's."""
    return cell.color == "W" or (not cell.color and number < cell.opponent)


def compare(section: RatedSection, systems: Sequence[System]) -> Comparison:
    """Rate the section under each of *systems*."""
    comparison = Comparison(section)
    for system in systems:
        try:
            comparison.columns.append(_column(section, system))
        except REFUSALS:
            # An error of one system on unusual games must not hide the others.
            comparison.failed.append(system)
    return comparison


def _column(section: RatedSection, system: System) -> Column:
    standings = [
        None
        if one.before is None
        else standing_of(system, one.before, one.games_before)
        for one in section.people
    ]
    worked = rate_section(
        system,
        standings,
        section.games,
        day=section.day,
        minutes=section.minutes,
        colored=section.colored,
    )
    return Column(
        system,
        [
            Cell(system, person, one)
            for person, one in zip(section.people, worked, strict=True)
        ],
    )
