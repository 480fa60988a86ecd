"""Submitted values are restored, and the rest of the page does not change."""

import pytest

from ratings_site.common.web.form_restore import fill_form, insert_notice

TOKEN = '<input type="hidden" name="csrfmiddlewaretoken" value="fresh">'


def page(controls: str, *, action: str = "", before: str = "") -> str:
    form = f'<form method="post" action="{action}">{TOKEN}{controls}</form>'
    return f"<main>{before}&amp; a?b=1&c=2<p>{form}</main>"


@pytest.mark.parametrize(
    ("control", "sent", "filled"),
    [
        ('<input name="a">', ["1"], '<input name="a" value="1">'),
        (
            '<input type="text" name="a" value="old" required />',
            ['<"new">'],
            '<input type="text" name="a" required="" value="&lt;&quot;new&quot;&gt;">',
        ),
        ('<input name="a" value="old">', [""], '<input name="a" value="">'),
        (
            '<input type="hidden" name="a" value="7">',
            ["6"],
            '<input type="hidden" name="a" value="6">',
        ),
        (
            '<textarea name="a">old &lt;</textarea>',
            ["\nnew & \ntwo"],
            '<textarea name="a">\n\nnew &amp; \ntwo</textarea>',
        ),
        (
            '<select name="a"><option value="1" selected>One<option>Two</option>',
            ["Two"],
            '<select name="a"><option value="1">One<option selected="">Two</option>',
        ),
        (
            '<input type="checkbox" name="a" value="1"><input type="checkbox" name="a" '
            'value="2" checked><input type="checkbox" name="b" checked>',
            ["1"],
            '<input type="checkbox" name="a" value="1" checked=""><input '
            'type="checkbox" name="a" value="2"><input type="checkbox" name="b">',
        ),
        (
            '<input name="a"><input name="a">',
            ["1", "2"],
            '<input name="a" value="1"><input name="a" value="2">',
        ),
        (
            '<details><input name="a"></details>',
            ["1"],
            '<details open=""><input name="a" value="1"></details>',
        ),
        *[
            (
                f'<input type="{kind}" name="a">',
                ["1"],
                f'<input type="{kind}" name="a">',
            )
            for kind in ("password", "file", "submit")
        ],
    ],
)
def test_a_control_takes_what_was_sent(control, sent, filled):
    fields = [("a", value) for value in sent]
    assert fill_form(page(control), "/x/", "/x/", fields) == (page(filled), [])


def test_what_has_no_place_is_handed_back():
    fields = [("a", "1"), ("gone", "2")]
    _filled, left = fill_form(page('<input name="a">'), "/x/", "/x/", fields)
    assert left == [("gone", "2")]


@pytest.mark.parametrize(
    ("action", "sent_to", "is_it"),
    [
        ("", "/x/?page=2", True),
        ("#effects", "/x/", True),
        ("/y/?queue=late", "/y/", True),
        ("/y/", "/x/", False),
        ("https://elsewhere.example/x/", "/x/", True),
    ],
)
def test_form_is_known_by_where_it_goes(action, sent_to, is_it):
    html = page('<input name="a">', action=action)
    assert bool(fill_form(html, "/x/?b=1", sent_to, [("a", "1")])) == is_it


def test_of_several_forms_the_one_with_the_same_hidden_values_is_filled():
    forms = [
        f'<form method="post" action="/x/"><input type="hidden" name="of" value="{of}">'
        '<input name="a"></form>'
        for of in (1, 2, 3)
    ]
    filled, _left = fill_form("".join(forms), "/", "/x/", [("of", "2"), ("a", "!")])
    before, after = filled.split('<input name="a" value="!">')
    assert (before.count("<form"), after.count("<form")) == (2, 1)


def test_a_control_may_stand_outside_its_form():
    html = '<form method="post" id="f"><input name="b"></form><input name="a" form="f">'
    filled, left = fill_form(html, "/x/", "/x/", [("a", "1"), ("b", "2")])
    assert filled.count("value=") == 2
    assert left == []


def test_a_notice_stands_at_the_head_of_the_content():
    assert insert_notice("<main id='c'>x</main>", "!") == "<main id='c'>!x</main>"
    assert insert_notice("torn", "!") == "torn"
