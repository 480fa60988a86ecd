from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.engine.conversions import Conversion, LinearConversion
from ratings.engine.rules import rules_in_force

IN_2022 = rules_in_force(date(2022, 7, 1))
IN_2025 = rules_in_force(date(2025, 7, 1))


@pytest.mark.parametrize(
    ("conversion", "rating", "us_rating"),
    [
        (IN_2022.fide_conversion, 1420, 1514.8),
        (IN_2022.fide_conversion, 2000, 2060),
        (IN_2022.fide_conversion, 2100, 2162),
        (IN_2025.fide_conversion, 1400, 1120.38),
        (IN_2025.fide_conversion, 2000, 2060.4),
        (IN_2025.fide_conversion, 2001, 2061.02),
        (IN_2022.youth_conversion, 2000, 2080),
        (IN_2022.youth_conversion, 2001, 2081),
        (IN_2025.youth_conversion, 2000, 2080.4),
        (IN_2025.youth_conversion, 2001, 2081),
        (IN_2022.cfc_conversion, 1500, 1410),
        (IN_2022.cfc_conversion, 1501, 1411.1),
        (IN_2025.cfc_conversion, 1149, 821.435),
        (IN_2025.cfc_conversion, 1150, 822),
        (IN_2025.cfc_conversion, 1609, 1409.52),
        (IN_2025.cfc_conversion, 1610, 1414.1),
        (IN_2025.cfc_conversion, 1999, 1962.59),
        (IN_2025.cfc_conversion, 2000, 1960),
    ],
)
def test_conversions_on_each_side_of_each_knot(conversion, rating, us_rating):
    assert conversion.us_rating(rating) == pytest.approx(us_rating, abs=1e-9)


@given(st.floats(0, 1e5))
def test_every_rating_converts(rating):
    for rules in (IN_2022, IN_2025):
        for conversion in (
            rules.fide_conversion,
            rules.youth_conversion,
            rules.cfc_conversion,
        ):
            assert -1100 <= conversion.us_rating(rating) < 2e5


def test_a_conversion_that_ends_is_refused():
    with pytest.raises(ValueError, match="without end"):
        Conversion((LinearConversion(0, 1, up_to=2000),)).us_rating(2001)
