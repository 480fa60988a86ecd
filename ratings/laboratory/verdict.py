"""A comparison in words: what predicts better, by how much, how sure, who notices.

Whole sentences in plain English, marked for translation, with what is put into them.
Nothing is said that the ranges do not hold, and where no difference can be told it is
said how large one had to be to show.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from .our_rules import Control
from .ranges import Estimate, detectable
from .words import _

LITTLE: Final = 0.5
MUCH: Final = 2.0
"""Percent of what a system foresees beyond a coin; from Elo to Glicko it was 1.1 in the
test of 2007 (MathSport), from Elo to the winner of a contest 2.5."""
NOTICED: Final = 25
"""Rating points that a member notices: about what the result of one game moves."""


class Sentence(NamedTuple):
    """A sentence marked for translation, and what is put in."""

    text: str
    values: Mapping[str, Any] = {}

    def __str__(self) -> str:
        return self.text.format(**self.values)


@dataclass(frozen=True, slots=True)
class Rival:
    """One variant beside the reference, as a verdict needs it.

    *against* is the scaled deviance less the reference's, with a range that holds for
    all variants at once; *gain* the share of what the reference foresees beyond a coin
    that is gained. *off* is the error of a prediction, in points of a game.
    """

    name: str
    against: Estimate
    gain: Estimate
    off: float

    @property
    def is_better(self) -> bool:
        return self.against.is_certain and self.against.value < 0

    @property
    def is_worse(self) -> bool:
        return self.against.is_certain and self.against.value > 0


@dataclass(frozen=True, slots=True)
class Moved:
    """By how many rating points ratings of members would move.

    *gained* and *lost* count whole points; the four percentiles of the difference are
    the 5th, 25th, 75th and 95th, *mean* and they in points.
    """

    players: int
    gained: int
    lost: int
    mean: float
    percentiles: tuple[float, float, float, float]


def on_control(control: Control) -> list[Sentence]:
    """Say whether the unchanged rules give the books; it stands before all else.

    >>> print(on_control(Control(lines=3, equal=3))[0])
    The unchanged rules give the books: 3 of 3 lines are equal to the last bit.
    """
    counts = {"equal": control.equal, "lines": control.lines}
    if control.holds:
        text = _(
            "The unchanged rules give the books: {equal:,} of {lines:,} lines are "
            "equal to the last bit."
        )
        return [Sentence(text, counts)]
    text = _(
        "The unchanged rules do not give the books: only {equal:,} of {lines:,} lines "
        "are equal. So there is no verdict."
    )
    said = [Sentence(text, counts)]
    if control.is_waiting:
        text = _(
            "Changes in the books wait for a rerate, which explains it. Publish the "
            "rerate first, and run the experiment again."
        )
        said.append(Sentence(text))
    return said


def on_predictions(
    reference: str, off: float, rivals: Sequence[Rival], games: int, factor: float
) -> list[Sentence]:
    """Say how well the *rivals* predicted beside the *reference*.

    *off* is the reference's error, *factor* that of the rivals' ranges.

    >>> rival = Rival(
    ...     "B = 10", Estimate(-0.2, -0.3, -0.1, 0.05), Estimate(0.011), 0.37
    ... )
    >>> print(on_predictions("B = 12", 0.38, [rival], 9000, 1.96)[0])
    B = 10 predicted these 9,000 games better than B = 12.
    """
    if not rivals:
        return []
    best = min(rivals, key=lambda one: one.against.value)
    said = list(_counted(reference, rivals)) if len(rivals) > 1 else []
    if best.against.error is None:
        return [
            *said,
            Sentence(
                _(
                    "Games of a single event, or of two players, do not tell which "
                    "predicts better."
                )
            ),
        ]
    names = {"name": best.name, "other": reference, "games": games}
    if best.is_better:
        text = _("{name} predicted these {games:,} games better than {other}.")
        said += [Sentence(text, names), *_by_how_much(best, reference, off)]
    elif len(rivals) == 1 and best.is_worse:
        text = _("{name} predicted these {games:,} games worse than {other}.")
        said += [Sentence(text, names), *_by_how_much(best, reference, off)]
    elif all(one.is_worse for one in rivals):
        text = _("{other} predicted these {games:,} games better than all others.")
        said.append(Sentence(text, names))
    else:
        said += _no_difference(best, names, factor)
    return said


def _counted(reference: str, rivals: Sequence[Rival]) -> Iterator[Sentence]:
    """Yield how many of several are better and worse, all looked at together."""
    better = sum(one.is_better for one in rivals)
    worse = sum(one.is_worse for one in rivals)
    if not better + worse:
        text = _("Of {count} variants none can be told apart from {other}.")
        yield Sentence(text, {"count": len(rivals), "other": reference})
        return
    yield Sentence(
        _(
            "Of {count} variants beside {other}, {better} surely predicted better and "
            "{worse} surely worse; of {open} neither can be told."
        ),
        {
            "count": len(rivals),
            "other": reference,
            "better": better,
            "worse": worse,
            "open": len(rivals) - better - worse,
        },
    )


def _by_how_much(rival: Rival, reference: str, off: float) -> Iterator[Sentence]:
    yield Sentence(
        _(
            "Its expected scores were off by {ours:.4f} points a game, those of "
            "{other} by {theirs:.4f}."
        ),
        {"ours": rival.off, "theirs": off, "other": reference},
    )
    percent = abs(100 * rival.gain.value)
    low, high = rival.gain.low, rival.gain.high
    if percent != percent or low is None or high is None:
        return
    least, most = sorted((abs(100 * low), abs(100 * high)))
    values = {
        "percent": percent,
        "least": least if low * high > 0 else 0.0,
        "most": most,
        "other": reference,
    }
    if rival.against.value < 0:
        yield Sentence(
            _(
                "Of what {other} foresees beyond tossing a coin, that is {percent:.2f} "
                "percent more; with other events and other players it would be between "
                "{least:.2f} and {most:.2f} in 95 of 100 cases."
            ),
            values,
        )
    else:
        yield Sentence(
            _(
                "Of what {other} foresees beyond tossing a coin, that is {percent:.2f} "
                "percent less; with other events and other players it would be between "
                "{least:.2f} and {most:.2f} in 95 of 100 cases."
            ),
            values,
        )
    if percent < LITTLE:
        yield Sentence(_("The difference is certain, but small."))
    elif percent > MUCH:
        yield Sentence(_("The difference is large, as between kinds of systems."))


def _no_difference(
    rival: Rival, names: Mapping[str, Any], factor: float
) -> Iterator[Sentence]:
    yield Sentence(
        _(
            "With these {games:,} games no difference can be told between {name} and "
            "{other}."
        ),
        names,
    )
    error = rival.gain.error
    if error is None or error <= 0:
        return
    percent = 100 * detectable(error, factor)
    if percent < 100:
        text = _(
            "To show in 4 of 5 cases, a difference would have to be {percent:.2f} "
            "percent of what {other} foresees beyond tossing a coin."
        )
    else:
        text = _(
            "These are too few: all that {other} foresees beyond tossing a coin would "
            "not have shown in 4 of 5 cases."
        )
    yield Sentence(text, {"percent": percent, "other": names["other"]})


def on_search(
    name: str, usual: str, judged: Estimate, promised: float, years: int
) -> list[Sentence]:
    """Say what a search found, judged on years that chose nothing.

    *judged* and *promised* are differences of the scaled deviance from the *usual*
    values, in new years and in those that chose.
    """
    values = {"name": name, "usual": usual, "years": years}
    if not judged.is_certain:
        text = _(
            "In {years} periods that chose nothing, no difference can be told between "
            "what was best before each of them and {usual}."
        )
    elif judged.value < 0:
        text = _(
            "In {years} periods that chose nothing, what was best before each of them "
            "predicted better than {usual}. The last choice is {name}."
        )
    else:
        text = _(
            "In {years} periods that chose nothing, what was best before each of them "
            "predicted worse than {usual}."
        )
    said = [Sentence(text, values)]
    if promised < 0:
        kept = 100 * judged.value / promised
        said.append(
            Sentence(
                _(
                    "Of the gain that showed where it was chosen, {kept:.0f} percent "
                    "was left in new games; the rest was hindsight."
                ),
                {"kept": min(100.0, max(0.0, kept))},
            )
        )
    return said


def on_ratings(
    moved: Moved, name: str = "", active: Moved | None = None
) -> list[Sentence]:
    """Say what a change would have done to ratings, and whether members would notice.

    The *name* of the change is said first where there are several. *active* are those
    who played in the last year: where they are known they are judged, because of many
    others no rating can have moved.

    >>> for one in on_ratings(Moved(9000, 40, 60, 0.01, (-2.9, -0.2, 0.1, 2.0))):
    ...     print(one)
    Of 9,000 members 40 would stand higher, 60 lower and 8,900 the same.
    On average ratings would stay as they are.
    Hardly anybody would notice: 90 in 100 would move by less than 3 points.
    """
    if not moved.gained + moved.lost:
        return [_on_nobody(name)]
    said = []
    if name:
        said.append(Sentence(_("{name} would have changed ratings."), {"name": name}))
    text = _(
        "Of {players:,} members {gained:,} would stand higher, {lost:,} lower and "
        "{same:,} the same."
    )
    said.append(Sentence(text, _counts(moved)))
    if active is not None:
        text = _(
            "Of the {players:,} who played in the last year {gained:,} would stand "
            "higher, {lost:,} lower and {same:,} the same."
        )
        said.append(Sentence(text, _counts(active)))
    return [*said, _on_average(active or moved, active), _notice(active or moved)]


def _counts(moved: Moved) -> dict[str, int]:
    same = moved.players - moved.gained - moved.lost
    return {
        "players": moved.players,
        "gained": moved.gained,
        "lost": moved.lost,
        "same": same,
    }


def _on_average(moved: Moved, active: Moved | None) -> Sentence:
    points = {"points": abs(moved.mean)}
    if abs(moved.mean) < 0.05:
        if active:
            return Sentence(_("On average their ratings would stay as they are."))
        return Sentence(_("On average ratings would stay as they are."))
    if active:
        higher = _("On average their ratings would be {points:.1f} points higher.")
        lower = _("On average their ratings would be {points:.1f} points lower.")
    else:
        higher = _("On average ratings would be {points:.1f} points higher.")
        lower = _("On average ratings would be {points:.1f} points lower.")
    return Sentence(higher if moved.mean > 0 else lower, points)


def _on_nobody(name: str) -> Sentence:
    if name:
        text = _("{name} would have changed no rating by a whole point.")
        return Sentence(text, {"name": name})
    return Sentence(_("No rating would have changed by a whole point."))


def _notice(moved: Moved) -> Sentence:
    low, quarter, three_quarters, high = moved.percentiles
    widest, half = max(-low, high), max(-quarter, three_quarters)
    values = {"points": NOTICED}
    if half >= NOTICED:
        return Sentence(
            _(
                "Many would notice: at least one in four would move by {points} points "
                "or more, about what one game decides."
            ),
            values,
        )
    if widest >= NOTICED:
        return Sentence(
            _(
                "Some would notice: at least one in twenty would move by {points} "
                "points or more, about what one game decides."
            ),
            values,
        )
    if widest < 1:
        return Sentence(
            _("Hardly anybody would notice: 90 in 100 would move by less than a point.")
        )
    return Sentence(
        _(
            "Hardly anybody would notice: 90 in 100 would move by less than {points} "
            "points."
        ),
        {"points": math.floor(widest) + 1},
    )
