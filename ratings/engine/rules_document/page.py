"""The page docs/rules.md: every rule with its first day, its source and our reasons.

`rules.md` here has its sentences; what the calculation also uses is put in.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from ratings.engine.classes import CLASSES
from ratings.engine.results import RatingResult
from ratings.engine.rule_history import DatedValue
from ratings.engine.rules import DEFAULT_EDITION, EDITIONS, PARAMETERS

from .counter_example import counter_example
from .values import describe_value

TEXT = Path(__file__).with_name("rules.md")
# On a line of its own, with the names of parameters.
_VALUES = re.compile(r"\{values: ([\w ]+)\}\n")


def render() -> str:
    """Return the whole of docs/rules.md."""
    draw, win = counter_example(1), counter_example(2)
    text = _VALUES.sub(
        lambda found: _values(found[1].split()), TEXT.read_text(encoding="utf-8")
    )
    return text.format(
        default_edition=DEFAULT_EDITION,
        half_point_table=_half_point_table(draw, win),
        expected_scores=f"{draw[0].expected:.2f} to {win[0].expected:.2f}",
        classes=_classes(),
    )


def _values(names: Iterable[str]) -> str:
    header = ("Rule", "From", "Value", "Source", "Editions")
    return _table(header, [row for name in names for row in _parameter_rows(name)])


def _parameter_rows(name: str) -> list[tuple[str, ...]]:
    parameter = PARAMETERS[name]
    label = f"{parameter.name[:1].upper()}{parameter.name[1:]} (`{name}`)"
    return [
        (
            "" if place else label,
            _day(since.day) if since.day else "always",
            describe_value(since.value),
            since.source,
            _known_to(since),
        )
        for place, since in enumerate(parameter.history)
    ]


def _known_to(since: DatedValue[Any]) -> str:
    known = [edition for edition in EDITIONS if since.applies_in(edition)]
    return "all" if len(known) == len(EDITIONS) else ", ".join(known)


def _half_point_table(draw: Iterable[RatingResult], win: Iterable[RatingResult]) -> str:
    header = ("Player", "Draw: step 4", "Draw: final", "Win: step 4", "Win: final")
    rows = [
        (str(drawn.id), *_shown(drawn), *_shown(won))
        for drawn, won in zip(draw, win, strict=True)
    ]
    return _table(header, rows)


def _shown(rated: RatingResult) -> tuple[str, str]:
    return f"{rated.intermediate:.1f}", f"{rated.post:.1f}"


def _classes() -> str:
    ends = ["+", *(f"–{higher.lowest - 1}" for higher in CLASSES)]
    rows = [
        (rating_class.name, f"{rating_class.lowest}{end}")
        for rating_class, end in zip(CLASSES, ends, strict=False)
    ]
    return _table(("Class", "Official rating"), rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _day(day: date) -> str:
    return f"{day:%B} {day.day}, {day:%Y}"
