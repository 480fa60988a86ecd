"""Replay a history with the readable engine, as the reference for the kernel.

It reads the same columns as the kernel and shares no code with it: rating inputs go to
`rate_section`, floors come from `ratings.engine.floors`, and the work between two
sections is written out here in objects and dates.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from ratings.engine.age_based_start import remaining_age_start
from ratings.engine.floors import absolute_floor, peak_floor, personal_floor
from ratings.engine.foreign import rate_foreign_event
from ratings.engine.inputs import (
    Competitor,
    Game,
    Kind,
    RatingInput,
    Record,
    SourceRating,
)
from ratings.engine.matches import MatchChange
from ratings.engine.replay.arrays import (
    ADJUSTED,
    ALL_LOSSES,
    ALL_WINS,
    CEILING,
    FLOOR,
    FOREIGN,
    LOWERING,
    MIXED,
    NO_RECORD,
    OPENED,
    OPENING,
    SECTION,
    World,
)
from ratings.engine.results import Formula, RatingResult
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.section import rate_section
from ratings.engine.systems import Body, System
from ratings.engine.time_controls import parse_time_control

SYSTEMS = list(System)
RECORDS = [Record.MIXED, Record.ALL_WINS, Record.ALL_LOSSES, Record.NONE]
FORMULAS = {Formula.SPECIAL: 1, Formula.STANDARD: 2}
# 65 minutes are rated in Regular and Quick, 120 in Regular alone.
DUAL, NOT_DUAL = parse_time_control("G/60;d5"), parse_time_control("G/115;d5")

# Columns that an opening or adjustment does not have.
NOT_COMPUTED = [
    "initial_rating",
    "effective_games",
    "expected",
    "k",
    "bonus",
    "intermediate",
    "floor_given",
    "floor_used",
    "ceiling_given",
    "ceiling_used",
    "match_net_180",
    "match_net_3y",
]
# Fields of both a row and a standing.
CARRIED = [
    "record",
    "wins",
    "draws",
    "losses",
    "three_game_events",
    "peak",
    "age_start",
]

Row = dict[str, Any]


@dataclass
class Standing:
    """A player in a system. *rating* is None until they are rated."""

    rating: float | None = None
    games: int = 0
    record: int = NO_RECORD
    wins: int = 0
    draws: int = 0
    losses: int = 0
    three_game_events: int = 0
    peak: float | None = None
    age_start: float | None = None
    rated_on: date = date.min
    last_row: int = -1
    matches: list[MatchChange] = field(default_factory=list)


@dataclass(frozen=True)
class Held:
    """The grants that apply to a player on a day."""

    floors: list[float]
    ceiling: float | None
    lowered_on: date | None


class Reference:
    """Replays *world* item by item."""

    def __init__(
        self, world: World, rules_on: Callable[[date], Rules] = rules_in_force
    ) -> None:
        self.world = world
        self.rules_on = rules_on
        self.standings: defaultdict[tuple[int, int], Standing] = defaultdict(Standing)
        self.rows: list[Row] = []

    def replay(self) -> list[Row]:
        """Return all rows, up to the first item that lacks a rule."""
        for item in range(len(self.world.program.items.kind)):
            try:
                self.rate(item)
            except NoRuleInForce:
                break
        return self.rows

    def rate(self, item: int) -> None:
        items = self.world.program.items
        kind = items.kind[item]
        systems = [items.system_a[item], items.system_b[item]]
        rules = self.rules_on(date.fromordinal(items.starts[item]))
        end = date.fromordinal(items.ends[item])
        new: list[Row] = []
        for system in systems:
            if system < 0:
                continue
            if kind == SECTION:
                new += self._section_rows(item, system, rules, end)
            elif kind == FOREIGN:
                new += self._foreign_rows(item, system, rules, end)
            else:
                new += [self._given_row(item, system, rules, end)]
        is_match = kind == SECTION and items.is_match[item] == 1
        for row in new:
            self._carry_over(row, end, is_match)

    # --- Facts about a player ---

    def _held(self, player: int, system: int, day: date) -> Held:
        people, today = self.world.people, day.toordinal()
        grants = [
            (
                people.grant_kind[place],
                people.grant_level[place],
                people.grant_from[place],
            )
            for place in range(
                people.first_grant[player], people.first_grant[player + 1]
            )
            if people.grant_system[place] == system
            and people.grant_from[place] <= today <= people.grant_until[place]
        ]
        lowerings = [grant for grant in grants if grant[0] == LOWERING]
        since, floors = 0, []
        if lowerings:
            newest = sorted(lowerings, key=lambda grant: grant[2])[-1]
            since, floors = newest[2], [newest[1]]
        floors += [
            level for kind, level, begin in grants if kind == FLOOR and begin >= since
        ]
        ceilings = [level for kind, level, _ in grants if kind == CEILING]
        return Held(
            floors,
            min(ceilings, default=None),
            date.fromordinal(since) if lowerings else None,
        )

    def _peak(self, standing: Standing, held: Held) -> float | None:
        if held.lowered_on is not None and standing.rated_on < held.lowered_on:
            return None
        return standing.peak

    def _sources(self, player: int, system: int, day: date) -> list[SourceRating]:
        own = [
            SourceRating(
                SYSTEMS[other],
                standing.rating,
                standing.games,
                min(standing.rated_on, day),
            )
            for other in range(6)
            if other != system
            and (standing := self.standings[player, other]).rating is not None
        ]
        people = self.world.people
        newest = {}
        for place in range(
            people.first_external[player], people.first_external[player + 1]
        ):
            on = date.fromordinal(people.external_day[place])
            body = [Body.FIDE, Body.CFC][people.external_body[place] - 6]
            if on <= day:
                rating = people.external_rating[place]
                newest[body] = SourceRating(body, rating, 0, on)
        return [*own, *newest.values()]

    # --- A section ---

    def _section_rows(
        self, item: int, system: int, rules: Rules, end: date
    ) -> list[Row]:
        items, entries = self.world.program.items, self.world.program.entries
        first, last = items.first_entry[item], items.first_entry[item + 1]
        sides = [self._sides(entry) for entry in range(first, last)]
        competitors = [
            self._competitor(entries.player[first + place], played, system, rules, end)
            for place, played in enumerate(sides)
        ]
        is_dual = items.lower_k[item] == 1 and system == items.system_a[item]
        rating_input = RatingInput(
            system=SYSTEMS[system],
            kind=Kind.MATCH if items.is_match[item] else Kind.SWISS,
            time_control=DUAL if is_dual else NOT_DUAL,
            start_date=date.fromordinal(items.starts[item]),
            end_date=end,
            competitors=tuple(competitors),
            games=tuple(self._games(competitors, sides)),
        )
        return [
            self._row(item, system, place, entries.player[first + place], rated,
                      competitors[place], sides[place], rules, end,
                      is_match=bool(items.is_match[item]))
            for place, rated in enumerate(rate_section(rating_input, rules))
            if rated.games
        ]  # fmt: skip

    def _sides(self, entry: int) -> list[tuple[int, int]]:
        entries, sides = self.world.program.entries, self.world.program.sides
        return [
            (sides.opponent[side], sides.half_points[side])
            for side in range(entries.first_game[entry], entries.first_game[entry + 1])
        ]

    def _games(self, competitors, sides) -> list[Game]:
        """Make games of pairs of sides: the n-th against each other belong together."""
        games = []
        for a, played in enumerate(sides):
            for b in {opponent for opponent, _ in played if opponent > a}:
                mine = [score for opponent, score in played if opponent == b]
                theirs = [score for opponent, score in sides[b] if opponent == a]
                for score_a, score_b in zip(mine, theirs, strict=True):
                    games.append(
                        Game(competitors[a].id, competitors[b].id, score_a, score_b)
                    )
        return games

    def _competitor(self, player, played, system, rules, end) -> Competitor:
        standing, people = self.standings[player, system], self.world.people
        held = self._held(player, system, end)
        born, adult_from = people.birth_day[player], people.adult_from[player]
        unrated = standing.rating is None
        scores = [score for _, score in played]
        return Competitor(
            id=player,
            rating=standing.rating,
            games=standing.games,
            record=RECORDS[standing.record],
            floor=personal_floor(
                rules,
                SYSTEMS[system],
                absolute=absolute_floor(
                    standing.wins + scores.count(2),
                    standing.draws + scores.count(1),
                    standing.three_game_events + counts(scores, rules),
                    rules,
                    SYSTEMS[system],
                ),
                peak=peak_floor(self._peak(standing, held), rules),
                office=max(held.floors, default=None),
            ),
            ceiling=held.ceiling,
            birth_date=date.fromordinal(born) if born else None,
            adult=adult_from <= end.toordinal(),
            sources=tuple(self._sources(player, system, end)) if unrated else (),
            match_changes=tuple(standing.matches),
        )

    # --- A foreign event, and assigned standings ---

    def _foreign_rows(self, item, system, rules, end) -> list[Row]:
        items, entries = self.world.program.items, self.world.program.entries
        foreign = self.world.program.sides.foreign_rating
        first, last = items.first_entry[item], items.first_entry[item + 1]
        rows = []
        for place, entry in enumerate(range(first, last)):
            player, played = entries.player[entry], self._sides(entry)
            standing = self.standings[player, system]
            is_established = standing.games > rules.established_after
            if standing.rating is None or not is_established or not played:
                continue
            competitor = self._competitor(player, played, system, rules, end)
            results = [(foreign[place], score) for place, score in played]
            meetings = entries.meetings[entry]
            rated = rate_foreign_event(competitor, results, rules, meetings)
            rows.append(
                self._row(item, system, place, player, rated, competitor, played,
                          rules, end, is_match=False)
            )  # fmt: skip
        return rows

    def _given_row(self, item, system, rules, end) -> Row:
        items, given = self.world.program.items, self.world.program.given
        player = self.world.program.entries.player[items.first_entry[item]]
        source = items.given[item]
        standing = self.standings[player, system]
        rating, games = given.rating[source], given.games[source]
        peak = given.peak[source]
        is_opening = items.kind[item] == OPENING
        if math.isnan(peak):
            established = games > rules.established_after
            peak = self._peak(standing, self._held(player, system, end))
            if is_opening:
                peak = rating if established else None
        missing = dict.fromkeys(NOT_COMPUTED)
        return missing | {
            "item": item,
            "system": system,
            "player": player,
            "entry": 0,
            "pre_rating": standing.rating,
            "pre_games": standing.games,
            "pre_record": standing.record,
            "pre_age_start": standing.age_start,
            "initial_games": 0,
            "formula": OPENED if is_opening else ADJUSTED,
            "half_points": 0,
            "games": 0,
            "floor_request": 0,
            "post_rating": rating,
            "post_games": games,
            "record": given.record[source],
            "wins": given.wins[source],
            "draws": given.draws[source],
            "losses": given.losses[source],
            "three_game_events": given.three_game_events[source],
            "peak": peak,
            "age_start": None
            if is_opening
            else remaining_age_start(rating, _known(standing.age_start)),
            "previous_row": standing.last_row,
        }

    # --- After ---

    def _row(
        self,
        item: int,
        system: int,
        place: int,
        player: int,
        rated: RatingResult,
        competitor: Competitor,
        played: list[tuple[int, int]],
        rules: Rules,
        end: date,
        *,
        is_match: bool,
    ) -> Row:
        standing = self.standings[player, system]
        scores = [score for _, score in played]
        peak = self._peak(standing, self._held(player, system, end))
        if rated.post_games > rules.established_after:
            peak = max(rated.post, peak or 0.0)
        nets = (None, None)
        if is_match and standing.rating is not None:
            nets = (
                self._net(standing, end - timedelta(days=180), end),
                self._net(standing, three_years_before(end), end),
            )
        return {
            "item": item,
            "system": system,
            "player": player,
            "entry": place,
            "pre_rating": standing.rating,
            "pre_games": standing.games,
            "pre_record": standing.record,
            "pre_age_start": standing.age_start,
            "initial_rating": rated.initial,
            "initial_games": rated.initial_games,
            "effective_games": rated.effective_games,
            "formula": FORMULAS[rated.formula],
            "half_points": rated.score,
            "games": rated.games,
            "expected": rated.expected,
            "k": rated.k,
            "bonus": rated.bonus,
            "intermediate": rated.intermediate,
            "floor_given": competitor.floor,
            "floor_used": rated.floor,
            "ceiling_given": competitor.ceiling,
            "ceiling_used": rated.ceiling,
            "floor_request": int(rated.floor_request),
            "match_net_180": nets[0],
            "match_net_3y": nets[1],
            "post_rating": rated.post,
            "post_games": rated.post_games,
            "record": record_after(standing.record, scores),
            "wins": standing.wins + scores.count(2),
            "draws": standing.draws + scores.count(1),
            "losses": standing.losses + scores.count(0),
            "three_game_events": standing.three_game_events + counts(scores, rules),
            "peak": peak,
            "age_start": remaining_age_start(
                rated.post, self._age_starts(player, system, rated, rules)
            ),
            "previous_row": standing.last_row,
        }

    def _age_starts(
        self, player: int, system: int, rated: RatingResult, rules: Rules
    ) -> list[float]:
        """Return the values that reveal an age if the rating after still is one."""
        standing = self.standings[player, system]
        if standing.rating is not None:
            return _known(standing.age_start)
        if rated.initial_games == 0:
            tells = rated.initial < rules.age_start.highest
            return [rated.initial] if tells else []
        return [
            self.standings[player, other].rating
            for other in range(6)
            if other != system and self.standings[player, other].age_start is not None
        ]

    def _net(self, standing: Standing, opens: date, end: date) -> float:
        return math.fsum(
            match.change for match in standing.matches if opens < match.day <= end
        )

    def _carry_over(self, row: Row, end: date, is_match: bool) -> None:
        standing = self.standings[row["player"], row["system"]]
        if is_match and standing.rating is not None:
            change = row["post_rating"] - standing.rating
            standing.matches.append(MatchChange(end, change))
        standing.rating = row["post_rating"]
        standing.games = row["post_games"]
        for name in CARRIED:
            setattr(standing, name, row[name])
        standing.rated_on = end
        standing.last_row = len(self.rows)
        self.rows.append(row)


def _known(value: float | None) -> list[float]:
    return [] if value is None else [value]


def three_years_before(day: date) -> date:
    if (day.month, day.day) == (2, 29):
        return date(day.year - 3, 2, 28)
    return date(day.year - 3, day.month, day.day)


def record_after(before: int, scores: list[int]) -> int:
    if set(scores) == {2}:
        now = ALL_WINS
    elif set(scores) == {0}:
        now = ALL_LOSSES
    else:
        return MIXED
    return now if before in (NO_RECORD, now) else MIXED


def counts(scores: list[int], rules: Rules) -> int:
    """Return 1 if a section counts as an event for the absolute floor."""
    return int(len(scores) >= rules.floor_event_games)
