import pytest

from events.models import Section
from ratings.models import Calculation, RatingChange
from tests.factories import rated_section

pytestmark = pytest.mark.django_db


def test_accepted_section_is_rated():
    section = rated_section()
    assert section.status == Section.Status.RATED
    assert Calculation.objects.filter(section=section, is_current=True).count() == 1
    assert RatingChange.objects.filter(calculation__section=section).count() == 6
