"""Reasons why a cell, a row or a file is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason for a refusal: a code, and the values of its message."""

    code: str
    values: Mapping[str, str] = field(default_factory=dict)


class InputRefused(ValueError):
    """A cell, row or file is refused; *reason* says why."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.reason = Reason(code, {name: str(text) for name, text in values.items()})
