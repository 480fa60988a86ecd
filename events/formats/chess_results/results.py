"""Convert the points and the forfeit mark of a pairing to result codes."""

from __future__ import annotations

from typing import NamedTuple

_HALF_POINTS = {"": None, "0": 0, "0.5": 1, "½": 1, ".5": 1, "1": 2}
_PLAYED = {(2, 0): ("W", "L"), (0, 2): ("L", "W"), (1, 1): ("D", "D")}
_FORFEITS = {(2, 0): ("X", "F"), (0, 2): ("F", "X")}
_ONE_SIDED = {2: "N", 1: "R", 0: "S"}


class PairingOutcome(NamedTuple):
    """White's and Black's result codes (blank without a result), and a finding.

    *finding_name* is the name of a finding. Without *has_opponents* it was not a game.
    """

    codes: tuple[str, str]
    finding_name: str = ""
    has_opponents: bool = True


def pairing_outcome(white: str, black: str, mark: str) -> PairingOutcome | None:
    """Return the outcome of a pairing of two players, None if it is invalid.

    Marks are K for a forfeit, U for an unrated game, D for a game without a winner, H
    for an adjourned game. Some programs leave a loser's zero blank.

    >>> pairing_outcome("1.0", "0.0", "").codes, pairing_outcome("1", "", "K").codes
    (('W', 'L'), ('X', 'F'))
    >>> pairing_outcome("0,5", "0,5", "U").codes, pairing_outcome("3", "0", "")
    (('H', 'H'), None)
    """
    points = _half_points(white), _half_points(black)
    if -1 in points:
        return None
    mark = mark.upper()
    if mark == "H" or (points == (None, None) and not mark):
        return PairingOutcome(("", ""), "chess_results.no_result")
    both = points[0] or 0, points[1] or 0
    if mark == "K":
        return PairingOutcome(_FORFEITS.get(both, ("Z", "Z")))
    if mark == "U":
        if both in _FORFEITS:
            return PairingOutcome(_FORFEITS[both], "chess_results.not_rated")
        return PairingOutcome(
            ("H", "H"), "chess_results.not_rated", has_opponents=False
        )
    if mark == "D" or (both == (0, 0) and not mark):
        return PairingOutcome(("Z", "Z"), "chess_results.nobody_won")
    if mark:
        return None
    return PairingOutcome(
        _PLAYED.get(both) or (_ONE_SIDED[both[0]], _ONE_SIDED[both[1]])
    )


def bye_from_points(points: str) -> str | None:
    """Return the code of a round without an opponent, None if it is invalid.

    >>> [bye_from_points(points) for points in ("1.0", "0,5", "", "2")]
    ['B', 'H', 'U', None]
    """
    return {2: "B", 1: "H", 0: "U", None: "U"}.get(_half_points(points))


def _half_points(text: str) -> int | None:
    """Return half points, None for a blank, -1 for anything else."""
    plain = text.replace(",", ".").removesuffix(".0") or ("0" if text else "")
    return _HALF_POINTS.get(plain, -1)
