"""Columns of a table for the rules of FIDE Online Arena, on top of a game's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from ratings.laboratory.protocol import OnlineFacts
from ratings.laboratory.words import _

from .findings import Findings
from .value_parsers import rating_of

_CONTROL: Final = re.compile(
    r"([0-9]{1,3}) ?m?(?: ?\+ ?([0-9]{1,2}) ?s?)?", re.ASCII | re.IGNORECASE
)
_CHANGE: Final = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]{1,2})?", re.ASCII)
_SECONDS: Final = re.compile(r"[0-9]{1,5}", re.ASCII)


def control_of(text: str) -> tuple[int, int] | None:
    """Return minutes and seconds a move of a time control; None if it is none.

    >>> [control_of(text) for text in ("15m", "5m + 3s", "10+10", "fast")]
    [(15, 0), (5, 3), (10, 10), None]
    """
    match = _CONTROL.fullmatch(text)
    return (int(match[1]), int(match[2] or 0)) if match else None


def _change(text: str) -> float | None:
    plain = text.replace("−", "-").replace(",", ".")
    return float(plain) if _CHANGE.fullmatch(plain) else None


def _seconds(text: str) -> int | None:
    return int(text) if _SECONDS.fullmatch(text) else None


_LISTS: Final = ("fide_standard", "fide_rapid", "fide_blitz")
_READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "online_control": control_of,
    **{
        f"{side}_{name}": read
        for side in ("white", "black")
        for name, read in (
            *((name, lambda text: rating_of(text).value) for name in _LISTS),
            ("list_change", _change),
            ("disconnected", _seconds),
        )
    },
}
COLUMNS: Final = tuple(_READERS)


def read_facts(
    cells: Mapping[str, str], line: int, findings: Findings
) -> OnlineFacts | None:
    """Return the facts in a line's *cells*, by column; None if all are empty.

    A value that makes no sense is left out, with a finding.
    """
    found = {name: _READERS[name](text) for name, text in cells.items() if text}
    for name, value in found.items():
        if value is None:
            findings.drop(
                "online",
                line,
                _("“{shown}” is not valid in the column {column}."),
                _(
                    "Enter a control such as 10+10, ratings, a change such as -3.4, or "
                    "the seconds of a disconnection."
                ),
                shown=cells[name],
                column=name,
            )
    white, black = (
        tuple(found.get(f"{side}_{name}") for name in _LISTS)
        for side in ("white", "black")
    )
    numbers = (
        found.get(f"{side}_{name}") or 0
        for name in ("list_change", "disconnected")
        for side in ("white", "black")
    )
    facts = OnlineFacts._make((found.get("online_control"), white, black, *numbers))
    return facts if found else None
