"""A comparison in words: which rules predict better, by how much, and how sure.

Whole sentences in plain English, marked for translation, with the values they take.
They claim no more than the confidence intervals support, and where no difference is
clear they say how large one would have to be to show.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple

from .confidence_intervals import Estimate, detectable_difference
from .our_rules import Control
from .words import _

SMALL_GAIN_PERCENT: Final = 0.5
LARGE_GAIN_PERCENT: Final = 2.0
"""Percent of what a system foresees beyond a coin; from Elo to Glicko it was 1.1 in the
test of 2007 (MathSport), from Elo to the winner of a contest 2.5."""
NOTICEABLE_POINTS: Final = 25
"""Rating points that a member notices: about what the result of one game moves."""
BOTH_DIRECTIONS_RATIO: Final = 4
"""Both directions are named if the smaller is at least this fraction of the larger."""


class Sentence(NamedTuple):
    """A sentence marked for translation, and the values for its placeholders."""

    text: str
    values: Mapping[str, Any] = {}

    def __str__(self) -> str:
        return self.text.format(**self.values)


@dataclass(frozen=True, slots=True)
class ComparedVariant:
    """One variant compared with the reference, as a verdict needs it.

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
class RatingShift:
    """By how many rating points ratings of members would move.

    *gained* and *lost* count whole points; the four percentiles of the difference are
    the 5th, 25th, 75th and 95th, *mean* and they in points. *average_gain* and
    *average_loss*, both above 0, are over those who gain and those who lose; None if
    that is no one, or not to be shown.
    """

    players: int
    gained: int
    lost: int
    mean: float
    percentiles: tuple[float, float, float, float]
    average_gain: float | None = None
    average_loss: float | None = None


class Outlook(Enum):
    """How well a variant predicts compared with the reference."""

    BETTER = "better"
    WORSE = "worse"
    SIMILAR = "similar"
    UNKNOWN = "unknown"


def outlook_of(rival: ComparedVariant, factor: float) -> Outlook:
    """Return how the *rival* predicts; *factor* is that of its confidence interval.

    A difference too small to matter counts as none. Without a clear difference the two
    are similar only if the games would have shown a large one.

    >>> gain = Estimate(0.4, -0.4, 1.2, 0.4)
    >>> outlook_of(ComparedVariant("A", Estimate(-9.0, -19, 1, 5.0), gain, 0.4), 1.96)
    <Outlook.UNKNOWN: 'unknown'>
    """
    percent = abs(100 * rival.gain.value)
    if rival.is_better or rival.is_worse:
        if percent < SMALL_GAIN_PERCENT:
            return Outlook.SIMILAR
        return Outlook.BETTER if rival.is_better else Outlook.WORSE
    error = rival.gain.error
    if not error or 100 * detectable_difference(error, factor) > LARGE_GAIN_PERCENT:
        return Outlook.UNKNOWN
    return Outlook.SIMILAR


_LOWER: Final = {
    Outlook.BETTER: _(
        "With {name}, {lost:,} of {players:,} members would be rated lower, by "
        "{loss:.1f} points on average; predictions would be better."
    ),
    Outlook.WORSE: _(
        "With {name}, {lost:,} of {players:,} members would be rated lower, by "
        "{loss:.1f} points on average; predictions would be worse."
    ),
    Outlook.SIMILAR: _(
        "With {name}, {lost:,} of {players:,} members would be rated lower, by "
        "{loss:.1f} points on average; predictions would be about as good."
    ),
    Outlook.UNKNOWN: _(
        "With {name}, {lost:,} of {players:,} members would be rated lower, by "
        "{loss:.1f} points on average; there are too few games to compare predictions."
    ),
}
_HIGHER: Final = {
    Outlook.BETTER: _(
        "With {name}, {gained:,} of {players:,} members would be rated higher, by "
        "{gain:.1f} points on average; predictions would be better."
    ),
    Outlook.WORSE: _(
        "With {name}, {gained:,} of {players:,} members would be rated higher, by "
        "{gain:.1f} points on average; predictions would be worse."
    ),
    Outlook.SIMILAR: _(
        "With {name}, {gained:,} of {players:,} members would be rated higher, by "
        "{gain:.1f} points on average; predictions would be about as good."
    ),
    Outlook.UNKNOWN: _(
        "With {name}, {gained:,} of {players:,} members would be rated higher, by "
        "{gain:.1f} points on average; there are too few games to compare predictions."
    ),
}
_BOTH: Final = {
    Outlook.BETTER: _(
        "With {name}, {lost:,} of {players:,} members would be rated lower, by "
        "{loss:.1f} points on average, and {gained:,} higher, by {gain:.1f}; "
        "predictions would be better."
    ),
    Outlook.WORSE: _(
        "With {name}, {lost:,} of {players:,} members would be rated lower, by "
        "{loss:.1f} points on average, and {gained:,} higher, by {gain:.1f}; "
        "predictions would be worse."
    ),
    Outlook.SIMILAR: _(
        "With {name}, {lost:,} of {players:,} members would be rated lower, by "
        "{loss:.1f} points on average, and {gained:,} higher, by {gain:.1f}; "
        "predictions would be about as good."
    ),
    Outlook.UNKNOWN: _(
        "With {name}, {lost:,} of {players:,} members would be rated lower, by "
        "{loss:.1f} points on average, and {gained:,} higher, by {gain:.1f}; there "
        "are too few games to compare predictions."
    ),
}
_NONE: Final = {
    Outlook.BETTER: _(
        "With {name}, no rating would change by a whole point; predictions would be "
        "better."
    ),
    Outlook.WORSE: _(
        "With {name}, no rating would change by a whole point; predictions would be "
        "worse."
    ),
    Outlook.SIMILAR: _(
        "With {name}, no rating would change by a whole point; predictions would be "
        "about as good."
    ),
    Outlook.UNKNOWN: _(
        "With {name}, no rating would change by a whole point; there are too few games "
        "to compare predictions."
    ),
}


def describe_change(name: str, moved: RatingShift, outlook: Outlook) -> Sentence | None:
    """Answer in one sentence what a change does: to ratings, and to predictions.

    None where an average that belongs into it is not to be shown.

    >>> moved = RatingShift(1613, 0, 312, -0.8, (-6.0, -1.0, 0.0, 0.0), None, 4.0)
    >>> print(describe_change("B = 10", moved, Outlook.SIMILAR))
    With B = 10, 312 of 1,613 members would be rated lower, by 4.0 points on average; \
predictions would be about as good.
    """
    fewer, more = sorted((moved.gained, moved.lost))
    values = {
        **_counts(moved),
        "name": name,
        "gain": moved.average_gain,
        "loss": moved.average_loss,
    }
    if not more:
        return Sentence(_NONE[outlook], values)
    needed: tuple[float | None, ...]
    if fewer * BOTH_DIRECTIONS_RATIO >= more:
        texts, needed = _BOTH, (moved.average_gain, moved.average_loss)
    elif moved.lost > moved.gained:
        texts, needed = _LOWER, (moved.average_loss,)
    else:
        texts, needed = _HIGHER, (moved.average_gain,)
    return None if None in needed else Sentence(texts[outlook], values)


def describe_control(control: Control) -> list[Sentence]:
    """Say whether the actual rules reproduce the ledger; it comes before all else.

    >>> print(describe_control(Control(lines=3, equal=3))[0])
    Check passed: replaying the actual rules reproduces the rating changes on record, \
3 of 3 exactly.
    """
    counts = {"equal": control.equal, "lines": control.lines}
    if control.holds:
        text = _(
            "Check passed: replaying the actual rules reproduces the rating changes on "
            "record, {equal:,} of {lines:,} exactly."
        )
        return [Sentence(text, counts)]
    text = _(
        "Check failed: replaying the actual rules reproduces only {equal:,} of "
        "{lines:,} rating changes on record, so there are no results."
    )
    said = [Sentence(text, counts)]
    if control.is_waiting:
        text = _(
            "Pending rerates explain this. Publish the rerate first, then run the "
            "experiment again."
        )
        said.append(Sentence(text))
    return said


def describe_predictions(
    reference: str,
    off: float,
    rivals: Sequence[ComparedVariant],
    games: int,
    factor: float,
) -> list[Sentence]:
    """Say how well the *rivals* predicted compared with the *reference*, result first.

    *off* is the reference's error, *factor* that of the rivals' ranges.

    >>> rival = ComparedVariant(
    ...     "B = 10", Estimate(-0.2, -0.3, -0.1, 0.05), Estimate(0.011), 0.37
    ... )
    >>> print(describe_predictions("B = 12", 0.38, [rival], 9000, 1.96)[0])
    B = 10 predicted these 9,000 games better than B = 12.
    """
    if not rivals:
        return []
    best = min(rivals, key=lambda one: one.against.value)
    if best.against.error is None:
        return [
            Sentence(
                _(
                    "Games from a single event, or between the same two players, "
                    "can’t show which predicts better."
                )
            ),
        ]
    counted = list(_count_outcomes(reference, rivals)) if len(rivals) > 1 else []
    names = {"name": best.name, "other": reference, "games": games}
    if best.is_better:
        text = _("{name} predicted these {games:,} games better than {other}.")
        return [
            Sentence(text, names),
            *counted,
            *_describe_difference(best, reference, off),
        ]
    if len(rivals) == 1 and best.is_worse:
        text = _("{name} predicted these {games:,} games worse than {other}.")
        return [Sentence(text, names), *_describe_difference(best, reference, off)]
    if all(one.is_worse for one in rivals):
        text = _("{other} predicted these {games:,} games better than all others.")
        return [Sentence(text, names), *counted]
    text = _(
        "These {games:,} games show no clear difference between {name} and {other}."
    )
    return [Sentence(text, names), *counted, *_describe_power(best, reference, factor)]


def _count_outcomes(
    reference: str, rivals: Sequence[ComparedVariant]
) -> Iterator[Sentence]:
    """Yield how many of several are better and worse, all looked at together."""
    better = sum(one.is_better for one in rivals)
    worse = sum(one.is_worse for one in rivals)
    if not better + worse:
        text = _("None of the {count} variants is clearly different from {other}.")
        yield Sentence(text, {"count": len(rivals), "other": reference})
        return
    yield Sentence(
        _(
            "Compared with {other}, {better} of {count} variants predicted clearly "
            "better and {worse} clearly worse; the difference of {open} could be "
            "chance."
        ),
        {
            "count": len(rivals),
            "other": reference,
            "better": better,
            "worse": worse,
            "open": len(rivals) - better - worse,
        },
    )


def _describe_difference(
    rival: ComparedVariant, reference: str, off: float
) -> Iterator[Sentence]:
    yield Sentence(
        _(
            "Its expected scores had a typical error of {ours:.4f} points per game, "
            "compared with {theirs:.4f} for {other}."
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
        text = _(
            "It beats a coin flip by {percent:.2f}% more than {other} (95% "
            "confidence interval: {least:.2f}% to {most:.2f}%)."
        )
    else:
        text = _(
            "It beats a coin flip by {percent:.2f}% less than {other} (95% "
            "confidence interval: {least:.2f}% to {most:.2f}%)."
        )
    yield Sentence(text, values)
    yield Sentence(
        _(
            "The interval shows how far the result could shift with other events and "
            "players."
        )
    )
    if percent < SMALL_GAIN_PERCENT:
        yield Sentence(_("The difference is statistically significant but small."))
    elif percent > LARGE_GAIN_PERCENT:
        yield Sentence(
            _("That is a large difference, as between two kinds of rating systems.")
        )


def _describe_power(
    rival: ComparedVariant, reference: str, factor: float
) -> Iterator[Sentence]:
    """Yield how large a difference would have to be before the games show it."""
    error = rival.gain.error
    if error is None or error <= 0:
        return
    percent = 100 * detectable_difference(error, factor)
    if percent < 100:
        text = _(
            "To show up in 4 of 5 such tests, a variant would have to beat a coin flip "
            "by {percent:.2f}% more or less than {other}."
        )
    else:
        text = _(
            "There are too few games: even the whole lead of {other} over a coin flip "
            "would not show up in 4 of 5 such tests."
        )
    yield Sentence(text, {"percent": percent, "other": reference})


def describe_search(
    name: str, usual: str, judged: Estimate, promised: float, years: int
) -> list[Sentence]:
    """Say what a search found, judged on years that chose nothing.

    *judged* and *promised* are differences of the scaled deviance from the *usual*
    values, in new years and in those that chose.
    """
    values = {"name": name, "usual": usual, "years": years}
    if not judged.is_certain:
        text = _(
            "Values chosen from earlier games predicted later games neither clearly "
            "better nor clearly worse than {usual}, in {years} out-of-sample tests."
        )
    elif judged.value < 0:
        text = _(
            "Values chosen from earlier games predicted later games better than "
            "{usual}, in {years} out-of-sample tests. The latest choice is {name}."
        )
    else:
        text = _(
            "Values chosen from earlier games predicted later games worse than "
            "{usual}, in {years} out-of-sample tests."
        )
    said = [
        Sentence(text, values),
        Sentence(_("Out-of-sample: no game tests a value that it helped to choose.")),
    ]
    if promised < 0:
        kept = 100 * judged.value / promised
        said.append(
            Sentence(
                _(
                    "Of the improvement in the games used to choose, {kept:.0f}% "
                    "remained in new games; the rest was overfitting."
                ),
                {"kept": min(100.0, max(0.0, kept))},
            )
        )
    return said


def describe_ratings(
    moved: RatingShift, name: str = "", active: RatingShift | None = None
) -> list[Sentence]:
    """Say what a change would have done to ratings, and whether members would notice.

    The *name* of the change is given where there are several. *active* are those who
    played in the last year: where they are known they are judged, because the ratings
    of many others cannot have moved.

    >>> shift = RatingShift(9000, 40, 60, 0.01, (-2.9, -0.2, 0.1, 2.0))
    >>> for one in describe_ratings(shift):
    ...     print(one)
    Of 9,000 members, 40 would be rated higher, 60 lower, and 8,900 the same.
    On average, ratings would not change.
    Few members would notice: 90% would move by less than 3 points.
    """
    if not moved.gained + moved.lost:
        return [_describe_no_change(name)]
    if name:
        text = _(
            "With {name}, {gained:,} of {players:,} members would be rated higher, "
            "{lost:,} lower, and {same:,} the same."
        )
    else:
        text = _(
            "Of {players:,} members, {gained:,} would be rated higher, {lost:,} lower, "
            "and {same:,} the same."
        )
    said = [Sentence(text, {**_counts(moved), "name": name})]
    if active is not None:
        text = _(
            "Of the {players:,} who played in the last year, {gained:,} would be rated "
            "higher, {lost:,} lower, and {same:,} the same."
        )
        said.append(Sentence(text, _counts(active)))
    return [
        *said,
        _describe_average(active or moved, active),
        _describe_noticeability(active or moved),
    ]


def _counts(moved: RatingShift) -> dict[str, int]:
    same = moved.players - moved.gained - moved.lost
    return {
        "players": moved.players,
        "gained": moved.gained,
        "lost": moved.lost,
        "same": same,
    }


def _describe_average(moved: RatingShift, active: RatingShift | None) -> Sentence:
    points = {"points": abs(moved.mean)}
    if abs(moved.mean) < 0.05:
        if active:
            return Sentence(_("On average, their ratings would not change."))
        return Sentence(_("On average, ratings would not change."))
    if active:
        higher = _("On average, their ratings would be {points:.1f} points higher.")
        lower = _("On average, their ratings would be {points:.1f} points lower.")
    else:
        higher = _("On average, ratings would be {points:.1f} points higher.")
        lower = _("On average, ratings would be {points:.1f} points lower.")
    return Sentence(higher if moved.mean > 0 else lower, points)


def _describe_no_change(name: str) -> Sentence:
    if name:
        text = _("With {name}, no rating would change by a whole point.")
        return Sentence(text, {"name": name})
    return Sentence(_("No rating would change by a whole point."))


def _describe_noticeability(moved: RatingShift) -> Sentence:
    low, quarter, three_quarters, high = moved.percentiles
    widest, half = max(-low, high), max(-quarter, three_quarters)
    values = {"points": NOTICEABLE_POINTS}
    if half >= NOTICEABLE_POINTS:
        return Sentence(
            _(
                "Many members would notice: at least one in four would move by "
                "{points} points or more, about as much as one game decides."
            ),
            values,
        )
    if widest >= NOTICEABLE_POINTS:
        return Sentence(
            _(
                "Some members would notice: at least one in twenty would move by "
                "{points} points or more, about as much as one game decides."
            ),
            values,
        )
    if widest < 1:
        return Sentence(
            _("Few members would notice: 90% would move by less than a point.")
        )
    return Sentence(
        _("Few members would notice: 90% would move by less than {points} points."),
        {"points": math.floor(widest) + 1},
    )
