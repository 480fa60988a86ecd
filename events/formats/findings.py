"""Findings of readers and checks about a rating report."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

from events.formats.catalog import FINDING_KINDS
from events.formats.catalog.kinds import Severity as Severity
from events.formats.translatable_text import from_json, to_json, translatable

# A badly damaged report can have a fault in every cell; more findings do not help.
FINDINGS_PER_SECTION_AND_CODE = 100
# If every entry of a file has the same fault, a few findings are enough.
_LIMITS: Mapping[str, int] = {"entry.pairing_number_repeated": 10}

# By file, section and code.
_FindingKey = tuple[str, int | None, str]

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
        """Return the file and the levels within the report as separate texts."""
        parts: list[str] = [self.file] if self.file else []
        if self.section is not None:
            parts.append(translatable("section {number}", number=self.section))
        if self.pairing_number is not None:
            parts.append(
                translatable("pairing number {number}", number=self.pairing_number)
            )
        if self.round_number is not None:
            parts.append(translatable("round {number}", number=self.round_number))
        return parts

    def __str__(self) -> str:
        text = ", ".join(self.parts)
        return text if self.file else text[:1].upper() + text[1:]

    @property
    def sort_key(self) -> tuple[int, int, int, str, str]:
        """Sort the whole report first, then by section, pairing number and round."""
        return (
            -1 if self.section is None else self.section,
            -1 if self.pairing_number is None else self.pairing_number,
            -1 if self.round_number is None else self.round_number,
            self.file,
            self.field,
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault or remark: its severity, place, message and hint.

    >>> finding = make_finding("result.missing", Place("", 2, 14, 3))
    >>> finding.key
    'result.missing|s2|p14|r3|'
    >>> print(finding)  # doctest: +NORMALIZE_WHITESPACE
    Section 2, pairing number 14, round 3: the result is missing.
    Check the wall chart and enter it.
    """

    severity: Severity
    code: str
    place: Place
    message: str
    hint: str = ""

    @property
    def key(self) -> str:
        """Return a stable key, so that an override stays with its finding."""
        place = self.place
        section = "" if place.section is None else f"s{place.section}"
        pairing = "" if place.pairing_number is None else f"p{place.pairing_number}"
        round_ = "" if place.round_number is None else f"r{place.round_number}"
        # Only file-level findings need the file to be distinct.
        file = f"@{place.file}" if place.file and not section else ""
        return f"{self.code}|{section}|{pairing}|{round_}|{place.field}{file}"

    @property
    def shown_key(self) -> str:
        """Return the key with a digest of the message, for a form that answers it."""
        return f"{hashlib.sha256(self.message.encode()).hexdigest()[:16]}:{self.key}"

    @property
    def sort_key(self) -> tuple[int, tuple[int, int, int, str, str], str, str]:
        return (_RANK[self.severity], self.place.sort_key, self.code, self.message)

    def __str__(self) -> str:
        place = str(self._place_not_in_message())
        message = f"{place}: {_uncapitalized(self.message)}" if place else self.message
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
            place=Place(**data["place"]),
            message=from_json(data["message"]),
            hint=from_json(data["hint"]),
        )


def make_finding(
    name: str,
    place: Place,
    /,
    *,
    about: object = "",
    severity: Severity | None = None,
    **values: object,
) -> Finding:
    """Return a finding of the kind that the catalog has under *name*.

    *about* becomes a part of its code if the place alone does not distinguish two
    findings.
    """
    kind = FINDING_KINDS[name]
    code = name.partition("/")[0]
    return Finding(
        severity or kind.severity,
        f"{code}.{about}" if about else code,
        place,
        translatable(kind.text, **values),
        translatable(kind.hint, **values)
        if "{" in kind.hint
        else translatable(kind.hint),
    )


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return *findings* with the most severe first, and by place within a severity."""
    return sorted(findings, key=lambda finding: finding.sort_key)


AddFinding = Callable[..., None]


class Collector:
    """Collects findings, up to a limit for each section and code."""

    def __init__(self, today: date | None = None) -> None:
        self.today = today  # the day of the upload, if it is known
        self._findings: list[Finding] = []
        self._counts: Counter[_FindingKey] = Counter()
        self._first: dict[_FindingKey, Finding] = {}

    def add(self, name: str, place: Place, /, **values: Any) -> None:
        """Make and add a finding, unless its section has too many of its kind."""
        kind = (place.file, place.section, name.partition("/")[0])
        if self._is_within_limit(kind):
            finding = make_finding(name, place, **values)
            self._first.setdefault(kind, finding)
            self._findings.append(finding)

    def at(self, place: Place) -> AddFinding:
        """Return a function that adds a finding about *place*, or a field of it."""

        def add(name: str, field: str = "", /, **values: Any) -> None:
            self.add(name, replace(place, field=field) if field else place, **values)

        return add

    def add_finding(self, finding: Finding) -> None:
        kind = (finding.place.file, finding.place.section, finding.code)
        if self._is_within_limit(kind):
            self._first.setdefault(kind, finding)
            self._findings.append(finding)

    def _is_within_limit(self, kind: _FindingKey) -> bool:
        """Count one more of its kind; return whether it is within the limit."""
        self._counts[kind] += 1
        return self._counts[kind] <= _limit(kind[2])

    def extend(self, findings: Iterable[Finding]) -> None:
        self._findings.extend(findings)

    def in_order(self) -> list[Finding]:
        return in_order([*self._findings, *self._summaries()])

    def _summaries(self) -> Iterable[Finding]:
        for kind, first in self._first.items():
            more = self._counts[kind] - _limit(first.code)
            if more > 0:
                yield replace(
                    first,
                    place=Place(first.place.file, first.place.section, field="more"),
                    message=translatable(
                        "There are {more:,} more issues like this one: {example}",
                        more=more,
                        example=first.message,
                    ),
                    hint=translatable("Fix the ones shown first."),
                )


def _limit(code: str) -> int:
    return _LIMITS.get(code, FINDINGS_PER_SECTION_AND_CODE)


def _uncapitalized(sentence: str) -> str:
    """Lowercase the first letter, but not of field names and IDs."""
    if sentence[1:2].islower() or sentence[1:2] == " ":
        return sentence[0].lower() + sentence[1:]
    return sentence
