"""The faults of `make mutants` can be planted: each text occurs once in the product."""

import shlex

import pytest

from tests.tools.mutants import FAULTS, ROOT, Tree


@pytest.fixture(scope="module")
def product():
    return "\0".join(Tree(ROOT).sources().values())


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_each_fault_can_be_planted_and_has_tests(fault, product):
    assert product.count(fault.text) == 1
    tests = shlex.split(fault.tests.partition(" -k ")[0])
    assert [path for path in tests if not (ROOT / path).exists()] == []
