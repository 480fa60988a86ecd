import pytest

from tests.factories import make_player, make_staff, make_td


@pytest.fixture
def staff():
    return make_staff()


@pytest.fixture
def td():
    return make_td()


@pytest.fixture
def members():
    return [
        make_player(f"1800010{number}", f"Given{number}", f"Family{number}")
        for number in range(4)
    ]
