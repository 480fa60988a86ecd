"""Fixtures of all tests of the export."""

import pytest

from ratings_site.common.models import Office


@pytest.fixture(autouse=True)
def _forget_the_office():
    """An import leaves its office in this process, which other tests don't have."""
    yield
    Office.current, Office._refreshed_for = None, ""
