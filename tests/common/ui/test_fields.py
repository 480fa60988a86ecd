"""Form fields."""

from datetime import date

import pytest

from ratings_site.common.ui.fields import DayField
from ratings_site.common.ui.formatting import format_day, long_day


@pytest.mark.parametrize("write", [date.isoformat, format_day, long_day])
def test_field_takes_a_day_as_pages_write_it(write):
    for day in (date(2026, 5, 4), date(2026, 9, 28)):
        assert DayField().clean(write(day)) == day
