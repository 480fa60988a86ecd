import json

import pytest

from ratings.laboratory.registry import CASES
from ratings.laboratory.vectors import (
    SHIPPED,
    CaseResult,
    CaseStatus,
    InvalidCasesFile,
    check_cases,
    read_cases,
)


def case(expected, *, tolerance=0.01, system="known", **others):
    return {
        "id": "one",
        "system": system,
        "inputs": {},
        "expected": expected,
        "tolerance": tolerance,
        **others,
    }


def check(got, expected, tolerance=0.01):
    [checked] = check_cases(
        [case(expected, tolerance=tolerance)], {"known": lambda inputs: got}
    )
    return checked


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        ({"new": 1600.009}, {"new": 1600}),
        ({"new": 1599.991}, {"new": 1600}),
        ({"new": 1, "more": 2}, {"new": 1}),
        ({"all": (1.0, [2.001, 3])}, {"all": [1, [2, 3]]}),
        ({"by": {"a": 1.0, "b": 2}}, {"by": {"a": 1}}),
        ({"class": "A", "none": None}, {"class": "A", "none": None}),
        ({"yes": True}, {"yes": True}),
    ],
)
def test_what_is_near_enough_passes(got, expected):
    assert check(got, expected) == CaseResult("one", CaseStatus.PASSED)


@pytest.mark.parametrize(
    ("got", "expected", "detail"),
    [
        ({"new": 1600.02}, {"new": 1600}, "new: expected 1600, got 1600.02"),
        ({"new": float("nan")}, {"new": 1}, "new: expected 1, got nan"),
        ({}, {"new": 1}, "new: expected 1, got nothing"),
        ({"new": None}, {"new": 1}, "new: expected 1, got None"),
        ({"new": 0.0}, {"new": None}, "new: expected None, got 0.0"),
        ({"new": True}, {"new": 1}, "new: expected 1, got True"),
        ({"new": 1}, {"new": True}, "new: expected True, got 1"),
        ({"class": "B"}, {"class": "A"}, "class: expected 'A', got 'B'"),
        ({"all": [1]}, {"all": [1, 2]}, "all: expected 2 values, got 1"),
        ({"all": [1, [9]]}, {"all": [1, [2]]}, "all[1][0]: expected 2, got 9"),
        ({"by": {"a": 3}}, {"by": {"a": 1}}, "by.a: expected 1, got 3"),
        ({"all": 1}, {"all": [1]}, "all: expected [1], got 1"),
        (
            {"all": [9] * 5},
            {"all": [1] * 5},
            "all[0]: expected 1, got 9; all[1]: expected 1, got 9; "
            "all[2]: expected 1, got 9; and 2 more",
        ),
    ],
)
def test_what_differs_fails_and_says_where(got, expected, detail):
    assert check(got, expected) == CaseResult("one", CaseStatus.FAILED, detail)


def test_no_tolerance_wants_the_number_itself():
    assert check({"dp": 800}, {"dp": 800.0}, tolerance=0).verdict is CaseStatus.PASSED
    assert check({"dp": 800.001}, {"dp": 800}, tolerance=0).verdict is CaseStatus.FAILED


@pytest.mark.parametrize(
    ("bad", "detail"),
    [
        (
            [1],
            "is no object with id, system, inputs, expected and tolerance.",
        ),
        ({"id": "one"}, "has no system, inputs, expected, tolerance."),
        (case({"a": 1}, inputs=[1]), "inputs has to be an object."),
        (case([1]), "expected has to be an object."),
        (case({}), "expects nothing."),
        (case({"a": 1}, tolerance="0"), "tolerance has to be a number from 0."),
        (case({"a": 1}, tolerance=-1), "tolerance has to be a number from 0."),
        (case({"a": 1}, tolerance=True), "tolerance has to be a number from 0."),
        (case({"a": 1}, system="tarot"), "no such kind of case is known: 'tarot'."),
        (case({"a": 1}, system=["known"]), "no such kind of case is known: ['known']."),
    ],
)
def test_a_case_that_cannot_be_run_fails_with_a_sentence(bad, detail):
    good = case({"a": 1})
    checked = list(check_cases([bad, good], {"known": lambda inputs: {"a": 1}}))
    assert [one.verdict for one in checked] == [CaseStatus.FAILED, CaseStatus.PASSED]
    assert checked[0].detail == detail


def test_a_case_without_a_name_is_called_by_its_place():
    nameless = {**case({"a": 1}), "id": 7}
    [checked] = check_cases([nameless], {"known": lambda inputs: {"a": 1}})
    assert checked.id == "case 1"


def test_inputs_that_nothing_can_be_made_of_fail_that_case_alone():
    kinds = {"known": lambda inputs: {"a": 1 / inputs["n"]}}
    cases = [case({"a": 1}, inputs=inputs) for inputs in ({"n": 0}, {}, {"n": 1})]
    checked = list(check_cases(cases, kinds))
    assert [one.verdict for one in checked] == ["failed", "failed", "passed"]
    assert checked[0].detail == (
        "cannot be computed: ZeroDivisionError: division by zero"
    )


def test_the_source_is_handed_on_for_those_who_need_an_edition():
    seen = []

    def remember(inputs):
        seen.append(inputs)
        return {"a": 1}

    cases = [
        case({"a": 1}, source="text 2020"),
        case({"a": 1}, inputs={"source": "own", "n": 1}),
        case({"a": 1}),
    ]
    assert all(
        one.verdict == "passed" for one in check_cases(cases, {"known": remember})
    )
    assert seen == [{"source": "text 2020"}, {"source": "own", "n": 1}, {"source": ""}]


def test_a_package_that_is_missing_skips_its_cases():
    def needs_whr(inputs):
        raise ModuleNotFoundError("No module named 'whr.base'", name="whr.base")

    [checked] = check_cases([case({"a": 1})], {"known": needs_whr})
    assert checked == CaseResult(
        "one", CaseStatus.SKIPPED, "needs the package whr, not installed here"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Line 1: not JSON"),
        ("[\n{]", "Line 2: not JSON"),
        ("{}", "no list of cases"),
        ("[" * 100_000, "Not JSON that can be read"),
        ("[" + "9" * 5000 + "]", "Not JSON that can be read"),
    ],
)
def test_a_bad_file_is_refused_with_a_sentence(text, sentence):
    with pytest.raises(InvalidCasesFile, match=sentence):
        read_cases(text)


def test_the_shipped_file_holds_132_sound_cases():
    cases = read_cases(SHIPPED.read_text())
    assert len(cases) == len({one["id"] for one in cases}) == 132
    assert all(one["source"] and one["expected"] for one in cases)
    # A case that fails before it is run would show here as a fault of the file.
    kinds = {one["system"]: lambda inputs: {} for one in cases}
    details = {one.detail.split(": ")[-1] for one in check_cases(cases, kinds)}
    assert all(detail.startswith("expected ") for detail in details)


PACKAGES = ("trueskill", "whr")


@pytest.mark.parametrize(
    "one",
    [
        one
        for one in json.loads(SHIPPED.read_text())
        if not one["system"].startswith(PACKAGES)
    ],
    ids=lambda one: one["id"],
)
def test_published_case(one):
    [checked] = check_cases([one], CASES)
    assert checked == CaseResult(one["id"], CaseStatus.PASSED)
