"""Kinds of findings: their severity and messages."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial


class Severity(StrEnum):
    """How serious a finding is, most severe first."""

    ERROR = "error"  # the report cannot be submitted
    CONFIRM = "confirm"  # to be fixed, or overridden with a reason
    CAUTION = "caution"  # probably wrong, does not block the report
    NOTE = "note"  # for information


@dataclass(frozen=True, slots=True)
class FindingKind:
    """A kind of finding: its message and hint, with named placeholders."""

    severity: Severity
    text: str
    hint: str = ""
    max_severity: Severity | None = None  # where it depends on more than its kind
    is_office_overridable: bool = (
        False  # an error that the office, not the TD, may let pass
    )


error = partial(FindingKind, Severity.ERROR)
confirm = partial(FindingKind, Severity.CONFIRM)
caution = partial(FindingKind, Severity.CAUTION)
note = partial(FindingKind, Severity.NOTE)


def variant(name: str, which: str) -> str:
    """Return the key of one of the messages under *name*.

    >>> variant("result.not_mirrored", "win")
    'result.not_mirrored/win'
    >>> variant("result.not_mirrored/against", "win")
    'result.not_mirrored/against_win'
    """
    if not which:
        return name
    return f"{name}_{which}" if "/" in name else f"{name}/{which}"
