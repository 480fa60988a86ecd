"""Reasons why a cell, a row or a file is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

STATUS_UNKNOWN = "status_unknown"
_LONGEST_WORD = 40


def status_word(text: str) -> str:
    """Return a status as its meaning is stored: in capitals, and not too long."""
    return text.upper()[:_LONGEST_WORD].strip()


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason for a refusal: a code, and the values of its message."""

    code: str
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The code, and the column or the word that the fault is about.

        >>> Reason("no_day", {"column": "starts", "cell": "x"}).kind
        'no_day:starts'
        """
        about = self.values.get("column", "")
        if self.code == STATUS_UNKNOWN:
            about = status_word(self.values["cell"])
        return f"{self.code}:{about}" if about else self.code


class InputRefused(ValueError):
    """A cell, row or file is refused; *reason* says why."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.reason = Reason(code, {name: str(text) for name, text in values.items()})


class RowRefused(InputRefused):
    """A row is refused for several reasons; *reason* is the first of them."""

    def __init__(self, reasons: Sequence[Reason]) -> None:
        super().__init__(reasons[0].code, **reasons[0].values)
        self.reasons = tuple(reasons)
