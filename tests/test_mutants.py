"""The faults of `make mutants` can be planted: each text stands once in the product."""

import shlex

import pytest

from tests.mutants import FAULTS, ROOT, Tree


@pytest.fixture(scope="module")
def product():
    return "\0".join(Tree(ROOT).texts().values())


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault_can_be_planted_and_somebody_looks_for_it(fault, product):
    assert product.count(fault.text) == 1
    tests = shlex.split(fault.tests.partition(" -k ")[0])
    assert [path for path in tests if not (ROOT / path).exists()] == []
