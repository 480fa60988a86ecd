"""Names as people search for them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings_site.common.names import searchable


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("SMITH, JOHN", "smith john"),
        ("Ångström-O’Neil", "angstrom o neil"),
        ("Żółć", "zolc"),
        ("Groß", "gross"),
        ("Æsir Þór", "aesir thor"),
        ("İnönü", "inonu"),
        ("  Mary   Ann ", "mary ann"),
        ("Peter III", "peter iii"),
        ("ﬃ", "ffi"),
        ("...", ""),
        ("", ""),
    ],
)
def test_case_accents_and_punctuation_do_not_matter(name, found):
    assert searchable(name) == found


@settings(max_examples=200)
@given(st.text(max_size=60))
def test_any_text_becomes_plain_words_once_and_for_all(text):
    found = searchable(text)
    assert found.isascii()
    assert found == searchable(found)
    assert all(word.isalnum() and word == word.lower() for word in found.split())
    assert found == " ".join(found.split())
