import pytest

from ratings_site.common.models import Office


@pytest.fixture
def office(db):
    """An office, which each process remembers until it reads it again."""
    office = Office.objects.create(pk=Office.SINGLETON_ID, name="A federation")
    Office.refresh()
    yield office
    Office.current = None
