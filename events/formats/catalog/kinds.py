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


_PART = re.compile(r" (?=/\w+ |> )")


def parse_kinds(text: str) -> dict[str, FindingKind]:
    """Return the kinds that *text* declares, by name.

    A line with the severity and the code, as the page of findings spells them, comes
    before indented lines with the messages of that code: first the one without a
    suffix, then each of the others after its suffix. A hint after ">" is that of all
    messages above it, up to the previous hint.

    >>> kinds = parse_kinds(
    ...     '''
    ... caution or error section.pairing_numbers_gap
    ...     The pairing number {missing}
    ...     is missing.
    ...     /several The pairing numbers {missing} are missing.
    ...     > Enter them.
    ... '''
    ... )
    >>> kinds["section.pairing_numbers_gap"].text
    'The pairing number {missing} is missing.'
    >>> [kind.hint for kind in kinds.values()], list(kinds)[1]
    (['Enter them.', 'Enter them.'], 'section.pairing_numbers_gap/several')
    """
    kinds = {}
    for block in re.split(r"\n(?=\S)", text.strip()):
        head, _, body = block.partition("\n")
        severity, *options, code = head.split()
        highest = Severity(options[1]) if options[:1] == ["or"] else None
        office = options == ["(office)"]
        for suffix, message, hint in _messages(body):
            kinds[code + suffix] = FindingKind(
                Severity(severity), message, hint, highest, office
            )
    return kinds


def _messages(body: str) -> list[tuple[str, str, str]]:
    """Return the suffix of each message, its text and its hint."""
    messages = []
    hint = ""
    for part in reversed(_PART.split(" ".join(body.split()))):
        mark, _, rest = part.partition(" ")
        if mark == ">":
            hint = rest
        else:
            is_suffix = mark.startswith("/")
            messages.append((mark, rest, hint) if is_suffix else ("", part, hint))
    return messages[::-1]


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
