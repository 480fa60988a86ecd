"""What the points and the forfeit mark of a pairing mean as result codes."""

from __future__ import annotations

from typing import NamedTuple

_HALF_POINTS = {"": None, "0": 0, "0.5": 1, "½": 1, ".5": 1, "1": 2}
_PLAYED = {(2, 0): ("W", "L"), (0, 2): ("L", "W"), (1, 1): ("D", "D")}
_FORFEITS = {(2, 0): ("X", "F"), (0, 2): ("F", "X")}
_ONE_SIDED = {2: "N", 1: "R", 0: "S"}


class Outcome(NamedTuple):
    """White's and Black's result codes, blank without a result; what is to be said.

    *doubt* is the name of a finding. Without *opponents* it was no game.
    """

    codes: tuple[str, str]
    doubt: str = ""
    opponents: bool = True


def outcome_of(white: str, black: str, mark: str) -> Outcome | None:
    """Return what a pairing of two players came to, None where it means nothing.

    Marks are K for a forfeit, U for a game that is not rated, D where nobody won, H for
    one that is adjourned. Some programs leave a loser's nought blank.

    >>> outcome_of("1.0", "0.0", "").codes, outcome_of("1", "", "K").codes
    (('W', 'L'), ('X', 'F'))
    >>> outcome_of("0,5", "0,5", "U").codes, outcome_of("3", "0", "")
    (('H', 'H'), None)
    """
    points = _half_points(white), _half_points(black)
    if -1 in points:
        return None
    mark = mark.upper()
    if mark == "H" or (points == (None, None) and not mark):
        return Outcome(("", ""), "chess_results.no_result")
    both = points[0] or 0, points[1] or 0
    if mark == "K":
        return Outcome(_FORFEITS.get(both, ("Z", "Z")))
    if mark == "U":
        if both in _FORFEITS:
            return Outcome(_FORFEITS[both], "chess_results.not_rated")
        return Outcome(("H", "H"), "chess_results.not_rated", opponents=False)
    if mark == "D" or (both == (0, 0) and not mark):
        return Outcome(("Z", "Z"), "chess_results.nobody_won")
    if mark:
        return None
    return Outcome(_PLAYED.get(both) or (_ONE_SIDED[both[0]], _ONE_SIDED[both[1]]))


def bye_of(points: str) -> str | None:
    """Return the code of a round without an opponent, None where it means nothing.

    >>> bye_of("1.0"), bye_of("0,5"), bye_of(""), bye_of("2")
    ('B', 'H', 'U', None)
    """
    return {2: "B", 1: "H", 0: "U", None: "U"}.get(_half_points(points))


def _half_points(text: str) -> int | None:
    """Return half points, None for a blank, -1 for what is no result."""
    plain = text.replace(",", ".").removesuffix(".0") or ("0" if text else "")
    return _HALF_POINTS.get(plain, -1)
