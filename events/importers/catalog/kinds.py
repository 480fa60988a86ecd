"""What a finding can be: how serious, and in which words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial


class Severity(StrEnum):
    """How serious a finding is, gravest first."""

    ERROR = "error"  # the report cannot be submitted
    CONFIRM = "confirm"  # to be fixed, or overridden with a reason
    CAUTION = "caution"  # probably wrong, does not hold the report up
    NOTE = "note"  # for information


@dataclass(frozen=True, slots=True)
class FindingKind:
    """A kind of finding: its sentence and hint, with named places for values."""

    severity: Severity
    text: str
    hint: str = ""
    up_to: Severity | None = None  # where it depends on more than its kind
    office: bool = False  # an error that the office, not the TD, may let pass


error = partial(FindingKind, Severity.ERROR)
confirm = partial(FindingKind, Severity.CONFIRM)
caution = partial(FindingKind, Severity.CAUTION)
note = partial(FindingKind, Severity.NOTE)


def variant(name: str, which: str) -> str:
    """Return the name of one of the sentences that stand under *name*.

    >>> variant("result.not_mirrored", "win")
    'result.not_mirrored/win'
    >>> variant("result.not_mirrored/against", "win")
    'result.not_mirrored/against_win'
    """
    if not which:
        return name
    return f"{name}_{which}" if "/" in name else f"{name}/{which}"
