"""Findings: messages of a reader of games, each with its line.

A file can hold the same fault in a million lines. Findings of one kind are all counted,
but only the first ones are stored; a last one says how many more there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partialmethod
from typing import Any, Final

from ratings.laboratory.words import _

MAX_PER_KIND: Final = 20
MAX_SHOWN_LENGTH: Final = 40


class Effect(StrEnum):
    """The effect on the game: left out, taken without a part, or only a remark."""

    LEFT_OUT = "left_out"
    PARTLY = "partly"
    REMARK = "remark"


EFFECTS: Final = {
    Effect.LEFT_OUT: _("The game was left out."),
    Effect.PARTLY: _("The game was used without it."),
    Effect.REMARK: "",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence about one *line*, 0 for the whole file, and what to do about it.

    *kind* is its category. *pattern* and *hint* are marked for translation; *values* go
    into the pattern.

    >>> found = Finding(
    ...     "result", Effect.LEFT_OUT, 7,
    ...     "“{shown}” is not a result.", {"shown": "3-0"},
    ...     "Write 1-0, 0-1 or 1/2-1/2.",
    ... )
    >>> print(found)
    Line 7: “3-0” is not a result. The game was left out. Write 1-0, 0-1 or 1/2-1/2.
    """

    kind: str
    effect: Effect
    line: int
    pattern: str
    values: dict[str, Any] = field(default_factory=dict)
    hint: str = ""

    def place(self) -> str:
        """Return where it is, empty for the whole file."""
        if not self.line:
            return ""
        return _("Line {number:,}").format(number=self.line)

    def message(self) -> str:
        """Return the problem, and its effect on the game."""
        effect = EFFECTS[self.effect]
        sentence = self.pattern.format(**self.values)
        return f"{sentence} {effect}" if effect else sentence

    def __str__(self) -> str:
        place = f"{self.place()}: " if self.line else ""
        return f"{place}{self.message()} {self.hint}".rstrip()


class Findings:
    """Collects findings, and limits repetitions in a damaged file."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._kept: list[Finding] = []

    def add(
        self,
        kind: str,
        line: int,
        pattern: str,
        hint: str = "",
        *,
        effect: Effect,
        **values: object,
    ) -> None:
        """Count a finding, and store it if there are few of its *kind*."""
        self.counts[kind] += 1
        if self.counts[kind] <= MAX_PER_KIND:
            self._kept.append(
                Finding(kind, effect, line, pattern, _shown(values), hint)
            )

    skip = partialmethod(add, effect=Effect.LEFT_OUT)
    drop = partialmethod(add, effect=Effect.PARTLY)
    remark = partialmethod(add, effect=Effect.REMARK)

    def __iter__(self) -> Iterator[Finding]:
        """Yield the stored findings in order, then counts of the others."""
        yield from self._kept
        for kind, count in self.counts.items():
            if count > MAX_PER_KIND:
                yield self._rest(kind, count)

    def __len__(self) -> int:
        return self.counts.total()

    def _rest(self, kind: str, count: int) -> Finding:
        last = next(one for one in reversed(self._kept) if one.kind == kind)
        return Finding(
            kind,
            Effect.REMARK,
            0,
            _("More issues like the one in line {line:,}: {more:,}."),
            {"more": count - MAX_PER_KIND, "line": last.line},
            _("Fix the ones shown first."),
        )


def _shown(values: dict[str, object]) -> dict[str, Any]:
    return {
        name: value if isinstance(value, int | float) else shown(str(value))
        for name, value in values.items()
    }


def shown(text: str) -> str:
    """Return a text from a file short and without control characters, to be shown.

    >>> shown("1-0\\x00")
    '1-0\ufffd'
    """
    short = (
        text if len(text) <= MAX_SHOWN_LENGTH else text[: MAX_SHOWN_LENGTH - 1] + "…"
    )
    return "".join(char if char.isprintable() else "\ufffd" for char in short)
