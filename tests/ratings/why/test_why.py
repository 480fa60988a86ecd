"""The derivation of a rating: its numbers by hand, and what it must not give away."""

import math
import re
from dataclasses import replace
from datetime import date

import pytest

from ratings.engine.cards import Competitor, Game, Kind, SectionCard
from ratings.engine.explanation import explain
from ratings.engine.rules import rules_in_force
from ratings.engine.section import work_through
from ratings.engine.systems import System
from ratings.engine.time_controls import parse_time_control
from ratings.ledger.queries.privacy import Curtain
from ratings.models import Calculation, Ceiling, RatingChange
from ratings.why.queries.steps import Person, Result
from ratings.why.queries.working import Working
from tests.factories import (
    make_player,
    make_staff,
    make_user,
    open_rating,
    rated_section,
)
from tests.ratings.why.why_world import another_line, rated, why_url
from tests.texts import is_missing, tells

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("decimals_for_all")]

AGREES = "The ledger has the same numbers, to the last bit."


def page_of(client, section, player, system="OTBR"):
    response = client.get(why_url(section, player, system))
    assert response.status_code == 200
    return response.content.decode()


def heading(page, title):
    """The result that stands in the heading of a step."""
    after = page.split(f"<h2>{title}</h2>")[1]
    return after.split('<span class="result">')[1].split("</span>")[0]


def words(page):
    """What happened, in plain words."""
    return " ".join(page.split('<p class="plain">')[1].split("</p>")[0].split())


def worth(rating):
    """N* of section 3, by hand."""
    return 50 / math.sqrt(0.662 + 0.00000739 * (2569 - rating) ** 2)


def expectancy(rating, opponent):
    """We of section 4.2, by hand."""
    return 1 / (1 + 10 ** ((opponent - rating) / 400))


# --- In plain words ---


def test_half_a_point_more_or_less_is_told_by_the_true_engine(client):
    players = [
        make_player(given_name=name, family_name="Lind", ratings={"OTBR": (1500, 40)})
        for name in ("Ada", "Bea", "Cleo")
    ]
    rows = ["W2W D3B L2W", "L1B U0 W1B", "U0 D1W U0"]
    section = rated(players, rows)
    page = page_of(client, section, players[0])
    told = re.search(r'<ul class="what-if">(.*?)</ul>', page, re.DOTALL)[1]
    sentences = re.findall("<li>(.*?)</li>", told)
    change = RatingChange.objects.get(calculation__section=section, player=players[0])
    now, (more, less) = change.post_rating, map(int, re.findall(r"(\d+)\.", told))
    assert sentences == [
        f"Had the draw with Cleo Lind been a win, the rating would be {more}.",
        f"Had the win against Bea Lind been a draw, the rating would be {less}.",
    ]
    # The same section with those results, rated for real.
    again = rated_as(rows, {0: "W2W W3B L2W", 2: "U0 L1W U0"})
    assert more == again > now
    again = rated_as(rows, {0: "D2W D3B L2W", 1: "D1B U0 W1B"})
    assert less == again < now


def rated_as(rows, other):
    """The first rating after the section with *other* rows, as a whole number."""
    players = [make_player(ratings={"OTBR": (1500, 40)}) for _ in rows]
    section = rated(players, [other.get(n, row) for n, row in enumerate(rows)])
    change = RatingChange.objects.get(calculation__section=section, player=players[0])
    return math.floor(change.post_rating + 0.5)


def test_who_won_all_hears_of_less_only_and_who_lost_all_of_more_only(client, equals):
    section, ada, eve = equals
    won, lost = page_of(client, section, ada), page_of(client, section, eve)
    assert "Had the win against Eve Ort been a draw" in won
    assert won.count("the rating would be") == 1
    assert "Had the game lost to Ada Lind been drawn" in lost
    assert lost.count("the rating would be") == 1


@pytest.mark.parametrize("reader", ["anybody", "staff"])
def test_where_a_start_is_hidden_nothing_is_rated_again(client, reader):
    kid = make_player(birth_date=date(2010, 5, 5))
    olga = make_player(ratings={"OTBR": (900.25, 40)})
    section = rated([kid, olga], ["D2W", "D1B"])
    if reader == "staff":
        client.force_login(make_staff())
    for player in (kid, olga):
        page = page_of(client, section, player)
        assert ("the rating would be" in page) == (reader == "staff")


# --- The standard formula ---


@pytest.fixture
def equals():
    """Two established players of 1500; the first one wins the only game."""
    players = [
        make_player(given_name="Ada", family_name="Lind", ratings={"OTBR": (1500, 40)}),
        make_player(given_name="Eve", family_name="Ort", ratings={"OTBR": (1500, 40)}),
    ]
    return rated(players, ["W2W", "L1B"]), *players


def test_standard_formula_is_worked_out_with_numbers(client, equals):
    section, ada, eve = equals
    page = page_of(client, section, ada)
    k = 800 / (worth(1500) + 1)
    first, loser = 1500 + k / 2, 1500 - k / 2
    expected = expectancy(1500, loser)
    post = 1500 + k * (1 - expected)
    assert heading(page, "How many games the rating is worth (N′)") == "16.57"
    assert heading(page, "First pass") == f"{first:.2f}"
    assert heading(page, "Second pass") == f"{post:.2f}"
    assert heading(page, "Bonus") == "none"
    assert heading(page, "Result") == "1521"
    assert (
        f"Ada scored 1 where {expected:.2f} was expected. So the rating rises from "
        "1500 to 1521." in words(page)
    )
    # K with its numbers, and the last line of the second pass.
    assert (
        "<mfrac><mn>800</mn><mrow><mn>16.57</mn><mo>+</mo><mn>1</mn></mrow></mfrac>"
        f"<mo>=</mo><mn>{k:.3f}</mn>" in page
    )
    assert (
        f"<mn>1500.00</mn><mo>+</mo><mn>{k:.3f}</mn><mrow><mo>(</mo><mn>1</mn>"
        f"<mo>−</mo><mn>{expected:.3f}</mn><mo>)</mo></mrow><mo>=</mo>"
        f"<mn>{post:.2f}</mn>" in page
    )
    # The opponent is named and linked, with the rating of each pass.
    assert page.count(f'<a href="/players/{eve.member_id}/">Eve Ort</a>') == 2
    assert '<td class="num">1500.00</td>' in page
    assert f'<td class="num">{loser:.2f}</td>' in page
    assert f'<td class="num">{expected:.3f}</td>' in page
    assert "A bonus needs at least 3 games in the section." in page
    assert "It now rests on 40 + 1 = 41 games and is established." in page


def test_a_loss_falls_with_a_true_minus(client, equals):
    section, _, eve = equals
    page = page_of(client, section, eve)
    assert "So the rating falls from 1500 to 1479." in page
    assert "a change of −21 in whole numbers" in page


def test_ledger_is_compared_bit_for_bit(client, equals):
    section, ada, _ = equals
    page = page_of(client, section, ada)
    assert AGREES in page
    assert "The ledger does not agree" not in page


@pytest.mark.parametrize("as_staff", [False, True])
def test_a_last_bit_of_difference_is_said_loudly(client, equals, as_staff):
    section, ada, _ = equals
    true_post = RatingChange.objects.get(
        player=ada, calculation__section=section
    ).post_rating
    wrong_post = math.nextafter(true_post, 3000)
    another_line(section, ada, post_rating=wrong_post, k=None)
    if as_staff:
        client.force_login(make_staff())
    page = page_of(client, section, ada, "OTBQ")
    assert "The ledger does not agree with this derivation." in page
    assert AGREES not in page
    assert "<li>the new rating" in page
    assert "<li>K" in page
    assert "<li>the bonus" not in page
    assert (repr(wrong_post) in page) == as_staff
    assert (repr(true_post) in page) == as_staff


@pytest.mark.parametrize("document", ["", "[]", "{}", '{"players": 1}', "nonsense"])
def test_unreadable_inputs_are_said_and_not_an_error(client, equals, document):
    section, ada, _ = equals
    another_line(section, ada, document=document)
    page = page_of(client, section, ada, "OTBQ")
    assert "This rating cannot be derived here." in page
    assert section.event.event_id in page


def test_rules_and_receipt_are_named(client, equals):
    section, ada, _ = equals
    page = page_of(client, section, ada)
    digest = Calculation.objects.get(section=section).inputs_digest
    assert digest in page  # nobody was unrated: no birth date went in
    assert "2025-07-26" in page
    assert "4 May 2024, the first day of the section" in page
    assert "5 May 2024, its last day" in page
    # B = 12 from 1 February 2023 in this edition.
    row = page.split("Bonus multiplier</th>")[1].split("</tr>")[0]
    assert 'data-label="Value">12<' in row
    assert "1 February 2023" in row


def test_bonus_is_worked_out(client):
    ada = make_player(given_name="Ada", ratings={"OTBR": (1500, 40)})
    field = [make_player(ratings={"OTBR": (1700, 40)}) for _ in range(4)]
    rows = ["W2W W3B W4W W5B", "L1B H H H", "H L1W H H", "H H L1B H", "H H H L1W"]
    section = rated([ada, *field], rows)
    page = page_of(client, section, ada)
    change = RatingChange.objects.get(player=ada, calculation__section=section)
    k = 800 / (worth(1500) + 4)
    loser = 1700 - 800 / (worth(1700) + 1) * (1 - expectancy(1500, 1700))
    gained = k * (4 - 4 * expectancy(1500, loser))
    bonus = gained - 12 * math.sqrt(4)
    assert change.bonus == pytest.approx(bonus)
    assert heading(page, "Bonus") == f"{bonus:.2f}"
    assert f"{bonus:.1f} points of the gain are a bonus." in page
    assert (
        f"<mn>{gained:.2f}</mn><mo>−</mo><mn>24.00</mn><mo>)</mo></mrow><mo>=</mo>"
        f"<mn>{bonus:.2f}</mn>" in page
    )
    assert AGREES in page


def test_repeated_opponent_rules_the_bonus_out(client):
    four = [make_player(ratings={"OTBR": (1500, 40)}) for _ in range(4)]
    rows = ["W2W W2B W2W", "L1B L1W L1B", "W4W W4B W4W", "L3B L3W L3B"]
    page = page_of(client, rated(four, rows), four[0])
    assert heading(page, "Bonus") == "none"
    assert "There is no bonus for meeting one opponent more than 2 times." in page


def test_lower_k_of_a_dual_rated_section(client):
    master = make_player(ratings={"OTBR": (2300, 100), "OTBQ": (2300, 100)})
    other = make_player(ratings={"OTBR": (2300, 100), "OTBQ": (2300, 100)})
    section = rated([master, other], ["W2W", "L1B"], time_control="G/60;d5")
    k = 800 * (6.5 - 0.0025 * 2300) / (worth(2300) + 1)
    full = 800 / (worth(2300) + 1)
    regular = page_of(client, section, master, "OTBR")
    quick = page_of(client, section, master, "OTBQ")
    assert "it is lower for a Regular rating above 2200" in regular
    assert f"<mo>=</mo><mn>{k:.3f}</mn>" in regular
    assert f"<mo>=</mo><mn>{full:.3f}</mn>" in quick
    assert AGREES in regular
    assert AGREES in quick


# --- Limits ---


def test_floor_holds_the_rating(client):
    ada = make_player(given_name="Ada")
    open_rating(ada, "OTBR", 1400.0, 40, peak=1600.0)
    eve = make_player(ratings={"OTBR": (1400.0, 40)})
    page = page_of(client, rated([ada, eve], ["L2W", "W1B"]), ada)
    assert "The floor of 1400 holds it there." in page
    assert "rating stays at 1400" in page
    assert heading(page, "Limits, floor and ceiling") == "floor"
    assert "under the floor of 1400; the floor holds." in page
    assert AGREES in page


def test_ceiling_holds_the_rating(client):
    ada = make_player(ratings={"OTBR": (1500.0, 40)})
    eve = make_player(ratings={"OTBR": (1500.0, 40)})
    Ceiling.objects.create(
        player=ada,
        system="OTBR",
        level=1510,
        starts=date(2024, 1, 1),
        reason="Manipulated results",
        imposed_by=make_staff(),
    )
    page = page_of(client, rated([ada, eve], ["W2W", "L1B"]), ada)
    assert "The ceiling of 1510 holds it there." in page
    assert heading(page, "Result") == "1510"
    assert "Manipulated" not in page


def test_match_is_limited_and_earns_no_bonus(client):
    ada = make_player(ratings={"OTBR": (1500.0, 60)})
    eve = make_player(ratings={"OTBR": (1880.0, 60)})
    rows = ["W2W W2B W2W W2B", "L1B L1W L1B L1W"]
    page = page_of(client, rated([ada, eve], rows, kind_letter="M"), ada)
    assert "So the rating rises from 1500 to 1550." in page
    assert heading(page, "Result") == "1550"
    assert heading(page, "Limits, floor and ceiling") == "match limit"
    assert "the limits hold it at 1550.00." in page
    assert "A match earns no bonus." in page
    assert AGREES in page


def test_late_section_says_so(client):
    ada = make_player(ratings={"OTBR": (1500.0, 40)})
    eve = make_player(ratings={"OTBR": (1500.0, 40)})
    june = rated([ada, eve], ["D2W", "D1B"], starts=date(2024, 6, 1))
    late = rated([ada, eve], ["D2W", "D1B"], starts=date(2024, 5, 1))
    assert "Reported late" in page_of(client, late, ada)
    assert "Reported late" not in page_of(client, june, ada)


# --- The special formula ---


def test_special_formula_is_worked_out_with_numbers(client):
    new = make_player(given_name="Nora", ratings={"OTBR": (1200.0, 6)})
    old = make_player(ratings={"OTBR": (1300.0, 40)})
    page = page_of(client, rated([new, old], ["W2W", "L1B"]), new)
    # All on the slope: M = (6 × 1200 + opponent + 400 × (2 × 1 − 1)) / 7.
    first = (6 * 1200 + 1300 + 400) / 7
    beaten = 1300 - 800 / (worth(1300) + 1) * expectancy(1300, 1200)
    post = (6 * 1200 + beaten + 400) / 7
    assert heading(page, "Which formula") == "special formula"
    assert "The rating rests on 6 games, and up to 8 the special formula" in page
    assert heading(page, "First pass") == f"{first:.2f}"
    assert heading(page, "Second pass") == f"{post:.2f}"
    assert "Nora scored 1 in 1 game." in page
    assert '<dd class="tnum">4.00</dd>' in page  # S′ = 1 + 6 / 2
    assert AGREES in page


def test_only_wins_lower_the_prior(client):
    new = make_player()
    open_rating(new, "OTBR", 1700.0, 3, record="all_wins")
    old = make_player(ratings={"OTBR": (1500.0, 40)})
    page = page_of(client, rated([new, old], ["L2W", "W1B"]), new)
    assert "All rated games so far were won" in page
    assert "counts as 400 points lower" in page
    assert '<dd class="tnum">1300.00</dd>' in page
    assert AGREES in page


# --- What must not be given away ---


@pytest.fixture
def kid():
    return make_player(
        given_name="Kim",
        family_name="Kidd",
        birth_date=date(2010, 5, 5),
        account=make_user("kim"),
    )


@pytest.fixture
def olga():
    return make_player(
        given_name="Olga",
        family_name="Orr",
        ratings={"OTBR": (950.0, 40)},
        account=make_user("olga"),
    )


# 14 years and no day on 5 May 2024: 5,114 days.
KID_START = 50 * 5114 / 365.25
# A draw with 950, and the start as another game that was drawn.
KID_ESTIMATE = (KID_START + 950) / 2
READERS = ["anybody", "another member", "the player", "staff"]


def sign_in(client, reader):
    if reader == "another member":
        client.force_login(make_player(account=make_user("stranger")).account)
    if reader == "the player":
        client.force_login(type(make_user("x")).objects.get(username="kim"))
    if reader == "staff":
        client.force_login(make_staff("clerk"))


def figures(value):
    """A number as a page could write it."""
    return [f"{value:.2f}", f"{value:.1f}", f">{value:.0f}<", repr(value)]


@pytest.mark.parametrize("reader", READERS)
def test_start_by_age_is_for_the_player_and_the_office(client, kid, olga, reader):
    section = rated([kid, olga], ["D2W", "D1B"])
    sign_in(client, reader)
    page = page_of(client, section, kid)
    may_see = reader in ("the player", "staff")
    assert RatingChange.objects.get(player=kid).initial_rating == KID_START
    assert (f"{KID_START:.2f}" in page) == may_see
    assert ("<mn>14.0014</mn>" in page) == may_see
    assert heading(page, "First estimate") == (
        f"{KID_ESTIMATE:.2f}" if may_see else "not shown"
    )
    assert heading(page, "Initial rating (R₀)") == (
        f"{KID_START:.2f}" if may_see else "not shown"
    )
    assert ("because it would give away a birth date" in page) or may_see
    assert not tells(page, 2010)
    if not may_see:
        for secret in (*figures(KID_START), *figures(KID_ESTIMATE), "14.0014"):
            assert secret not in page
    assert AGREES in page


@pytest.mark.parametrize("reader", READERS)
def test_an_opponents_page_does_not_give_the_start_away(client, kid, olga, reader):
    section = rated([kid, olga], ["D2W", "D1B"])
    sign_in(client, reader)
    page = page_of(client, section, olga)
    # The player knows the own start, on every page.
    may_see = reader in ("the player", "staff")
    k = 800 / (worth(950) + 1)
    share = expectancy(950, KID_ESTIMATE)
    first = 950 + k * (0.5 - share)
    assert heading(page, "First pass") == (
        f"{first:.2f}" if may_see else f"≈ {first:.0f}"
    )
    assert (f"{KID_ESTIMATE:.2f}" in page) == may_see
    assert (f"{share:.3f}" in page) == may_see
    assert ("not shown" in page.split("Rules and check")[0]) == (not may_see)
    if not may_see:
        for secret in (*figures(KID_ESTIMATE), f"{first:.2f}", *figures(KID_START)):
            assert secret not in page
    # All players' decimals together would give the start away.
    change = RatingChange.objects.get(player=olga, calculation__section=section)
    post = change.post_rating
    assert heading(page, "Second pass") == (f"{post:.2f}" if may_see else f"{post:.0f}")
    assert heading(page, "What was known") == ("950.00" if may_see else "950")
    assert ("Figures are rounded here" in page) == (not may_see)
    if not may_see:
        derivation = page.split('class="working"')[1].split("Rules and check")[0]
        # N′ and K, the score and the expectancy; nothing else has decimals.
        assert set(re.findall(r"\d+\.\d+", without_sources(derivation))) == {
            f"{change.effective_games:.2f}",
            f"{change.k:.2f}",
            "0.5",
            f"{change.expected:.2f}",
        }
    assert AGREES in page


def without_sources(derivation):
    """Leave out the numbers of sections of the rules."""
    return re.sub(r'<p class="source">.*?</p>', "", derivation)


@pytest.mark.parametrize("reader", READERS)
def test_what_came_out_of_such_a_section_is_rounded_on_the_next_page(
    client, kid, olga, reader
):
    eve = make_player(ratings={"OTBR": (950.25, 40)})
    ida = make_player(ratings={"OTBR": (950.25, 40)})
    rated([kid, olga], ["W2W", "L1B"])
    rows = ["D2W U0", "D1B D3W", "U0 D2B"]
    section = rated([olga, eve, ida], rows, starts=date(2024, 6, 1))
    sign_in(client, reader)
    may_see = reader in ("the player", "staff")
    before = RatingChange.objects.get(
        player=olga, calculation__section=section
    ).pre_rating
    assert before != round(before)
    for player in (olga, eve):
        page = page_of(client, section, player)
        assert (f"{before:.2f}" in page) == may_see
        assert ("Figures are rounded here" in page) == (not may_see)
        assert AGREES in page
    # Ida met nobody who came from there.
    assert heading(page_of(client, section, ida), "What was known") == "950.25"
    july = rated([olga, eve], ["D2W", "D1B"], starts=date(2024, 7, 1))
    assert "Figures are rounded" not in page_of(client, july, olga)


def test_rounded_page_writes_the_bonus_and_a_slight_change_in_whole_numbers(client):
    kid = make_player(birth_date=date(2010, 5, 5))
    low = make_player(given_name="Low", ratings={"OTBR": (1000.0, 40)})
    high = [make_player(ratings={"OTBR": (1900.0, 40)}) for _ in range(2)]
    still = [make_player(ratings={"OTBR": (r, 40)}) for r in (1500.2, 1500.4)]
    rows = ["D2W D3B D4W", "D1B W4W W3B", "D4W D1W L2W", "D3B L2B D1B"]
    more = ["D6W U0 U0", "D5B U0 U0"]
    section = rated([kid, low, *high, *still], [*rows, *more])
    bonus = RatingChange.objects.get(player=low, calculation__section=section).bonus
    page = page_of(client, section, low)
    assert heading(page, "Bonus") == f"{bonus:.0f}"
    assert f"{bonus:.0f} points of the gain are a bonus." in page
    assert f"{bonus:.1f}" not in page
    slight = page_of(client, section, still[0])
    assert "the rating stays at 1500, in whole numbers." in slight
    client.force_login(make_staff())
    assert f"{bonus:.1f} points of the gain are a bonus." in page_of(
        client, section, low
    )


def test_a_newcomer_sees_the_own_start_but_not_that_of_another(client, kid, olga):
    lee = make_player(given_name="Lee", birth_date=date(2012, 5, 5))
    eve = make_player(ratings={"OTBR": (950.0, 40)})
    rows = ["D2W D3B", "D1B D4W", "D4W D1W", "D3B D2B"]
    section = rated([kid, lee, olga, eve], rows)
    sign_in(client, "the player")
    page = page_of(client, section, kid)
    lee_start = 50 * 4383 / 365.25  # 12 years, 3 of them leap years
    estimate = (KID_START + lee_start + 950) / 3
    assert f"{KID_START:.2f}" in page
    for secret in (*figures(lee_start), *figures(estimate)):
        assert secret not in page
    # With one of the two starts known, the estimate would give the other away.
    assert heading(page, "First estimate") == "not shown"
    assert heading(page, "First pass") == "not shown"
    client.force_login(make_staff("clerk"))
    page = page_of(client, section, kid)
    assert heading(page, "First estimate") == f"{estimate:.2f}"
    assert f"{lee_start:.2f}" in page


@pytest.mark.parametrize("reader", READERS)
def test_digest_of_inputs_with_birth_dates_is_for_the_office(client, kid, olga, reader):
    section = rated([kid, olga], ["D2W", "D1B"])
    sign_in(client, reader)
    digest = Calculation.objects.get(section=section).inputs_digest
    for player in (kid, olga):
        page = page_of(client, section, player)
        assert (digest in page) == (reader == "staff")
        assert ("because a birth date could be found with it" in page) == (
            reader != "staff"
        )


@pytest.mark.parametrize("reader", READERS)
def test_blended_start_is_for_the_player_and_the_office(client, kid, olga, reader):
    open_rating(kid, "OTBQ", 1234.0, 5)
    section = rated([kid, olga], ["D2W", "D1B"])
    sign_in(client, reader)
    page = page_of(client, section, kid)
    change = RatingChange.objects.get(player=kid, calculation__section=section)
    may_see = reader in ("the player", "staff")
    # One source: its own rating is the start, worth what its weight says.
    assert change.initial_rating == 1234.0
    assert "1 January 2024" in page
    assert heading(page, "Initial rating (R₀)") == (
        "1234.00" if may_see else "not shown"
    )
    # Of steps without a figure the step before says that they are left out.
    worth_title = "<h2>How many games the rating is worth (N′)</h2>"
    assert (worth_title in page) == may_see
    assert (f">{change.effective_games:.2f}<" in page) == may_see
    assert ("P the rating by age at that time" in page) == may_see
    first = f"{change.intermediate:.2f}"
    assert ("<h2>First pass</h2>" in page) == may_see
    assert (first in page) == may_see
    assert ("so these steps are left out" in page) == (not may_see)
    assert page.count('<th scope="col">Opponent</th>') == (2 if may_see else 1)
    assert page.count('<p class="quiet small">') == (0 if may_see else 1)
    assert (f"{change.post_rating:.2f}" in page) == may_see
    assert heading(page, "Result") == f"{change.post_rating:.0f}"
    if not may_see:
        assert "<math" not in page
        assert f"= {change.post_games} games" not in page
    of_opponent = page_of(client, section, olga)
    assert (first in of_opponent) == may_see
    assert AGREES in page


# A newcomer against nine others, of whom they beat every other.
NINE = [
    " ".join(f"{'WL'[n % 2]}{n}" for n in range(2, 11)),
    *(
        " ".join(f"{'LW'[n % 2]}1" if n == m else "H" for m in range(2, 11))
        for n in range(2, 11)
    ),
]


def test_bonus_of_a_blended_start_is_not_told(client):
    ann = make_player(birth_date=date(1990, 1, 1), ratings={"OTBR": (1500.0, 40)})
    field = [
        make_player(ratings={"OTBR": (1500.0, 40), "OTBQ": (1700.0, 40)})
        for _ in range(4)
    ]
    rows = ["W2W W3B W4W W5B", "L1B H H H", "H L1W H H", "H H L1B H", "H H H L1W"]
    section = rated([ann, *field], rows, time_control="G/60;d5")
    change = RatingChange.objects.get(player=ann, calculation__system="OTBQ")
    assert (change.formula, change.initial_games) == ("standard", 9)
    assert change.bonus > 1
    public = page_of(client, section, ann, "OTBQ")
    for number in (change.bonus, change.k, change.expected):
        for places in (1, 2, 3):
            assert f"{number:.{places}f}" not in public
    # The crosstable marks it too, so that there was one is no secret.
    assert heading(public, "Bonus") == "not shown"
    client.force_login(make_staff())
    assert f"{change.bonus:.2f}" in page_of(client, section, ann, "OTBQ")


def test_bonus_is_named_and_not_told_where_a_rating_is_shown_rounded(client, settings):
    settings.BIRTH_DATE_WINDOW = 90
    kid = make_player(birth_date=date(2010, 5, 5))
    rated([kid, *(make_player(ratings={"OTBR": (700.0, 40)}) for _ in range(9))], NINE)
    strong = [make_player(ratings={"OTBR": (1200.0, 40)}) for _ in range(4)]
    rows = ["W2W W3B W4W W5B", "L1B H H H", "H L1W H H", "H H L1B H", "H H H L1W"]
    section = rated([kid, *strong], rows, starts=date(2024, 6, 1))
    change = RatingChange.objects.get(player=kid, calculation__section=section)
    assert change.bonus > 1
    page = page_of(client, section, kid)
    assert heading(page, "Bonus") == "not shown"
    assert f"{change.bonus:.0f}" not in re.findall(r"\d+", words(page))
    assert "<h2>Bonus</h2>" not in page_of(client, section, strong[0])


def test_no_bonus_of_a_hidden_start_is_not_mentioned(client, kid, olga):
    open_rating(kid, "OTBQ", 1234.0, 5)
    section = rated([kid, olga], ["D2W", "D1B"])
    assert "<h2>Bonus</h2>" not in page_of(client, section, kid)


def test_a_start_that_is_the_result_is_not_called_so(client, olga):
    # Beating 100 leaves every rating from 500 up: the start itself is the result.
    kid = make_player(birth_date=date(2010, 5, 5))
    weak = make_player(ratings={"OTBR": (100.0, 40)})
    section = rated([kid, weak], ["W2W", "L1B"])
    public = page_of(client, section, kid)
    assert heading(public, "First pass") == "not shown"
    assert "is taken" not in public
    assert f"{KID_START:.2f}" not in page_of(client, section, weak)


def test_page_of_somebody_signed_in_is_never_stored(client, kid, olga):
    section = rated([kid, olga], ["D2W", "D1B"])
    client.force_login(make_user())
    response = client.get(why_url(section, kid))
    assert "no-store" in response.headers["Cache-Control"]
    assert "private" in response.headers["Cache-Control"]


def test_own_page_says_you(client, kid, olga):
    section = rated([kid, olga], ["D2W", "D1B"])
    assert "Kim scored ½ in 1 game" in page_of(client, section, kid)
    sign_in(client, "the player")
    assert "You scored ½ in 1 game" in page_of(client, section, kid)


# --- The address, the markup, the queries ---


def test_nothing_inline_and_only_native_formulas(client, kid, olga):
    section = rated([kid, olga], ["D2W", "D1B"])
    client.force_login(make_staff())
    for player in (kid, olga):
        content = page_of(client, section, player).split("<main")[1]
        assert "style=" not in content
        assert "<math" in content
        assert "<script" not in content


def test_names_are_escaped(client, equals):
    section, ada, eve = equals
    eve.given_name = "<i>Eve"
    eve.save()
    page = page_of(client, section, ada)
    assert "<i>Eve" not in page
    assert "&lt;i&gt;Eve" in page


@pytest.mark.parametrize(
    "change",
    [
        {"member_id": "99999999"},
        {"member_id": "x"},
        {"member_id": "%00"},
        {"system": "OTBB"},
        {"system": "XX"},
        {"system": "%00"},
        {"event_id": "000000000000"},
        {"event_id": "%00"},
        {"event_id": "２０２４"},
        {"number": "7"},
        {"number": "9" * 40},
    ],
    ids=str,
)
def test_unknown_addresses_are_not_found(client, equals, change):
    section, ada, _ = equals
    parts = {
        "event_id": section.event.event_id,
        "number": "1",
        "member_id": ada.member_id,
        "system": "OTBR",
        **change,
    }
    response = client.get(
        "/events/{event_id}/{number}/why/{member_id}/{system}/".format(**parts)
    )
    assert is_missing(response)


def test_a_member_who_did_not_play_there_is_not_found(client, equals):
    section, _, _ = equals
    assert is_missing(client.get(why_url(section, make_player())))


def test_an_entry_without_a_game_changes_nothing(client):
    four = [make_player(ratings={"OTBR": (1500.0, 40)}) for _ in range(3)]
    section = rated(four, ["W2W", "L1B", "H"])
    page = page_of(client, section, four[2])
    assert "had no rated game here, so no rating changed." in page
    assert AGREES not in page
    assert "does not agree" not in page


@pytest.mark.parametrize("players", [4, 20])
def test_page_takes_the_same_queries_for_any_size(
    client, django_assert_num_queries, players
):
    section = rated_section(players=players)
    player = section.entries.first().player
    # The calculation with its inputs, the player, the opponents, the line.
    with django_assert_num_queries(4):
        page = page_of(client, section, player)
    assert AGREES in page


def test_every_player_of_a_real_section_agrees(client):
    section = rated_section(players=8, rounds=5)
    for entry in section.entries.select_related("player"):
        assert AGREES in page_of(client, section, entry.player)


# --- The same without a database: what a birth date moves ---


def public_and_office_steps(birth_date):
    """The steps of every player of a small section, as both readers get them."""
    day = date(2024, 5, 4)
    rules = rules_in_force(day)
    card = SectionCard(
        System.OTBR,
        Kind.SWISS,
        parse_time_control("G/90;d5"),
        day,
        day,
        (
            Competitor("kid", None, birth_date=birth_date),
            *(Competitor(name, 900.0 + 40 * name, 30) for name in range(4)),
            Competitor("new", 700.0, 5),
        ),
        (
            *(Game("kid", name, 1, 1) for name in range(4)),
            Game("new", 0, 2, 0),
            Game("new", 1, 0, 2),
            Game(2, 3, 1, 1),
        ),
    )
    steps = work_through(card, rules)
    people = {one.id: Person(f"Player {one.id}", "/") for one in card.competitors}
    return [
        [
            Working(
                card,
                rules,
                explain(card, rules, one.id),
                Curtain(steps, lambda _: sees_all),  # noqa: B023 - used at once
                people,
            ).steps()
            for one in card.competitors
        ]
        for sees_all in (False, True)
    ]


def test_a_week_of_age_moves_nothing_that_the_public_sees():
    public, office = public_and_office_steps(date(2010, 5, 5))
    later_public, later_office = public_and_office_steps(date(2010, 5, 12))
    assert without_published(public) == without_published(later_public)
    moved = [steps != later for steps, later in zip(office, later_office, strict=True)]
    assert moved[:5] == [True] * 5


def without_published(pages):
    """Leave out the new rating, which the ledger publishes as a whole number."""
    return [
        [
            replace(step, result="") if getattr(step, "number", 0) == 5 else step
            for step in steps
            if not isinstance(step, Result)
        ]
        for steps in pages
    ]
