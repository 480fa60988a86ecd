import pytest

from tests.ratings.api.world import world_in_transaction


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    yield from world_in_transaction(django_db_blocker)
