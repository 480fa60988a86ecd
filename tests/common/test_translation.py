"""Two languages: all messages are translated, and the reader's choice is kept."""

import re

import pytest
from babel.messages.catalog import Catalog
from django.utils import translation

from events.reports.pages.findings import count_chips
from tests.tools.messages import (
    CATALOG,
    PLACEHOLDER,
    carry_over,
    compiled,
    extracted_catalog,
    fill,
    spanish,
    untranslated,
)

pytestmark = pytest.mark.xdist_group("what is written")


def forms(text) -> tuple[str, ...]:
    return text if isinstance(text, tuple) else (text,)


def test_the_catalog_holds_just_what_is_marked():
    marked = {(one.id, one.context) for one in extracted_catalog() if one.id}
    kept = {(one.id, one.context) for one in spanish() if one.id}
    assert kept == marked, "run `make messages`"


def test_the_compiled_catalog_is_that_of_the_text():
    assert CATALOG.with_suffix(".mo").read_bytes() == compiled(spanish())


def test_a_translation_keeps_what_is_put_in():
    for message in spanish():
        for of, said in zip(forms(message.id), forms(message.string), strict=False):
            if of and said:
                kept = sorted(PLACEHOLDER.findall(said))
                assert kept == sorted(PLACEHOLDER.findall(of)), of


@pytest.mark.django_db
def test_a_reader_chooses_the_language_and_keeps_it(client):
    answer = client.post("/language/", {"language": "es", "next": "/players/"})
    assert answer["Location"] == "/players/"
    assert '<html lang="es">' in client.get("/players/").content.decode()
    client.post("/language/", {"language": "en"})
    assert '<html lang="en">' in client.get("/players/").content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("wanted", ["tlh", "", "es\0", "../../etc"])
def test_an_unknown_language_changes_nothing(client, wanted):
    client.post("/language/", {"language": wanted, "next": "https://else.example/"})
    assert '<html lang="en">' in client.get("/players/").content.decode()


@pytest.mark.django_db
def test_the_browser_may_say_what_its_reader_speaks(client):
    page = client.get("/players/", headers={"accept-language": "es-MX,es;q=0.9"})
    assert '<html lang="es">' in page.content.decode()
    assert "Accept-Language" in page["Vary"]


def test_every_sentence_has_its_spanish():
    assert untranslated(spanish()) == []


def test_counts_of_findings_are_in_the_readers_language():
    with translation.override("es"):
        chips = count_chips({"error": 9, "caution": 1, "note": 2})
    assert [chip.text for chip in chips] == ["9 errores", "1 advertencia", "2 notas"]


def catalog_of(**sentences: str) -> Catalog:
    catalog = Catalog(locale="es")
    for sentence, said in sentences.items():
        catalog.add(sentence, said)
    return catalog


def test_changed_sentence_keeps_its_spanish_and_is_listed():
    catalog = catalog_of(**{"The report of {day} is here": "", "Something else": ""})
    old = catalog_of(
        **{"A report of {day} is here": "Llegó {day}", "A report is here": "Llegó"}
    )
    carried = carry_over(catalog, [one for one in old if one.id])
    assert carried == [("The report of {day} is here", "A report of {day} is here")]
    assert untranslated(catalog) == ["Something else"]


def test_other_catalogs_fill_only_what_is_missing():
    catalog = catalog_of(Yes="Sí", No="")
    fill(catalog, catalog_of(Yes="Claro", No="No", Perhaps="Quizá"))
    assert {one.id: one.string for one in catalog if one.id} == {
        "Yes": "Sí",
        "No": "No",
    }


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "es"])
def test_each_language_is_named_in_itself(client, language):
    page = client.get("/players/", headers={"accept-language": language}, follow=True)
    named = re.findall(r'name="language" value="(\w+)"[^>]*>(\w+)<', page.text)
    assert named == [("en", "English"), ("es", "Español")]
