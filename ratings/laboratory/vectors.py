"""Check published cases: each one passes, fails or is skipped, with the reason.

A file of cases is a JSON list of objects with `id`, `system` (the kind of case),
`inputs`, `expected` and `tolerance`, the greatest difference that any number may have;
`source` is handed on with the inputs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple

from .cases import Case

SHIPPED: Final = Path(__file__).with_name("rating-systems-vectors.json")
"""132 cases for other systems than ours and for measures; each names its source."""

_KEYS: Final = ("id", "system", "inputs", "expected", "tolerance")
_MAX_DIFFERENCES: Final = 3
_MAX_CHARACTERS: Final = 60


class InvalidCasesFile(ValueError):
    """Raised if a file is not a list of cases; the message says where and why."""


class CaseStatus(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class CaseResult(NamedTuple):
    """The result of one case: *detail* says what differs, or why it was skipped."""

    id: str
    verdict: CaseStatus
    detail: str = ""


def read_cases(text: str) -> list[Any]:
    """Return the cases of a file. Raises InvalidCasesFile.

    >>> read_cases("[1, 2")
    Traceback (most recent call last):
        ...
    ratings.laboratory.vectors.InvalidCasesFile: Line 1: not JSON \
(Expecting ',' delimiter).
    """
    try:
        cases = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidCasesFile(
            f"Line {error.lineno}: not JSON ({error.msg})."
        ) from error
    except (ValueError, RecursionError) as error:
        raise InvalidCasesFile(f"Not JSON that can be read ({error}).") from error
    if not isinstance(cases, list):
        raise InvalidCasesFile(
            "The file holds no list of cases: it has to begin with [."
        )
    return cases


def check_cases(
    cases: Iterable[Any], kinds: Mapping[str, Case]
) -> Iterator[CaseResult]:
    """Run each case through the function for its kind and compare.

    A function that raises ImportError needs a package that is not here: its cases are
    skipped. Whatever else goes wrong fails that case and no other.
    """
    for number, case in enumerate(cases, start=1):
        yield _check(number, case, kinds)


def _check(number: int, case: Any, kinds: Mapping[str, Case]) -> CaseResult:
    name = _name(number, case)
    fault = _fault(case, kinds)
    if fault:
        return CaseResult(name, CaseStatus.FAILED, fault)
    try:
        # A source names the edition of rules where the inputs do not.
        inputs = {"source": str(case.get("source", "")), **case["inputs"]}
        got = kinds[case["system"]](inputs)
        found = list(_differences(case["expected"], got, case["tolerance"]))
    except ImportError as error:
        return CaseResult(name, CaseStatus.SKIPPED, _needs(error))
    except Exception as error:  # a case may hold anything at all
        reason = f"cannot be computed: {type(error).__name__}: {error}"
        return CaseResult(name, CaseStatus.FAILED, reason)
    if found:
        return CaseResult(name, CaseStatus.FAILED, _join_differences(found))
    return CaseResult(name, CaseStatus.PASSED)


def _name(number: int, case: Any) -> str:
    if isinstance(case, dict) and isinstance(case.get("id"), str) and case["id"]:
        return str(case["id"])
    return f"case {number}"


def _fault(case: Any, kinds: Mapping[str, Case]) -> str:
    """Return why a case cannot be run, as a sentence; empty if it can."""
    if not isinstance(case, dict):
        return "is no object with id, system, inputs, expected and tolerance."
    missing = [key for key in _KEYS if key not in case]
    if missing:
        return f"has no {', '.join(missing)}."
    for key in ("inputs", "expected"):
        if not isinstance(case[key], dict):
            return f"{key} has to be an object."
    if not case["expected"]:
        return "expects nothing."
    if not _is_number(case["tolerance"]) or not case["tolerance"] >= 0:
        return "tolerance has to be a number from 0."
    if not isinstance(case["system"], str) or case["system"] not in kinds:
        return f"no such kind of case is known: {_truncated(case['system'])}."
    return ""


def _needs(error: ImportError) -> str:
    if error.name:
        return f"needs the package {error.name.partition('.')[0]}, not installed here"
    return str(error) or "needs a package that is not installed here"


def _differences(
    expected: Any, got: Any, tolerance: float, place: str = ""
) -> Iterator[str]:
    """Yield each value that is not as expected; extra values are allowed."""
    if isinstance(expected, Mapping) and isinstance(got, Mapping):
        for key, value in expected.items():
            where = f"{place}.{key}" if place else str(key)
            if key in got:
                yield from _differences(value, got[key], tolerance, where)
            else:
                yield f"{where}: expected {_truncated(value)}, got nothing"
    elif isinstance(expected, list) and _is_list(got):
        if len(expected) != len(got):
            yield f"{place}: expected {len(expected)} values, got {len(got)}"
            return
        for number, pair in enumerate(zip(expected, got, strict=True)):
            yield from _differences(*pair, tolerance, f"{place}[{number}]")
    elif not _is_same(expected, got, tolerance):
        yield f"{place}: expected {_truncated(expected)}, got {_truncated(got)}"


def _is_same(expected: Any, got: Any, tolerance: float) -> bool:
    if _is_number(expected) and _is_number(got):
        return bool(abs(expected - got) <= tolerance)
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    return isinstance(got, type(expected)) and bool(got == expected)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _join_differences(found: Sequence[str]) -> str:
    shown = "; ".join(found[:_MAX_DIFFERENCES])
    more = len(found) - _MAX_DIFFERENCES
    return f"{shown}; and {more} more" if more > 0 else shown


def _truncated(value: Any) -> str:
    text = repr(value)
    if len(text) > _MAX_CHARACTERS:
        return text[:_MAX_CHARACTERS] + "…"
    return text
