"""What stands on top of an experiment: what came out, in the reader's language."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from ratings.experiments.queries.cells import FEWEST_PEOPLE
from ratings.laboratory.our_rules import Control
from ratings.laboratory.ranges import Estimate
from ratings.laboratory.rule_effects import ACTIVE
from ratings.laboratory.verdict import (
    Moved,
    Rival,
    Sentence,
    on_control,
    on_predictions,
    on_ratings,
    on_search,
)

CHOOSE_BY = "scaled_deviance"
# Results of before have ranges by events alone, which were too narrow.
RANGES_COVER_SINCE = 2
# Of more changes it would be too much to read; the tables have them all.
MOST_TOLD = 2


@dataclass(frozen=True)
class Verdict:
    """What is said: *control* first, which is empty where nothing was replayed.

    *fails* tells that the unchanged rules do not give the books; then there is no
    verdict.
    """

    control: str = ""
    fails: bool = False
    paragraphs: Sequence[str] = ()


def verdict_of(
    results: dict[str, Any],
    names: Mapping[int, str],
    *,
    bounds: Collection[int] = (),
    for_committee: bool,
) -> Verdict:
    """Return what the results come to; *names* are the variants' by number."""
    said, fails = _on_control(results)
    if fails:
        return Verdict(said, fails=True)
    if results.get("version", 1) < RANGES_COVER_SINCE:
        return Verdict(
            said,
            paragraphs=[
                _(
                    "The ranges of this experiment are by events alone and too narrow "
                    "for a verdict. Repeat it for one."
                )
            ],
        )
    paragraphs = verdict_paragraphs(
        results, names, bounds=bounds, for_committee=for_committee
    )
    return Verdict(said, paragraphs=[_in_words(one) for one in paragraphs if one])


def verdict_paragraphs(
    results: dict[str, Any],
    names: Mapping[int, str],
    *,
    bounds: Collection[int] = (),
    for_committee: bool = True,
) -> Iterator[list[Sentence]]:
    """Yield what predicted better, and what each would have done to ratings.

    A paragraph is empty where there is nothing to say.
    Of those numbered *bounds* none is named as the best: nobody could rate by them.
    """
    yield _on_two(results, names)
    yield _on_search(results, names) or _on_predictions(results, names, bounds)
    yield from _on_ratings(results, names, for_committee=for_committee)


def _on_control(results: dict[str, Any]) -> tuple[str, bool]:
    """Return what is said of the control run, and whether it fails."""
    found = results.get("our_rules")
    if found is None:
        return "", False
    control = Control(found["control"]["lines"], found["control"]["equal"])
    return _in_words(on_control(control)), not control.holds


def _in_words(sentences: Iterable[Sentence]) -> str:
    return " ".join(_(one.text).format(**one.values) for one in sentences)


def estimate(record: Sequence[float | None] | None) -> Estimate:
    """Return an estimate as it was before it was stored."""
    value, *rest = record or [None]
    return Estimate(float("nan") if value is None else value, *rest)


def _on_two(results: dict[str, Any], names: Mapping[int, str]) -> list[Sentence]:
    """Return what is said of two variants of our rules beside each other."""
    found = results.get("our_rules", {}).get("between")
    if found is None:
        return []
    off = {one["number"]: _off(one) for one in results["variants"]}
    against, gain = map(estimate, found)
    rival = Rival(names[3], against, gain, off[3])
    games, factor = results["games"], results["factor"]
    return on_predictions(names[2], off[2], [rival], games, factor)


def _on_predictions(
    results: dict[str, Any], names: Mapping[int, str], bounds: Collection[int]
) -> list[Sentence]:
    reference = results["reference"]
    others = [one for one in results["variants"] if one["number"] != reference]
    candidates = [one for one in others if one["number"] not in bounds]
    [own] = [one for one in results["variants"] if one["number"] == reference]
    rivals = [
        Rival(
            names[one["number"]],
            estimate(one["among_all"]),
            estimate(one["improvement"]),
            _off(one),
        )
        for one in candidates or others
    ]
    return on_predictions(
        names[reference], _off(own), rivals, results["games"], results["factor_of_all"]
    )


def _off(one: dict[str, Any]) -> float:
    return estimate(one["measures"]["root_brier"]).value


def _on_search(results: dict[str, Any], names: Mapping[int, str]) -> list[Sentence]:
    found = results.get("rolling")
    if found is None:
        return []
    return on_search(
        names[found["folds"][-1]["chosen"]],
        names[results["reference"]],
        estimate(found["judged"]),
        found["promised"],
        len(found["folds"]),
    )


def _on_ratings(
    results: dict[str, Any], names: Mapping[int, str], *, for_committee: bool
) -> Iterator[list[Sentence]]:
    """Yield what became of members by a change; of more than two, none is told."""
    changes = list(_changes(results))
    for number, everybody, active in changes if len(changes) <= MOST_TOLD else ():
        if for_committee or everybody.players >= FEWEST_PEOPLE:
            is_told = active and (for_committee or _hides_nobody(everybody, active))
            yield on_ratings(
                everybody,
                names[number] if len(changes) > 1 else "",
                active if is_told else None,
            )


def _hides_nobody(everybody: Moved, active: Moved) -> bool:
    """Tell whether both these and the others are so many that none is found out."""
    others = everybody.players - active.players
    return active.players >= FEWEST_PEOPLE and not 0 < others < FEWEST_PEOPLE


def _changes(results: dict[str, Any]) -> Iterator[tuple[int, Moved, Moved | None]]:
    """Yield the number of each varied rule, and how ratings moved: all, the active."""
    if "our_rules" in results:
        for one in results["our_rules"]["effects"]:
            if one["everybody"] is not None:
                activity = {name: _moved(*effect) for name, *effect in one["activity"]}
                yield one["number"], _moved(*one["everybody"]), activity.get(ACTIVE)
    elif "changes" in results and results["changes"]["everybody"] is not None:
        *counts, low, quarter, three_quarters, high = results["changes"]["everybody"]
        percentiles = [low, quarter, three_quarters, high]
        yield 2, _moved(*counts, percentiles), None


def _moved(
    _low: float | None,
    _high: float | None,
    players: int,
    gained: int,
    lost: int,
    mean: float,
    _median: float,
    percentiles: Sequence[float],
) -> Moved:
    """Return an effect as it was before it was stored."""
    return Moved(players, gained, lost, mean, tuple(percentiles))
