"""Search keys of names."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings_site.common.names import nicknames
from ratings_site.common.names.nicknames import other_forms
from ratings_site.common.names.phonetics import phonetic_key, searchable
from tests.hypothesis_settings import example_count


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


@settings(max_examples=example_count(200))
@given(st.text(max_size=60))
def test_any_text_becomes_plain_words_once_and_for_all(text):
    found = searchable(text)
    assert found.isascii()
    assert found == searchable(found)
    assert all(word.isalnum() and word == word.lower() for word in found.split())
    assert found == " ".join(found.split())


@pytest.mark.parametrize(
    "names",
    [
        "smith smyth schmidt schmitt",
        "stephen steven",
        "catherine katherine kathryn",
        "tchaikovsky chaikovski",
        "schwartz schwarz",
        "wright right",
        "knight night",
        "johnson jonson johnsen",
        "yuri juri",
        "yankovsky jankovsky iankovski",
        "popov popoff",
        "weber veber",
        "novak nowak",
        "philips fillips",
        "garcia garsia",
        "czerny cherny",
    ],
)
def test_spellings_of_one_sound_have_one_key(names):
    assert len({phonetic_key(name) for name in names.split()}) == 1


@pytest.mark.parametrize(
    "names", ["smith simson", "miller mailman", "lee lane", "adams evans", "chan han"]
)
def test_other_names_have_other_keys(names):
    first, other = names.split()
    assert phonetic_key(first) != phonetic_key(other)


@settings(max_examples=example_count(200))
@given(st.text(max_size=60))
def test_any_word_has_a_plain_key_no_longer_than_twice_itself(text):
    for word in searchable(text).split():
        key = phonetic_key(word)
        assert key.isascii()
        assert " " not in key
        assert key == key.upper()
        assert len(key) <= 2 * len(word)


@given(st.sampled_from(sorted(nicknames.BY_FORM)))
def test_a_nickname_and_what_it_stands_for_find_each_other(name):
    assert all(name in other_forms(other) for other in other_forms(name))
    assert name not in other_forms(name)
    assert searchable(name) == name


def test_forms_of_different_names_do_not_meet_in_a_short_one():
    # Al is short for Albert and for Alan, which are two names.
    assert {"albert", "alan"} <= other_forms("al")
    assert "alan" not in other_forms("albert")
