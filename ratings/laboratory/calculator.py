"""One event under any system: each player's gains and losses by opponent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ratings.engine.numbers import exact_sum

from .protocol import Games, Moment, Pool, Shape, Standing, System, Table

SectionGame = tuple[int, int, float]
"""White's and Black's places in the list of players, and White's points."""


class GameCalculation(NamedTuple):
    """One game of a player: *expected* is None against or for an unrated player.

    *change* is what the rating went up or down by, in the system's own units; None
    where the system does not rate game by game, or the player was unrated before.
    """

    opponent: Standing | None
    score: float
    expected: float | None
    change: float | None


@dataclass(frozen=True)
class PlayerCalculation:
    """The effect of an event on one player, in the system's own units."""

    before: Standing | None
    after: Standing | None
    lines: tuple[GameCalculation, ...]

    @property
    def score(self) -> float:
        return exact_sum([line.score for line in self.lines])

    @property
    def expected(self) -> float | None:
        """The expected score of all games; None if one of them has none."""
        values = [line.expected for line in self.lines]
        known = [value for value in values if value is not None]
        return exact_sum(known) if len(known) == len(values) else None


def calculate(
    system: System,
    player: Standing | None,
    games: Sequence[tuple[Standing | None, float]],
    *,
    parameters: Any = None,
    birth_year: int | None = None,
    day: int,
    is_white: bool = False,
) -> PlayerCalculation:
    """Return the effect of *games*, opponents with scores, on *player*.

    None stands for an unrated player or opponent; *day* is the ordinal of the event's
    last day. Opponents play no other games. Colors are unknown, or *is_white* in all.
    """
    players = [player, *(opponent for opponent, _ in games)]
    section = [(0, place, score) for place, (_, score) in enumerate(games, start=1)]
    birth_years = [birth_year, *[None] * len(games)]
    return rate_section(
        system,
        players,
        section,
        parameters=parameters,
        birth_years=birth_years,
        day=day,
        colored=[is_white] * len(games),
    )[0]


def rate_section(
    system: System,
    players: Sequence[Standing | None],
    games: Sequence[SectionGame],
    *,
    parameters: Any = None,
    birth_years: Sequence[int | None] = (),
    day: int,
    minutes: int = 0,
    colored: Sequence[int] = (),
) -> list[PlayerCalculation]:
    """Rate a whole section and return its effect on each player, in their order.

    The games are rated as one event that ends on *day*; a system that rates game by
    game takes them in the order given. *minutes* is the time for 60 moves, 0 where
    unknown; *colored* is 0 for a game whose colors are unknown. Expected scores do not
    know the colors: they are the mean of both.
    """
    table = system.begin(Pool(len(players), birth_years), parameters)
    for place, standing in enumerate(players):
        if standing is not None:
            table.seed(place, standing)
    moment = Moment(day, 0)
    batch = Games.on(
        day,
        [white for white, _, _ in games],
        [black for _, black, _ in games],
        [points for _, _, points in games],
        minutes,
        colored,
    )
    expected = _expected(table, batch, moment)
    changes = _update(system, table, batch, moment)
    lines: list[list[GameCalculation]] = [[] for _ in players]
    for (white, black, points), for_white, (by_white, by_black) in zip(
        games, expected, changes, strict=True
    ):
        for_black = None if for_white is None else 1.0 - for_white
        lines[white].append(
            GameCalculation(players[black], points, for_white, by_white)
        )
        lines[black].append(
            GameCalculation(players[white], 1.0 - points, for_black, by_black)
        )
    return [
        PlayerCalculation(before, table.standing(place), tuple(lines[place]))
        for place, before in enumerate(players)
    ]


def _expected(table: Table, games: Games, moment: Moment) -> list[float | None]:
    """Return White's expected scores, as the mean over both colors."""
    turned = replace(
        games,
        white=games.black,
        black=games.white,
        points=[1.0 - points for points in games.points],
    )
    pairs = zip(
        table.predict(games, moment), table.predict(turned, moment), strict=True
    )
    means = [(white + (1.0 - black)) / 2 for white, black in pairs]
    return [mean if mean == mean else None for mean in means]


def _update(
    system: System, table: Table, games: Games, moment: Moment
) -> list[tuple[float | None, float | None]]:
    """Rate the games; return the change of White and Black by each, where known."""
    if system.about.shape is not Shape.PER_GAME:
        table.update(games, moment)
        return [(None, None)] * len(games)
    changes = []
    for place, pair in enumerate(zip(games.white, games.black, strict=True)):
        before = [table.standing(player) for player in pair]
        table.update(games.part(place, place + 1), moment)
        after = [table.standing(player) for player in pair]
        changes.append((_change(before[0], after[0]), _change(before[1], after[1])))
    return changes


def _change(before: Standing | None, after: Standing | None) -> float | None:
    if before is None or after is None:
        return None
    return after.rating - before.rating
