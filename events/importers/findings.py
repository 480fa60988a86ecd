"""Findings: what a reader or a check has to say about a rating report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from events.importers.codes import CODES, Severity
from events.importers.sentences import from_json, say, to_json

__all__ = [
    "CODES",
    "FINDINGS_PER_SECTION_AND_CODE",
    "Collector",
    "Finding",
    "Place",
    "Severity",
    "found",
    "in_order",
]

# A wrecked report can hold a fault in every cell. Nobody reads the thousandth one.
FINDINGS_PER_SECTION_AND_CODE = 100
# Where one fault of the file repeats itself in every entry, a few show it.
_FEWER: Mapping[str, int] = {"entry.pairing_number_repeated": 10}

_RANK = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the report a finding belongs.

    >>> print(Place(section=2, pairing_number=14, round_number=3))
    Section 2, pairing number 14, round 3
    """

    file: str = ""
    section: int | None = None
    pairing_number: int | None = None
    round_number: int | None = None
    field: str = ""

    @property
    def parts(self) -> list[str]:
        """The file, and what within the report, each by itself."""
        parts: list[str] = [self.file] if self.file else []
        if self.section is not None:
            parts.append(say("section {number}", number=self.section))
        if self.pairing_number is not None:
            parts.append(say("pairing number {number}", number=self.pairing_number))
        if self.round_number is not None:
            parts.append(say("round {number}", number=self.round_number))
        return parts

    def __str__(self) -> str:
        text = ", ".join(self.parts)
        return text if self.file else text[:1].upper() + text[1:]

    @property
    def sort_key(self) -> tuple[int, int, int, str, str]:
        """The whole report first, then by section, pairing number and round."""
        return (
            -1 if self.section is None else self.section,
            -1 if self.pairing_number is None else self.pairing_number,
            -1 if self.round_number is None else self.round_number,
            self.file,
            self.field,
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "section": self.section,
            "pairing_number": self.pairing_number,
            "round_number": self.round_number,
            "field": self.field,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Place:
        return cls(**data)


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault or remark: how serious, where, a sentence, and what to do.

    >>> finding = found(
    ...     "result.not_mirrored",
    ...     Place(section=2, pairing_number=14, round_number=3),
    ...     "Won against 9, but 9 reports a draw.",
    ...     "Check the wall chart.",
    ... )
    >>> finding.key
    'result.not_mirrored|s2|p14|r3|'
    >>> print(finding)  # doctest: +NORMALIZE_WHITESPACE
    Section 2, pairing number 14, round 3: won against 9, but 9 reports a draw.
    Check the wall chart.
    """

    severity: Severity
    code: str
    place: Place
    message: str
    hint: str = ""

    @property
    def key(self) -> str:
        """A stable name, so that an override stays with its finding."""
        place = self.place
        section = "" if place.section is None else f"s{place.section}"
        pairing = "" if place.pairing_number is None else f"p{place.pairing_number}"
        round_ = "" if place.round_number is None else f"r{place.round_number}"
        # Only file-level findings need the file to tell them apart.
        file = f"@{place.file}" if place.file and not section else ""
        return f"{self.code}|{section}|{pairing}|{round_}|{place.field}{file}"

    @property
    def sort_key(self) -> tuple[int, tuple[int, int, int, str, str], str, str]:
        return (_RANK[self.severity], self.place.sort_key, self.code, self.message)

    def __str__(self) -> str:
        place = str(self._place_not_in_message())
        message = f"{place}: {_uncapitalised(self.message)}" if place else self.message
        return f"{message} {self.hint}".rstrip()

    def _place_not_in_message(self) -> Place:
        if self.place.file and self.place.file in self.message:
            return replace(self.place, file="")
        return self.place

    def to_json(self) -> dict[str, Any]:
        return {
            "severity": self.severity.value,
            "code": self.code,
            "place": self.place.to_json(),
            "message": to_json(self.message),
            "hint": to_json(self.hint),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Finding:
        return cls(
            severity=Severity(data["severity"]),
            code=data["code"],
            place=Place.from_json(data["place"]),
            message=from_json(data["message"]),
            hint=from_json(data["hint"]),
        )


def found(code: str, place: Place, message: str, hint: str = "") -> Finding:
    """Return a finding with the severity that ``CODES`` gives its code."""
    return Finding(CODES[code][0], code, place, message, hint)


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return *findings* with the gravest first, and by place within a severity."""
    return sorted(findings, key=lambda finding: finding.sort_key)


class Collector:
    """Gathers findings, and stops repeating itself in a wrecked section."""

    def __init__(self) -> None:
        self._findings: list[Finding] = []
        self._counts: Counter[tuple[str, int | None, str]] = Counter()

    def add(self, code: str, place: Place, message: str, hint: str = "") -> None:
        kind = (place.file, place.section, code)
        self._counts[kind] += 1
        if self._counts[kind] <= _most(code):
            self._findings.append(found(code, place, message, hint))

    def extend(self, findings: Iterable[Finding]) -> None:
        self._findings.extend(findings)

    def in_order(self) -> list[Finding]:
        return in_order([*self._findings, *self._summaries()])

    def _summaries(self) -> Iterable[Finding]:
        for (file, section, code), count in self._counts.items():
            more = count - _most(code)
            if more > 0:
                yield Finding(
                    CODES[code][0],
                    code,
                    Place(file=file, section=section, field="more"),
                    say(
                        "There are {more:,} more findings of this kind: {part}.",
                        more=more,
                        part=CODES[code][1],
                    ),
                    say("Correct the ones shown first."),
                )


def _most(code: str) -> int:
    return _FEWER.get(code, FINDINGS_PER_SECTION_AND_CODE)


def _uncapitalised(sentence: str) -> str:
    """Lower the first letter, but leave field names and IDs as they are."""
    if sentence[1:2].islower() or sentence[1:2] == " ":
        return sentence[0].lower() + sentence[1:]
    return sentence
