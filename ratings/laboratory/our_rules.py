"""The output of an experiment with our own rules on our own ledger, as columns.

The replay of the rerates fills it: the rules as they are (the control) and each variant
over the same sources. The comparison and the effects are computed from it.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from ratings.engine.variation.variations import Variation

from .history import History
from .protocol import Games

CONTROL: Final = "1"
"""The name of the control run among the columns of an experiment."""


@dataclass(frozen=True, slots=True)
class Control:
    """The unchanged rules replayed and compared with the ledger.

    *lines* counts those of the ledger and of the replay together, a line of both once;
    *equal* those that are equal in every column to the last bit. *faults* say where the
    first of the others are; *is_waiting* that pending rerates explain them.
    """

    lines: int
    equal: int
    faults: Sequence[str] = ()
    is_waiting: bool = False

    @property
    def holds(self) -> bool:
        """Return whether the replay reproduces the ledger; if not, there is no verdict.

        >>> Control(lines=3, equal=3).holds, Control(lines=3, equal=2).holds
        (True, False)
        """
        return self.lines == self.equal


class RatedGames(NamedTuple):
    """The games of one system that all replays share, in rating order.

    *one* and *other* are numbers of members from 0, *half_points* those of *one*;
    colors are not included, and which member is *one* alternates. *day* is the ordinal
    of the section's last day, *section* numbers the sections from 0, *evidence* is on
    how many games both ratings rested at least before the section.
    """

    one: array[int]
    other: array[int]
    half_points: array[int]
    day: array[int]
    section: array[int]
    evidence: array[int]

    @classmethod
    def empty(cls) -> RatedGames:
        return cls(*(array(code) for code in "iibiii"))


class FinalStandings(NamedTuple):
    """Each member's final standing, by member number; NaN is unrated or no peak.

    *rating*, *peak* and *floor* are in points, *rated_on* is an ordinal, 0 for never.
    """

    rating: array[float]
    games: array[int]
    peak: array[float]
    floor: array[float]
    rated_on: array[int]


class Level(NamedTuple):
    """Members who played in the year up to an ordinal *day*: how many, how high.

    *mean* and *spread* (standard deviation) are in rating points, *bonus_points* is
    what bonuses brought in so far.
    """

    day: int
    players: int
    mean: float
    spread: float
    bonus_points: float


@dataclass(frozen=True)
class Replay:
    """One variant of the rules, replayed over the ledger.

    *predictions* has the expected score of `RatedGames.one` for each game, from the
    ratings before its section, NaN where a player was unrated; *one_ratings* and
    *other_ratings* are those ratings, to a seventh figure.
    """

    label: str
    variation: Variation
    predictions: array[float]
    one_ratings: array[float]
    other_ratings: array[float]
    ended: FinalStandings
    levels: Sequence[Level] = ()


@dataclass(frozen=True)
class Members:
    """Facts about the members other than ratings; *ids* must not be published.

    A year of birth is 0 where it is not known.
    """

    ids: array[int]
    birth_years: array[int]
    states: Sequence[str] = ()


@dataclass(frozen=True)
class RulesResult:
    """All of an experiment: the control, compared with the ledger, and every variant.

    The first of the *replays* is the control, which is what the others are compared
    with. *one_sided* counts games that were left out because their sides do not add up.
    """

    system: str
    control: Control
    played: RatedGames
    members: Members
    replays: Sequence[Replay]
    one_sided: int = 0

    def columns(self) -> dict[str, array[float]]:
        """Return the predictions by the numbers of the replays from 1, to compare."""
        return {
            str(number): one.predictions
            for number, one in enumerate(self.replays, start=1)
        }

    def history(self) -> History:
        """Return the games as a history of the laboratory; *one* is White."""
        played, members = self.played, self.members
        return History(
            ids=tuple(map(str, members.ids)),
            birth_years=tuple(year or None for year in members.birth_years),
            states=tuple(members.states),
            games=Games(
                white=played.one,
                black=played.other,
                points=array("d", (points / 2 for points in played.half_points)),
                days=played.day,
                events=played.section,
                minutes=array("i", [0]) * len(played.one),
                colored=array("b", [0]) * len(played.one),
            ),
            rated_days=played.day,
        )
