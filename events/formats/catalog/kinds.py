"""Kinds of findings: their severity and messages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


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
    # An error that the office, not the TD, may let pass.
    is_office_overridable: bool = False


def parse_kinds(text: str) -> dict[str, FindingKind]:
    """Return the kinds that *text* declares, by name.

    A kind is a line with its severity and name, as the page of findings spells them,
    then its message, and its hint after ">", both on indented lines.

    >>> kinds = parse_kinds(
    ...     '''
    ... caution or error section.pairing_numbers_gap
    ...     The pairing number {missing}
    ...     is missing.
    ...     > Enter it.
    ... '''
    ... )
    >>> kinds["section.pairing_numbers_gap"].text
    'The pairing number {missing} is missing.'
    """
    kinds = {}
    for block in re.split(r"\n(?=\S)", text.strip()):
        head, _, body = block.partition("\n")
        severity, *options, name = head.split()
        message, _, hint = " ".join(body.split()).partition(" > ")
        highest = Severity(options[1]) if options[:1] == ["or"] else None
        office = options == ["(office)"]
        kinds[name] = FindingKind(Severity(severity), message, hint, highest, office)
    return kinds


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
