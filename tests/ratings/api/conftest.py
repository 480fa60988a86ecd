import pytest

from tests.ratings.api.world import made_once


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    yield from made_once(django_db_blocker)
