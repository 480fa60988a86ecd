"""Why pages of every kind in Spanish contain no English text."""

import re
from html import unescape

import pytest
from django.utils import translation
from django.utils.dates import MONTHS, MONTHS_3

from tests.ratings.pages.why.page_cases import pages, read
from tests.tools.messages import spanish

pytestmark = pytest.mark.django_db

# Names of people and events, user input, and symbols in formulas.
DATA = re.compile(
    r"Ada|Adams|May|Open|Section|Paris|Opponent|Player|FIDE|CFC|US|Chess|ID"
    r"|Expert|We|PWe|Rₛ|min|max|unr|adult"
)
WORD = re.compile(r"[^\W\d_]{2,}")
# Placeholders and markup in translations.
PUT_IN = re.compile(r"%\(\w+\)[sd]|\{[^}]*\}|<[^>]*>")
# Digests and user input.
NOT_OURS = re.compile(r'<span class="receipt">.*?</span>|<textarea.*?</textarea>', re.S)


def words_of(text: str) -> set[str]:
    return set(WORD.findall(text))


@pytest.fixture(scope="module")
def catalog() -> list[tuple[str, str]]:
    """The messages and their Spanish translations."""
    return [
        (said, string)
        for message in spanish()
        if message.id
        for said, string in zip(
            message.id if isinstance(message.id, tuple) else [message.id],
            message.string if isinstance(message.string, tuple) else [message.string],
            strict=True,
        )
    ]


def texts_of(page: str) -> list[str]:
    """The pieces of text between the tags, and the labels."""
    main = NOT_OURS.sub("", page.split("<main")[1].split("</main>")[0])
    labels = re.findall(r'(?:aria-label|data-label|title)="([^"]*)"', main)
    texts = [*re.sub(r"<[^>]*>", "\n", main.partition(">")[2]).split("\n"), *labels]
    return [unescape(text).strip() for text in texts if text.strip()]


def all_data(words: set[str]) -> bool:
    return all(DATA.fullmatch(word) for word in words)


@pytest.mark.gate
def test_no_word_of_ours_stays_english(client, catalog):
    unchanged = {said for said, string in catalog if said == string}
    spanish_words = {
        word.lower()
        for _, string in catalog
        for word in words_of(PUT_IN.sub("", string))
    }
    with translation.override("es"):
        spanish_words |= {str(name) for name in (*MONTHS.values(), *MONTHS_3.values())}
    same, strange, kinds = set(), set(), set()
    for kind, url, reader in pages():
        kinds.add(kind)
        english = set(texts_of(read(client, url, reader, "en")))
        shown = texts_of(read(client, url, reader, "es"))
        same |= english.intersection(shown) - unchanged
        strange |= {
            word
            for text in shown
            for word in words_of(text)
            if word.lower() not in spanish_words and not all_data({word})
        }
    same_words = {text: words_of(text) - unchanged for text in same}
    ours = {text for text, words in same_words.items() if not all_data(words)}
    assert (ours, strange) == (set(), set())
    assert {"standard", "bonus", "match", "all wins", "newcomers", "abroad"} < kinds
