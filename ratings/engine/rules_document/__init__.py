"""The tables of docs/rules.md and docs/laboratory.md, written from the constants.

The sentences of these pages are edited in the pages themselves.
"""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from ratings.engine.rule_history import DatedValue
from ratings.engine.rules import EDITIONS, PARAMETERS
from ratings.engine.variation.variations import catalog_table

from .values import describe_value

_TABLE = re.compile(
    r"(?<=\| Rule \| From \| Value \| Source \| Editions \|\n"
    r"\| --- \| --- \| --- \| --- \| --- \|\n)(?:\|.*\n)+"
)
_VARIABLES = re.compile(
    r"(?<=\| Name \| What it is \| Bounds \|\n\|---\|---\|---\|\n)(?:\|.*\n)+"
)
_NAME = re.compile(r"\(`(\w+)`\) \|")


def render(document: str) -> str:
    """Return the page with its tables of values, or of variables, written again.

    A table of values keeps the rules whose names it holds, in code font, and their
    order.
    """
    values = _TABLE.sub(
        lambda table: "".join(
            row for name in _NAME.findall(table[0]) for row in _rows(name)
        ),
        document,
    )
    variables = "".join(f"{line}\n" for line in catalog_table())
    return _VARIABLES.sub(lambda _table: variables, values)


def _rows(name: str) -> Iterator[str]:
    parameter = PARAMETERS[name]
    rule = f"{parameter.name[:1].upper()}{parameter.name[1:]} (`{name}`)"
    for since in parameter.history:
        cells = (
            rule,
            _day(since.day) if since.day else "always",
            describe_value(since.value),
            since.source,
            _known_to(since),
        )
        yield f"| {' | '.join(cells)} |\n"
        rule = ""


def _known_to(since: DatedValue[Any]) -> str:
    known = [edition for edition in EDITIONS if since.applies_in(edition)]
    return "all" if len(known) == len(EDITIONS) else ", ".join(known)


def _day(day: date) -> str:
    return f"{day:%B} {day.day}, {day:%Y}"
