"""Shared by systems that rate a whole pool at once: opponents and equations.

Their ratings solve equations of one shape: each player's rating, times a number of its
own, less the weighted ratings of the opponents, is a known value. Solving them by
substituting all ratings into each other repeatedly is how such systems are explained;
conjugate gradients reach the same ratings in far fewer rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from math import fsum
from operator import itemgetter, mul
from typing import Any, Final

from .protocol import UNKNOWN, Games, Pool, Standing, Table

_MAX_ROUNDS: Final = 2000
_ROUNDING: Final = 1e-9

Weights = tuple[float, ...]
MultiGetter = Callable[[Sequence[float]], tuple[Any, ...]]


def multi_getter(places: Sequence[int]) -> MultiGetter:
    """Return a function that takes the values at *places* out of a list.

    >>> multi_getter([2, 0])([5.0, 6.0, 7.0]), multi_getter([1])([5.0, 6.0])
    ((7.0, 5.0), (6.0,))
    >>> multi_getter([])([])
    ()
    """
    if len(places) > 1:
        return itemgetter(*places)
    return lambda values: tuple(values[place] for place in places)


class PlayerGames:
    """The games of a pool as each player sees them: whom they met, and in which game.

    *first* and *second* are the places of the two players of each game.
    """

    def __init__(self, size: int, first: Sequence[int], second: Sequence[int]) -> None:
        opponents: list[list[int]] = [[] for _ in range(size)]
        games: list[list[int]] = [[] for _ in range(size)]
        for game, (one, other) in enumerate(zip(first, second, strict=True)):
            opponents[one].append(other)
            opponents[other].append(one)
            games[one].append(game)
            games[other].append(game)
        self.opponents = [multi_getter(places) for places in opponents]
        self.games = [multi_getter(places) for places in games]

    def weights(self, of_games: Sequence[float]) -> list[Weights]:
        """Return the weights of each player's games."""
        return [pick(of_games) for pick in self.games]

    def opponent_sums(
        self, weights: Sequence[Weights], ratings: Sequence[float]
    ) -> list[float]:
        """Return each player's weighted sum of the opponents' ratings.

        >>> meetings = PlayerGames(3, [0, 0], [1, 2])
        >>> meetings.opponent_sums(meetings.weights([1.0, 0.5]), [10.0, 20.0, 30.0])
        [35.0, 10.0, 5.0]
        """
        return [
            fsum(map(mul, weight, pick(ratings)))
            for weight, pick in zip(weights, self.opponents, strict=True)
        ]


def solve(
    meetings: PlayerGames,
    diagonal: Sequence[float],
    weights: Sequence[Weights],
    known: Sequence[float],
    guess: Sequence[float],
    tolerance: float,
) -> list[float]:
    """Solve diagonal × rating − weighted opponents' ratings = known, for all at once.

    Ends when every player's own equation holds to within *tolerance* of the rating,
    or after 2,000 rounds. Each number on the *diagonal* has to be greater than the sum
    of the player's weights; then there is one solution.

    >>> pair = PlayerGames(2, [0], [1])
    >>> found = solve(pair, [2, 2], pair.weights([1.0]), [0, 3], [0, 0], 1e-9)
    >>> [round(value, 6) for value in found]
    [1.0, 2.0]
    """
    ratings = list(guess)
    opponent_sums = meetings.opponent_sums(weights, ratings)
    left = [
        value - own * rating + others
        for value, own, rating, others in zip(
            known, diagonal, ratings, opponent_sums, strict=True
        )
    ]
    scaled = [value / own for value, own in zip(left, diagonal, strict=True)]
    direction = list(scaled)
    size = fsum(map(mul, left, scaled))
    for _ in range(_MAX_ROUNDS):
        if max(map(abs, scaled), default=0.0) <= tolerance:
            break
        opponent_sums = meetings.opponent_sums(weights, direction)
        image = [
            own * value - others
            for own, value, others in zip(
                diagonal, direction, opponent_sums, strict=True
            )
        ]
        step = size / fsum(map(mul, direction, image))
        ratings = [a + step * b for a, b in zip(ratings, direction, strict=True)]
        left = [a - step * b for a, b in zip(left, image, strict=True)]
        scaled = [value / own for value, own in zip(left, diagonal, strict=True)]
        before, size = size, fsum(map(mul, left, scaled))
        turn = size / before
        direction = [a + turn * b for a, b in zip(scaled, direction, strict=True)]
    return ratings


def eligible_game_counts(
    size: int,
    first: Sequence[int],
    second: Sequence[int],
    weights: Sequence[float],
    least: float,
    always: Collection[int] = (),
) -> dict[int, float]:
    """Return the weighted games of players who have at least *least* among themselves.

    Games against players who are left out do not count, which may leave out more.
    *always* are players whose rating is known anyway: they are never left out. *size*
    is the number of players in the pool.

    >>> eligible_game_counts(4, [0, 0, 1, 3], [1, 2, 2, 0], [1.0] * 4, 2.0)
    {0: 2.0, 1: 2.0, 2: 2.0}
    """
    games = list(zip(first, second, weights, strict=True))
    out = bytearray(size)
    while True:
        counts = [0.0] * size
        for one, other, weight in games:
            counts[one] += weight
            counts[other] += weight
        few = {
            player
            for player, count in enumerate(counts)
            if 0.0 < count < least - _ROUNDING and player not in always
        }
        if not few:
            break
        for player in few:
            out[player] = 1
        games = [game for game in games if not (out[game[0]] or out[game[1]])]
    return {player: count for player, count in enumerate(counts) if count > 0.0}


def components(
    players: Sequence[int], first: Sequence[int], second: Sequence[int]
) -> list[list[int]]:
    """Return groups of players who are connected by games, the largest first.

    Ratings of different groups cannot be compared: no player links them.

    >>> components([0, 1, 2, 3, 4], [0, 3], [1, 4])
    [[0, 1], [3, 4], [2]]
    """
    leader = {player: player for player in players}

    def leader_of(player: int) -> int:
        while leader[player] != player:
            leader[player] = leader[leader[player]]
            player = leader[player]
        return player

    for one, other in zip(first, second, strict=True):
        if one in leader and other in leader:
            leader[leader_of(one)] = leader_of(other)
    groups: dict[int, list[int]] = {}
    for player in players:
        groups.setdefault(leader_of(player), []).append(player)
    return sorted(groups.values(), key=lambda group: (-len(group), group[0]))


class WindowTable(Table):
    """The games of some years as columns, and the newest list of ratings.

    The columns are White, Black, points, when the games were played, and more. A rating
    given by `seed` does not change until the player has enough games for the list.
    """

    def __init__(self, pool: Pool, parameters: Any, columns: int = 4) -> None:
        super().__init__(pool, parameters)
        self.given: dict[int, float] = {}
        self.listed: list[int] = []
        self.columns: list[list[Any]] = [[] for _ in range(columns)]

    def remember(self, games: Games, *more: Iterable[float]) -> None:
        """Add games; *more* are the columns after the points."""
        self.count(games)
        new = (games.white, games.black, games.points, *more)
        for column, values in zip(self.columns, new, strict=True):
            column.extend(values)

    def forget_until(self, last: float) -> None:
        """Forget the games that were played up to *last*."""
        kept = [place for place, when in enumerate(self.columns[3]) if when > last]
        if len(kept) < len(self.columns[3]):
            self.columns = [
                [column[place] for place in kept] for column in self.columns
            ]

    def choose(
        self, weights: Sequence[float]
    ) -> tuple[dict[int, float], list[int], list[int]]:
        """Return weighted games, the players of the list, and each player's place.

        The place is -1 for a player who is not on it.
        """
        size, given, least = len(self.ratings), self.given, self.parameters.least_games
        white, black = self.columns[:2]
        counts = eligible_game_counts(size, white, black, weights, least, given)
        for player in [p for p in given if counts.get(p, 0.0) >= least]:
            del given[player]
        players = [player for player in counts if player not in given]
        place_of = [-1] * size
        for place, player in enumerate(players):
            place_of[player] = place
        return counts, players, place_of

    def first_guess(self, players: Sequence[int], usual: float) -> list[float]:
        """Return the players' ratings on the last list, *usual* for the others."""
        ratings = [self.ratings[player] for player in players]
        return [usual if rating != rating else rating for rating in ratings]

    def publish(self, players: Sequence[int], ratings: Iterable[float]) -> None:
        """Replace the last list."""
        for player in self.listed:
            self.ratings[player] = UNKNOWN
        for player, rating in self.given.items():
            self.ratings[player] = rating
        for player, rating in zip(players, ratings, strict=True):
            self.ratings[player] = rating

    def seed(self, player: int, standing: Standing) -> None:
        super().seed(player, standing)
        self.given[player] = standing.rating
