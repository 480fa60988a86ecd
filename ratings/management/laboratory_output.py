"""Output of the `laboratory` command: lines, a table, or a JSON object."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

from ratings.laboratory.comparison import Comparison
from ratings.laboratory.confidence_intervals import Estimate
from ratings.laboratory.experiment import LABORATORY_VERSION, Outcome, Plan
from ratings.laboratory.history import History
from ratings.laboratory.readers.findings import Effect
from ratings.laboratory.training import FittedAdvantage
from ratings.laboratory.vectors import CaseResult, CaseStatus
from ratings.research.experiments.services.histories import (
    ExperimentGames,
    render_finding,
)

COLUMNS = (
    ("brier", "Brier", 4),
    ("mean_absolute_error", "MAE", 4),
    ("accuracy", "accuracy", 4),
)


def case_line(checked: CaseResult) -> str:
    if checked.verdict is CaseStatus.PASSED:
        return f"{checked.id}: passed"
    if checked.verdict is CaseStatus.SKIPPED:
        return f"{checked.id}: skipped, {checked.detail}"
    return f"{checked.id}: FAILED, {checked.detail}"


def printable(text: str) -> str:
    """Return *text* as one line that any terminal can show."""
    one_line = " ".join(text.split())
    return "".join(char if char.isprintable() else "\ufffd" for char in one_line)


def counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def is_skipped(finding: Mapping[str, Any]) -> bool:
    """Return whether a game or a part of one was skipped."""
    return finding.get("effect") in (Effect.LEFT_OUT, Effect.PARTLY)


def finding_line(finding: Mapping[str, str]) -> str:
    place = f"{finding['place']}: " if finding["place"] else ""
    return f"{place}{finding['sentence']} {finding['hint']}".rstrip()


def table(history: History, compared: Comparison) -> list[str]:
    """Return the lines of a table, the best system first."""
    width = max(len(one.name) for one in compared.systems)
    head = " ".join(f"{title:>9}" for _, title, _ in COLUMNS)
    lines = [
        f"{counted(len(history), 'game')} of {counted(len(history.ids), 'player')}, "
        f"{_days(history)}; {compared.games:,} in {counted(compared.events, 'event')} "
        "are predicted by all and compared.",
        f"{'':{width}} log loss {'95% interval':<15} {head} predicted "
        "better than the first by",
    ]
    for one in compared.systems:
        values = " ".join(
            f"{one.measures[key].value:>9.{places}f}" for key, _, places in COLUMNS
        )
        deviance = one.measures["scaled_deviance"]
        gain = _gain(one.improvement) if one.name != compared.reference else ""
        share = f"{100 * one.coverage.share:6.1f} %"
        lines.append(
            f"{one.name:{width}} {deviance.value:>8.2f} {_range(deviance):<15} "
            f"{values} {share:>9} {gain}"
        )
    lines.append(
        "log loss: 100 = coin flip; lower is better. accuracy: higher is better."
    )
    return [line.rstrip() for line in lines]


def advantage_line(plan: Plan, fitted: FittedAdvantage | None) -> str:
    """Return White's advantage under all systems, and the games behind it."""
    if plan.white_advantage is None:
        return "White's advantage: each system's own rule."
    if fitted is None:
        return "White's advantage: none."
    return (
        f"White's advantage: {fitted.points:.1f} ± {fitted.error:.1f} (standard error) "
        "points for all systems, estimated from "
        f"{counted(fitted.games, 'training game')}."
    )


def _days(history: History) -> str:
    first, last = history.first_day or 1, history.last_day or 1
    return f"{date.fromordinal(first)} to {date.fromordinal(last)}"


def _range(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.low:.2f}–{estimate.high:.2f}"


def _gain(estimate: Estimate | None) -> str:
    if estimate is None or estimate.low is None or estimate.high is None:
        return "-"
    low, high = 100 * estimate.low, 100 * estimate.high
    return f"{100 * estimate.value:+.1f} % ({low:+.1f} to {high:+.1f})"


def record(
    history: History,
    plan: Plan,
    found: ExperimentGames,
    outcomes: Mapping[str, Outcome],
    compared: Comparison,
) -> dict[str, Any]:
    """Return everything as plain values; NaN becomes None."""
    values: dict[str, Any] = _plain(
        {
            "laboratory": LABORATORY_VERSION,
            "history": history.digest(),
            "games": len(history),
            "players": len(history.ids),
            "findings": [render_finding(finding) for finding in found.findings],
            "plan": {**plan.record(), "seeds": len(plan.seeds)},
            "compared_games": compared.games,
            "reference": compared.reference,
            "events": compared.events,
            "factor": compared.factor,
            "factor_of_all": compared.factor_of_all,
            "systems": [
                {
                    "name": one.name,
                    "system": outcomes[one.name].system,
                    "parameters": asdict(outcomes[one.name].parameters),
                    "digest": outcomes[one.name].digest(),
                    **asdict(one),
                }
                for one in compared.systems
            ],
        }
    )
    return values


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
