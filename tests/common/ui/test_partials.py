"""Template partials, and what the Content-Security-Policy requires of them."""

import re
from pathlib import Path

from django import forms
from django.core.paginator import Paginator
from django.template.loader import render_to_string
from django.test import RequestFactory

TEMPLATES = Path(__file__).parents[3] / "templates"
INLINE = re.compile(
    r"\sstyle=|<style|\son[a-z]+=|javascript:|hx-on|hx-vals='js"
    r"|<script(?![^>]*\bsrc=)(?![^>]*application/json)"
)
# Template tags are not HTML, so their arguments are not attributes.
TAG = re.compile(r"{%.*?%}")


def inline_parts(template: str) -> list[str]:
    return INLINE.findall(TAG.sub(" ", template))


class EventForm(forms.Form):
    name = forms.CharField(label="Event name", help_text="As it was announced.")
    online = forms.BooleanField(label="Played online", required=False)
    kind = forms.ChoiceField(
        label="Kind",
        choices=[("swiss", "Swiss"), ("match", "Match")],
        widget=forms.RadioSelect,
        required=False,
    )


def test_templates_hold_nothing_that_a_strict_policy_refuses():
    paths = sorted(TEMPLATES.rglob("*.html"))
    found = {path: inline_parts(path.read_text()) for path in paths}
    assert found
    assert {path: parts for path, parts in found.items() if parts} == {}


def test_the_search_for_inline_parts_finds_them():
    for bad in (
        '<p style="x">',
        "<script>",
        '<a onclick="x">',
        "<style>",
        '<p {% if one %}style="{{ one }}"{% endif %}>',
        '<a{% if one %} onclick="x"{% endif %}>',
    ):
        assert inline_parts(bad), bad
    for good in ('<script src="/static/office.js" defer>', "{% with one=two %}"):
        assert inline_parts(good) == [], good


def test_a_refused_form_keeps_what_was_typed_and_links_to_the_field():
    form = EventForm({"name": "  ", "online": "on", "kind": "chess"})
    html = render_to_string("partials/form.html", {"form": form, "submit": "Send"})

    assert "There are 2 problems to fix." in html
    assert '<a href="#id_name">Event name</a>: This field is required.' in html
    assert '<a href="#id_kind">Kind</a>: Select a valid choice.' in html
    assert re.search(r'<input[^>]*name="online"[^>]*checked', html)
    assert html.count('id="id_name_error"') == 1
    assert 'aria-describedby="id_name_helptext id_name_error"' in html
    assert 'id="id_kind"' in html


def test_a_fresh_form_has_no_summary_and_marks_what_is_optional():
    html = render_to_string("partials/form.html", {"form": EventForm()})
    assert "attention" not in html
    labels = re.sub(r"<[^>]+>", "", html)
    assert "Kind (optional)" in labels
    assert "Event name (optional)" not in labels


def test_a_finding_names_severity_place_sentence_and_hint():
    html = render_to_string(
        "partials/finding.html",
        {
            "level": "error",
            "sentence": "Won against 9, but 9 reports <a draw>.",
            "hint": "Check the wall chart.",
            "place": "Section 2, number 14, round 3",
            "place_url": "/desk/1/#s2p14",
            "code": "result-mismatch",
        },
    )
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).strip()
    assert words == (
        "Error Won against 9, but 9 reports &lt;a draw&gt;. "
        "Section 2, number 14, round 3 · result-mismatch Check the wall chart."
    )
    assert '<a href="/desk/1/#s2p14">' in html


def test_progress_asks_again_only_while_there_is_something_to_wait_for():
    waiting = {"sentence": "Rating section 1", "percent": 40, "poll_url": "/p/"}
    html = render_to_string("partials/progress.html", waiting)
    assert 'hx-get="/p/"' in html
    assert 'value="40"' in html
    done = render_to_string("partials/progress.html", {"sentence": "Rated"})
    assert "hx-" not in done
    assert "value=" not in done


def test_pages_of_a_list_keep_the_rest_of_the_address():
    request = RequestFactory().get("/", {"q": "lind", "page": "2"})
    page = Paginator(range(30), 10).page(2)
    html = render_to_string("partials/pagination.html", {"page_obj": page}, request)
    assert re.findall(r'href="([^"]+)"', html) == [
        "?q=lind&amp;page=1",
        "?q=lind&amp;page=3",
    ]
    assert "Page 2 of 3" in html


def test_the_page_for_faults_of_ours_needs_nothing():
    assert "This is our error" in render_to_string("500.html")
