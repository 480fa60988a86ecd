"""The top of an experiment's page: its answer and the evidence, in words."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from ratings.laboratory.confidence_intervals import Estimate
from ratings.laboratory.our_rules import Control
from ratings.laboratory.rule_effects import ACTIVE
from ratings.laboratory.verdict import (
    ComparedVariant,
    RatingShift,
    Sentence,
    describe_change,
    describe_control,
    describe_predictions,
    describe_ratings,
    describe_search,
    outlook_of,
)
from ratings.research.experiments.queries.cells import MIN_PEOPLE

# Older results have ranges by events alone, which were too narrow.
RANGES_COVER_SINCE = 2
# More changes would be too much to read; the tables have them all.
MAX_CHANGES_SHOWN = 2


@dataclass(frozen=True)
class Verdict:
    """The check of a replay, the *answer* in one sentence, and the evidence for it.

    *control* is empty where nothing was replayed; *fails* means that the actual rules
    do not reproduce the ledger, so there is no verdict.
    """

    control: str = ""
    fails: bool = False
    answer: str = ""
    paragraphs: Sequence[str] = ()


def verdict_of(
    results: dict[str, Any],
    names: Mapping[int, str],
    *,
    bounds: Collection[int] = (),
    for_committee: bool,
) -> Verdict:
    """Return the verdict of the results; *names* are the variants' by number."""
    said, fails = _describe_control(results)
    if fails:
        return Verdict(said, fails=True)
    if results.get("version", 1) < RANGES_COVER_SINCE:
        return Verdict(
            said,
            paragraphs=[
                _(
                    "This experiment used an older method whose confidence intervals "
                    "are too narrow. Repeat the experiment to get a result."
                )
            ],
        )
    paragraphs = verdict_paragraphs(
        results, names, bounds=bounds, for_committee=for_committee
    )
    answer, *evidence = [_as_text(one) for one in paragraphs if one] or [""]
    return Verdict(said, answer=answer, paragraphs=evidence)


def verdict_paragraphs(
    results: dict[str, Any],
    names: Mapping[int, str],
    *,
    bounds: Collection[int] = (),
    for_committee: bool = True,
) -> Iterator[list[Sentence]]:
    """Yield the answer, how well each variant predicted, and its effect on ratings.

    A paragraph is empty where there is nothing to say. None of those numbered *bounds*
    is named as the best: no office could use them.
    """
    answer = _answers(results, names, for_committee=for_committee)
    predicted = _describe_search(results, names) or _describe_predictions(
        results, names, bounds
    )
    if not answer:
        answer, predicted = predicted[:1], predicted[1:]
    yield answer
    yield _describe_pair(results, names)
    yield predicted
    yield from _describe_ratings(results, names, for_committee=for_committee)


def _answers(
    results: dict[str, Any], names: Mapping[int, str], *, for_committee: bool
) -> list[Sentence]:
    """Return the effect of each rule change, if there are few."""
    changes = list(_changes(results))
    if len(changes) > MAX_CHANGES_SHOWN:
        return []
    rivals = {one["number"]: _rival(one, names) for one in results["variants"]}
    found = []
    for number, everybody, _active in changes:
        moved = everybody if for_committee else _suppress_small_groups(everybody)
        outlook = outlook_of(rivals[number], results["factor_of_all"])
        found.append(describe_change(names[number], moved, outlook))
    return [one for one in found if one] if None not in found else []


def _suppress_small_groups(moved: RatingShift) -> RatingShift:
    """Return the shift without averages over so few that a member can be identified."""
    return replace(
        moved,
        average_gain=moved.average_gain if moved.gained >= MIN_PEOPLE else None,
        average_loss=moved.average_loss if moved.lost >= MIN_PEOPLE else None,
    )


def _describe_control(results: dict[str, Any]) -> tuple[str, bool]:
    """Return the paragraph on the control run, and whether it fails."""
    found = results.get("our_rules")
    if found is None:
        return "", False
    control = Control(found["control"]["lines"], found["control"]["equal"])
    return _as_text(describe_control(control)), not control.holds


def _as_text(sentences: Iterable[Sentence]) -> str:
    return " ".join(_(one.text).format(**one.values) for one in sentences)


def estimate(record: Sequence[float | None] | None) -> Estimate:
    """Return the estimate that a stored record describes."""
    value, *rest = record or [None]
    return Estimate(float("nan") if value is None else value, *rest)


def _describe_pair(results: dict[str, Any], names: Mapping[int, str]) -> list[Sentence]:
    """Return the paragraph that compares two variants of our rules."""
    rival = _second_variation(results, names)
    if rival is None:
        return []
    off = {one["number"]: _off(one) for one in results["variants"]}
    games, factor = results["games"], results["factor"]
    return describe_predictions(names[2], off[2], [rival], games, factor)


def _second_variation(
    results: dict[str, Any], names: Mapping[int, str]
) -> ComparedVariant | None:
    """Return the second of two variants of our rules, compared with the first."""
    found = results.get("our_rules", {}).get("between")
    if found is None:
        return None
    [own] = [one for one in results["variants"] if one["number"] == 3]
    against, gain = map(estimate, found)
    return ComparedVariant(names[3], against, gain, _off(own))


def describe_pair_of_rules(
    results: dict[str, Any], change: str, names: Mapping[int, str]
) -> list[str]:
    """Return the answer about the two sets of rules compared, and the evidence.

    *change* is the name of the change, *names* are those of the two.
    """
    rival, factor = _second_variation(results, names), results["factor"]
    said = _describe_pair(results, names)
    if rival is None:
        [own] = [one for one in results["variants"] if one["number"] == max(names)]
        rival, factor = _rival(own, names), results["factor_of_all"]
        said = _describe_predictions(results, names, ())
    [(_number, moved, _active)] = _changes({"changes": results["changes"]})
    answer = describe_change(change, moved, outlook_of(rival, factor))
    texts = [[answer] if answer else [], said, describe_ratings(moved, "", None)]
    return [_as_text(one) for one in texts if one]


def _describe_predictions(
    results: dict[str, Any], names: Mapping[int, str], bounds: Collection[int]
) -> list[Sentence]:
    reference = results["reference"]
    others = [one for one in results["variants"] if one["number"] != reference]
    candidates = [one for one in others if one["number"] not in bounds]
    [own] = [one for one in results["variants"] if one["number"] == reference]
    rivals = [_rival(one, names) for one in candidates or others]
    return describe_predictions(
        names[reference], _off(own), rivals, results["games"], results["factor_of_all"]
    )


def _rival(one: dict[str, Any], names: Mapping[int, str]) -> ComparedVariant:
    return ComparedVariant(
        names[one["number"]],
        estimate(one["among_all"]),
        estimate(one["improvement"]),
        _off(one),
    )


def _off(one: dict[str, Any]) -> float:
    return estimate(one["measures"]["root_brier"]).value


def _describe_search(
    results: dict[str, Any], names: Mapping[int, str]
) -> list[Sentence]:
    found = results.get("rolling")
    if found is None:
        return []
    return describe_search(
        names[found["folds"][-1]["chosen"]],
        names[results["reference"]],
        estimate(found["judged"]),
        found["promised"],
        len(found["folds"]),
    )


def _describe_ratings(
    results: dict[str, Any], names: Mapping[int, str], *, for_committee: bool
) -> Iterator[list[Sentence]]:
    """Yield the effect of a change on members; none for more than two changes."""
    changes = list(_changes(results))
    for number, everybody, active in (
        changes if len(changes) <= MAX_CHANGES_SHOWN else ()
    ):
        if for_committee or everybody.players >= MIN_PEOPLE:
            is_told = active and (for_committee or _is_anonymous(everybody, active))
            yield describe_ratings(
                everybody,
                names[number] if len(changes) > 1 else "",
                active if is_told else None,
            )


def _is_anonymous(everybody: RatingShift, active: RatingShift) -> bool:
    """Return whether these and the others are so many that none can be identified."""
    others = everybody.players - active.players
    return active.players >= MIN_PEOPLE and not 0 < others < MIN_PEOPLE


def _changes(
    results: dict[str, Any],
) -> Iterator[tuple[int, RatingShift, RatingShift | None]]:
    """Yield the number of each varied rule, and how ratings moved: all, the active."""
    if "our_rules" in results:
        for one in results["our_rules"]["effects"]:
            if one["everybody"] is not None:
                activity = {name: _moved(effect) for name, *effect in one["activity"]}
                everybody = _moved(one["everybody"])
                yield one["number"], _with_moves(everybody, one), activity.get(ACTIVE)
    elif "changes" in results and results["changes"]["everybody"] is not None:
        *counts, low, quarter, three_quarters, high = results["changes"]["everybody"]
        everybody = _moved([*counts, [low, quarter, three_quarters, high]])
        yield 2, _with_moves(everybody, results["changes"]), None


def _with_moves(moved: RatingShift, record: dict[str, Any]) -> RatingShift:
    """Return *moved* with the averages of a *record*; an older one has none."""
    moves = record.get("moves", {})
    return replace(
        moved, average_gain=moves.get("higher"), average_loss=moves.get("lower")
    )


def _moved(record: Sequence[Any]) -> RatingShift:
    """Return the effect that a stored record describes."""
    _low, _high, players, gained, lost, mean, _median, percentiles = record
    return RatingShift(players, gained, lost, mean, tuple(percentiles))
