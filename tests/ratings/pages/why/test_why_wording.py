"""Parts of why pages: the names of rules, and formulas."""

import pytest

from ratings.engine.rules import PARAMETERS
from ratings.pages.why.mathml import typeset
from ratings.pages.why.rule_names import NAMES, SOURCES


def test_rules_have_the_names_of_the_engine():
    of_engine = {key: PARAMETERS[key].name for key in NAMES}
    assert {key: name[0].upper() + name[1:] for key, name in of_engine.items()} == NAMES


def test_sources_are_those_of_the_engine():
    assert set(SOURCES) == {
        since.source for key in NAMES for since in PARAMETERS[key].history
    }


@pytest.mark.parametrize(
    ("written", "markup"),
    [
        ("1/2", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (
            "(M − R_i)/800",
            "<mfrac><mrow><mi>M</mi><mo>−</mo><msub><mi>R</mi><mi>i</mi></msub></mrow>"
            "<mn>800</mn></mfrac>",
        ),
        (
            "K(S − E)",
            "<mi>K</mi><mrow><mo>(</mo><mi>S</mi><mo>−</mo><mi>E</mi><mo>)</mo></mrow>",
        ),
        (
            "√m′",
            "<msqrt><msup><mi>m</mi>"
            '<mo lspace="0em" rspace="0em">′</mo></msup></msqrt>',
        ),
        ("0, −3.21 − 24", "<mn>0</mn><mo>,</mo><mn>−3.21</mn><mo>−</mo><mn>24</mn>"),
        (
            "10^(a//b)",
            "<msup><mn>10</mn><mrow><mi>a</mi><mo>/</mo><mi>b</mi></mrow></msup>",
        ),
        ('1 "at" M', "<mn>1</mn><mo>at</mo><mi>M</mi>"),
        ("<b>", "<mo>&lt;</mo><mi>b</mi><mo>&gt;</mo>"),
    ],
)
def test_formula_is_typeset_as_it_is_written(written, markup):
    assert typeset(written) == f'<math display="block"><mrow>{markup}</mrow></math>'
