"""Replay real rated sections and count the published ratings that are reproduced.

The sections are records of inputs and published results, without names. The function
that fills a gap in the records says how.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from .inputs import AssignedRating, Competitor, Game, Kind, RatingInput, Record
from .numbers import official
from .rules import Rules, rules_in_force
from .section import rate_section
from .systems import System
from .time_controls import parse_time_control

# Tolerance for a rating published with two decimals.
_TWO_DECIMALS = 0.0101
_HALF_POINTS = {"W": 2, "D": 1, "L": 0}
# An established rating is on more than 25 games; the exact number is not recorded,
# and from about 50 games on it makes no difference.
_ESTABLISHED_GAMES = 1000
_UNKNOWN_START = 750.0
# A slow control, so that nothing counts as dual-rated where it is not recorded.
_UNKNOWN_CONTROL = "G/120;d5"


class Tally(NamedTuple):
    """How many players could be checked, and how many ratings were reproduced.

    *exact* is the published figure itself, *close* within one point of it, or, where
    ratings are published with two decimals, within 0.01.
    """

    checked: int
    exact: int
    close: int


class Verification(NamedTuple):
    """The replay of all sections, of parts of them, and with a wrong B."""

    total: Tally
    parts: dict[str, Tally]
    wrong_multipliers: dict[float, Tally]


def verify(sections: Sequence[Mapping[str, Any]]) -> Verification:
    """Replay *sections* with the B in force, and again with wrong ones.

    The wrong ones show that the check can fail: most sections were rated with
    B = 14, and with another B far fewer ratings come out as published.
    """
    tallies = [(section, replay(section)) for section in sections]
    parts: dict[str, list[Tally]] = {}
    for section, tally in tallies:
        parts.setdefault(_part(section), []).append(tally)
        if section.get("pristine"):
            parts.setdefault("2021, complete and all rated", []).append(tally)
    return Verification(
        total=sum_tallies(tally for _, tally in tallies),
        parts={name: sum_tallies(found) for name, found in sorted(parts.items())},
        wrong_multipliers={
            multiplier: sum_tallies(replay(section, multiplier) for section in sections)
            for multiplier in (10.0, 12.0, 16.0)
        },
    )


def sum_tallies(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of tallies."""
    found = list(tallies)
    return Tally(
        checked=sum(tally.checked for tally in found),
        exact=sum(tally.exact for tally in found),
        close=sum(tally.close for tally in found),
    )


def _part(section: Mapping[str, Any]) -> str:
    return str(section["name"]).split("-")[1]


def replay(section: Mapping[str, Any], multiplier: float | None = None) -> Tally:
    """Rate one recorded section and compare with the published ratings.

    *multiplier* replaces the bonus multiplier that was in force. Players with an
    opponent whose rating is not recorded are not compared, nor newcomers.
    """
    rating_input = recorded_input(section)
    rules = _rules(section, multiplier)
    posts = {rated.id: rated.post or 0.0 for rated in rate_section(rating_input, rules)}
    has_decimals = rating_input.start_date.year == 2026
    return sum_tallies(
        _compared(posts[player["pair"]], player["post"], has_decimals)
        for player in section["players"]
        if is_checked(player, section)
    )


def _compared(computed: float, published: float, has_decimals: bool) -> Tally:
    scale, tolerance = (100, _TWO_DECIMALS) if has_decimals else (1, 1.0)
    exact = official(computed * scale) == official(published * scale)
    return Tally(1, int(exact), int(abs(computed - published) <= tolerance))


def is_checked(player: Mapping[str, Any], section: Mapping[str, Any]) -> bool:
    """Return whether a player's published rating can be compared.

    The ratings before the section of the player and all opponents must be known.
    """
    met = {opponent for _, _, opponent in _played(player)}
    known = {other["pair"] for other in section["players"] if "pre" in other}
    return "post" in player and bool(met) and met | {player["pair"]} <= known


def recorded_input(section: Mapping[str, Any]) -> RatingInput:
    """Return the rating input of a recorded section."""
    start = _start(section)
    # Both players of a game record it; the round tells two games of a pair apart.
    games = {
        (number, frozenset((player["pair"], opponent))): Game(
            player["pair"],
            opponent,
            _HALF_POINTS[outcome],
            2 - _HALF_POINTS[outcome],
        )
        for player in section["players"]
        for number, outcome, opponent in _played(player)
    }
    return RatingInput(
        system=System(section["system"] or System.OTBR),
        kind=Kind.SWISS,
        time_control=parse_time_control(section["time_control"] or _UNKNOWN_CONTROL),
        start_date=start,
        end_date=date.fromisoformat(section["end_date"] or start.isoformat()),
        competitors=tuple(_competitor(player) for player in section["players"]),
        games=tuple(games.values()),
    )


def _rules(section: Mapping[str, Any], multiplier: float | None) -> Rules:
    start = _start(section)
    return rules_in_force(start).vary(
        bonus_multiplier=multiplier or float(section["bonus_multiplier"]),
        three_game_repeat_clause=start.year == 2026,
    )


def _start(section: Mapping[str, Any]) -> date:
    """Return the start day; where it is not recorded, a day of the right year."""
    known = section["start_date"] or section["end_date"]
    return date.fromisoformat(known) if known else date(int(_part(section)), 7, 1)


def _played(player: Mapping[str, Any]) -> list[tuple[int, str, int]]:
    return [
        (number, outcome, opponent)
        for number, outcome, opponent, _ in player["results"]
        if outcome in _HALF_POINTS
    ]


def _competitor(player: Mapping[str, Any]) -> Competitor:
    """Fill the gaps in a player's record.

    A lost rating is the estimate that fits the opponents' results, if there is one.
    An unrated player starts with the rating printed, or as one of unknown age.
    """
    rating = player.get("pre", player.get("pre_estimated"))
    if rating is None:
        start = float(player.get("initial_rating_shown", _UNKNOWN_START))
        return Competitor(
            player["pair"], None, record=Record.NONE, initial=AssignedRating(start, 0)
        )
    return Competitor(
        player["pair"],
        float(rating),
        player.get("pre_games", _ESTABLISHED_GAMES),
        floor=player.get("floor_inferred"),
    )


def table(report: Verification) -> str:
    """Format a report as lines of text."""
    rows = [*report.parts.items(), ("all", report.total)]
    rows += [
        (f"all, if B were {multiplier:g}", tally)
        for multiplier, tally in report.wrong_multipliers.items()
    ]
    lines = [f"{'sections':<30}{'checked':>9}{'exact':>9}{'within 1 point':>16}"]
    lines += [
        f"{name:<30}{tally.checked:>9}{tally.exact:>9}{tally.close:>16}"
        for name, tally in rows
    ]
    return "\n".join(lines)
