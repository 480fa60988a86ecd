from datetime import date

import pytest
from django.template import Context, Template

from ratings_site.common.ui import formatting
from tests.factories import make_user


def shown(expression, **values):
    return Template(expression).render(Context(values))


@pytest.mark.parametrize(
    ("rating", "text"),
    [(1654.5, "1655"), (1654.49, "1654"), (100.0, "100"), (1644.5, "1645")],
)
def test_halves_of_ratings_go_up(rating, text):
    assert shown("{{ r|whole }}|{{ r|rating }}", r=rating) == f"{text}|{text}"


def test_a_missing_rating_is_unrated_where_people_expect_a_word():
    template = "{{ r|rating }}|{{ r|decimal_rating }}|{{ r|whole }}|{{ r|signed }}"
    assert shown(template, r=None) == "unrated|unrated||"


@pytest.mark.parametrize(
    ("rating", "text"),
    [(1654.125, "1654.13"), (1654.0, "1654.00"), (1654.124999, "1654.12")],
)
def test_decimals_are_two_and_halves_go_up(rating, text):
    assert shown("{{ r|decimal_rating }}", r=rating) == text


@pytest.mark.parametrize(
    ("points", "text"),
    [(12, "+12"), (-12, "−12"), (0, "±0"), (0.4, "±0"), (-0.5, "±0"), (11.5, "+12")],
)
def test_a_change_always_has_a_sign_and_minus_is_a_true_minus(points, text):
    assert shown("{{ p|signed }}", p=points) == text


@pytest.mark.parametrize(
    ("points", "kind"), [(12, "gain"), (-12, "loss-of-points"), (0, "quiet")]
)
def test_the_color_of_a_change_accompanies_its_sign(points, kind):
    assert shown("{{ p|change }}", p=points) == (
        f'<span class="{kind}">{formatting.signed(points)}</span>'
    )


@pytest.mark.parametrize(
    ("score", "text"), [(0, "0"), (1, "½"), (2, "1"), (7, "3½"), (18, "9")]
)
def test_half_points_read_as_players_write_them(score, text):
    assert shown("{{ s|half_points }}", s=score) == text


def test_a_day_is_written_out():
    assert (
        shown("{{ d|day }}|{{ n|day }}", d=date(2024, 5, 4), n=None) == "May 4, 2024|"
    )


@pytest.mark.parametrize("color", ["w", "W", "white", "White"])
def test_white_is_a_mark_with_a_word(color):
    assert shown("{{ c|color_mark }}", c=color) == (
        '<b class="w" aria-hidden="true">○</b><span class="vh">White</span>'
    )


@pytest.mark.parametrize("color", ["", None, "?"])
def test_an_unknown_color_has_no_mark(color):
    assert shown("{{ c|color_mark }}", c=color) == ""


def test_a_severity_is_icon_and_word():
    html = shown('{% severity "warning" %}')
    assert html.startswith('<span class="severity warning"><svg class="icon"')
    assert html.rstrip().endswith("Warning</span>")


@pytest.mark.parametrize(
    ("text", "cased"),
    [
        ("Two-Factor Authentication", "Two-factor authentication"),
        ("Remember Me", "Remember me"),
        ("Restablecer Contraseña", "Restablecer contraseña"),
        ("Your FIDE ID and TOTP", "Your FIDE ID and TOTP"),
        ("Sign in. Then go on, as I do.", "Sign in. Then go on, as I do."),
        ('<b title="Big Words">A Key</b>', '<b title="Big Words">A key</b>'),
    ],
)
def test_headings_of_others_are_in_sentence_case(text, cased):
    assert shown("{% filter sentence_case %}" + text + "{% endfilter %}") == cased


@pytest.mark.django_db
def test_the_sign_in_pages_are_in_sentence_case(client):
    page = client.get("/accounts/login/").content.decode()
    assert "Stay signed in" in page
    assert "Username or email address" in page
    client.force_login(make_user())
    page = client.get("/accounts/password/change/").content.decode()
    assert "New password (again)" in page
    assert "Change Password" not in page.split("<main")[1]
