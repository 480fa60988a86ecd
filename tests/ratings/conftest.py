import pytest


@pytest.fixture
def decimals_for_all(settings):
    """Publish as US Chess does: everybody reads the decimals."""
    settings.BIRTH_DATE_WINDOW = 0
