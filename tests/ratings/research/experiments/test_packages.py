"""Rating systems of optional packages: their cases pass, or count as skipped."""

import pytest

from ratings.laboratory.vectors import SHIPPED, CaseStatus, check_cases, read_cases
from ratings.research.experiments import optional_packages as laboratory_packages
from ratings.research.experiments.optional_packages import PACKAGE_CASES, PackageMissing

CASES = [
    case
    for case in read_cases(SHIPPED.read_text(encoding="utf-8"))
    if case["system"] in PACKAGE_CASES
]


def test_there_are_three_cases():
    assert len(CASES) == 3
    assert {case["system"] for case in CASES} == set(PACKAGE_CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_cases_pass_where_the_package_is_installed(case):
    [checked] = check_cases([case], PACKAGE_CASES)
    if checked.verdict is CaseStatus.SKIPPED:
        pytest.skip(checked.detail)
    assert checked.verdict is CaseStatus.PASSED, checked.detail


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_cases_without_their_package_are_skipped_and_say_which(case, monkeypatch):
    def missing(name, *args):
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(laboratory_packages, "import_module", missing)
    with pytest.raises(PackageMissing, match=r"needs the package .* “compare”"):
        PACKAGE_CASES[case["system"]](case["inputs"])
    [checked] = check_cases([case], PACKAGE_CASES)
    assert checked.verdict is CaseStatus.SKIPPED
