"""Countries end as FIDE writes them, from its codes, ISO codes and names."""

from pathlib import Path

import pycountry
import pytest

from players.formats.countries import country_code

# The federations of FIDE's rating list: the code and the name that FIDE uses.
FEDERATIONS = dict(
    line.split(" ", 1)
    for line in Path("tests/data/fide_federations.txt").read_text().splitlines()
)


def test_each_federation_is_known_by_code_and_name():
    for spellings in (FEDERATIONS.keys(), FEDERATIONS.values()):
        found = dict(zip(FEDERATIONS, map(country_code, spellings), strict=True))
        assert found == {code: code for code in FEDERATIONS}


def test_iso_codes_become_those_of_fide():
    found = {}
    for code, name in FEDERATIONS.items():
        try:
            country = pycountry.countries.lookup(name)
        except LookupError:
            continue
        # BRN is Brunei in ISO 3166, and Bahrain in FIDE's list.
        if country.alpha_3 not in FEDERATIONS:
            found[country.alpha_3] = (code, country_code(country.alpha_3))
    assert len(found) > 60
    assert {iso: pair for iso, pair in found.items() if len(set(pair)) > 1} == {}


@pytest.mark.parametrize(
    ("name", "code"),
    [
        *(("Côte d’Ivoire", "CIV"), ("Ivory Coast", "CIV"), ("Türkiye", "TUR")),
        *(("Turkey", "TUR"), ("The Netherlands", "NED"), ("Holland", "NED")),
        *(("Hong Kong", "HKG"), ("Taiwan", "TPE"), ("Swaziland", "SWZ")),
        *(("U.S. Virgin Islands", "ISV"), ("DR Congo", "COD"), ("Burma", "MYA")),
        *(("St. Lucia", "LCA"), ("Macedonia", "MKD"), ("Czechia", "CZE")),
        *(("Curaçao", "CUW"), ("Virgin Islands, U.S.", "ISV"), ("Réunion", "REU")),
        *(("Korea, Republic of", "KOR"), ("Atlantis", ""), ("ABW", "ARU")),
    ],
)
def test_other_spellings_of_names(name, code):
    assert country_code(name) == code
