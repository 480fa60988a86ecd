"""The derivation of a rating: its numbers, computed by hand, and private data."""

import math
import re
from datetime import date

import pytest

from players.models import ExternalRating, GuardianAccount, Player
from ratings.engine.rules import DEFAULT_EDITION
from ratings.ledger.queries.published_ratings import published
from ratings.models import Calculation, Ceiling, RatingChange
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import format_rating
from tests.factories import (
    make_player,
    make_staff,
    make_td,
    make_user,
    open_rating,
    rated_section,
)
from tests.ratings.pages.why.page_cases import (
    DRAWN,
    MATCH,
    TWO,
    another_line,
    known,
    rated,
    why_url,
    with_opening,
)
from tests.response_text import contains_number, is_not_found

pytestmark = pytest.mark.django_db

AGREES = "Our records have exactly the same numbers."


def page_of(client, section, player, system="OTBR"):
    response = client.get(why_url(section, player, system))
    assert response.status_code == 200
    return response.content.decode()


def heading(page, title):
    """The result in the heading of a step."""
    after = page.split(f"<h2>{title}</h2>")[1]
    return after.split('<span class="result">')[1].split("</span>")[0]


def words(page):
    """The outcome as text."""
    headline = page.split('<p class="plain">')[1]
    return " ".join("".join(headline.split("</p>")[:2]).split())


@pytest.fixture
def office(client):
    """Read as the office, which sees all decimals."""
    client.force_login(make_staff("clerk"))


def shown_rating(rating):
    """N* of section 3, by hand."""
    return 50 / math.sqrt(0.662 + 0.00000739 * (2569 - rating) ** 2)


def expectancy(rating, opponent):
    """We of section 4.2, by hand."""
    return 1 / (1 + 10 ** ((opponent - rating) / 400))


# --- The summary ---


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
        f"A win instead of the draw with Cleo Lind would have meant {more}.",
        f"A draw instead of the win against Bea Lind would have meant {less}.",
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
    assert "A draw instead of the win against Eve Ort" in won
    assert won.count("would have meant") == 1
    assert "A draw instead of the loss to Ada Lind" in lost
    assert lost.count("would have meant") == 1


@pytest.mark.parametrize("reader", ["anybody", "staff"])
def test_half_a_point_is_told_of_a_newcomer_too(client, kid, olga, reader):
    section = rated([kid, olga], ["D2W", "D1B"])
    sign_in(client, reader)
    for player in (kid, olga):
        assert page_of(client, section, player).count("would have meant") == 2


def test_rating_that_would_be_the_start_is_told_as_about(client, kid):
    # A win against 100 changes no rating of 500 or more: the start would be the result.
    weak = make_player(ratings={"OTBR": (100.0, 40)})
    section = rated([kid, weak], ["D2W", "D1B"])
    page = page_of(client, section, kid)
    assert "would have meant about 700." in page


# --- The standard formula ---


@pytest.fixture
def equals():
    """Two established players of 1500; the first one wins the only game."""
    players = [
        make_player(given_name="Ada", family_name="Lind", ratings={"OTBR": (1500, 40)}),
        make_player(given_name="Eve", family_name="Ort", ratings={"OTBR": (1500, 40)}),
    ]
    return rated(players, ["W2W", "L1B"], td=make_td("td")), *players


@pytest.mark.usefixtures("office")
def test_standard_formula_is_worked_out_with_numbers(client, equals):
    section, ada, eve = equals
    page = page_of(client, section, ada)
    k = 800 / (shown_rating(1500) + 1)
    first, loser = 1500 + k / 2, 1500 - k / 2
    expected = expectancy(1500, loser)
    post = 1500 + k * (1 - expected)
    assert heading(page, "Games the rating is worth (N′)") == "16.57"
    assert heading(page, "First pass") == f"{first:.2f}"
    assert heading(page, "Second pass") == f"{post:.2f}"
    assert heading(page, "Bonus") == "none"
    assert heading(page, "Result") == "1521"
    assert (
        f"Ada scored 1; {expected:.2f} was expected. So the rating goes up from "
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
    assert "It is now based on 40 + 1 = 41 games and is established." in page


def test_a_loss_falls_with_a_true_minus(client, equals):
    section, _, eve = equals
    page = page_of(client, section, eve)
    assert "So the rating goes down from 1500 to 1479." in page
    assert "a change of −21 in whole points" in page


def test_ledger_is_compared_bit_for_bit(client, equals):
    section, ada, _ = equals
    page = page_of(client, section, ada)
    assert AGREES in page
    assert "does not match our records" not in page


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
    assert "This calculation does not match our records." in page
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
    assert "We can’t show how this rating was calculated." in page
    assert section.event.event_id in page


@pytest.mark.usefixtures("office")
def test_rules_and_receipt_are_named(client, equals):
    section, ada, _ = equals
    page = page_of(client, section, ada)
    digest = Calculation.objects.get(section=section).inputs_digest
    assert digest in page
    assert DEFAULT_EDITION in page
    assert "May 4, 2024, the first day of the section" in page
    assert "May 5, 2024, its last day" in page
    # B = 12 from 1 February 2023 in this edition.
    row = page.split("Bonus multiplier</th>")[1].split("</tr>")[0]
    assert 'data-label="Value">12<' in row
    assert "Feb 1, 2023" in row


@pytest.mark.usefixtures("office")
def test_bonus_is_worked_out(client):
    ada = make_player(given_name="Ada", ratings={"OTBR": (1500, 40)})
    field = [make_player(ratings={"OTBR": (1700, 40)}) for _ in range(4)]
    rows = ["W2W W3B W4W W5B", "L1B H H H", "H L1W H H", "H H L1B H", "H H H L1W"]
    section = rated([ada, *field], rows)
    page = page_of(client, section, ada)
    change = RatingChange.objects.get(player=ada, calculation__section=section)
    k = 800 / (shown_rating(1500) + 4)
    loser = 1700 - 800 / (shown_rating(1700) + 1) * (1 - expectancy(1500, 1700))
    gained = k * (4 - 4 * expectancy(1500, loser))
    bonus = gained - 12 * math.sqrt(4)
    assert change.bonus == pytest.approx(bonus)
    assert heading(page, "Bonus") == f"{bonus:.2f}"
    assert f"The gain includes a bonus of {bonus:.1f} points." in page
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
    assert (
        "There is no bonus for a player who meets one opponent more than 2 times."
        in page
    )


@pytest.mark.usefixtures("office")
def test_lower_k_of_a_dual_rated_section(client):
    master = make_player(ratings={"OTBR": (2300, 100), "OTBQ": (2300, 100)})
    other = make_player(ratings={"OTBR": (2300, 100), "OTBQ": (2300, 100)})
    section = rated([master, other], ["W2W", "L1B"], time_control="G/60;d5")
    k = 800 * (6.5 - 0.0025 * 2300) / (shown_rating(2300) + 1)
    full = 800 / (shown_rating(2300) + 1)
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
    assert "It cannot go below the floor of 1400." in page
    assert "rating stays at 1400" in page
    assert heading(page, "Limits, floor, and ceiling") == "floor"
    assert "below the floor of 1400. So the rating is 1400." in page
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
    assert "It cannot go above the ceiling of 1510." in page
    assert heading(page, "Result") == "1510"
    assert "Manipulated" not in page


@pytest.mark.usefixtures("office")
def test_match_is_limited_and_earns_no_bonus(client):
    ada = make_player(ratings={"OTBR": (1500.0, 60)})
    eve = make_player(ratings={"OTBR": (1880.0, 60)})
    rows = ["W2W W2B W2W W2B", "L1B L1W L1B L1W"]
    page = page_of(client, rated([ada, eve], rows, kind_letter="M"), ada)
    assert "So the rating goes up from 1500 to 1550." in page
    assert heading(page, "Result") == "1550"
    assert heading(page, "Limits, floor, and ceiling") == "match limit"
    assert "The limits stop it at 1550.00." in page
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


@pytest.mark.usefixtures("office")
def test_special_formula_is_worked_out_with_numbers(client):
    new = make_player(given_name="Nora", ratings={"OTBR": (1200.0, 6)})
    old = make_player(ratings={"OTBR": (1300.0, 40)})
    page = page_of(client, rated([new, old], ["W2W", "L1B"]), new)
    # All on the slope: M = (6 × 1200 + opponent + 400 × (2 × 1 − 1)) / 7.
    first = (6 * 1200 + 1300 + 400) / 7
    beaten = 1300 - 800 / (shown_rating(1300) + 1) * expectancy(1300, 1200)
    post = (6 * 1200 + beaten + 400) / 7
    assert heading(page, "Formula used") == "special formula"
    assert (
        "The rating is based on 6 games. For up to 8 games the special formula" in page
    )
    assert heading(page, "First pass") == f"{first:.2f}"
    assert heading(page, "Second pass") == f"{post:.2f}"
    assert "Nora scored 1 in 1 game." in page
    assert '<dd class="tnum">4.00</dd>' in page  # S′ = 1 + 6 / 2
    assert AGREES in page


@pytest.mark.usefixtures("office")
def test_only_wins_lower_the_prior(client):
    new = make_player()
    open_rating(new, "OTBR", 1700.0, 3, record="all_wins")
    old = make_player(ratings={"OTBR": (1500.0, 40)})
    page = page_of(client, rated([new, old], ["L2W", "W1B"]), new)
    assert "All rated games before were wins" in page
    assert "counts as 400 points lower" in page
    assert '<dd class="tnum">1300.00</dd>' in page
    assert AGREES in page


# --- Private data ---


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
READERS = ["anybody", "another member", "the player", "director", "staff"]
NOT_SHOWN = "starting value by age, not shown"
UNROUNDED = "The office calculates with decimals, not with rounded ratings."


def sign_in(client, reader):
    if reader == "another member":
        client.force_login(make_player(account=make_user("stranger")).account)
    if reader == "the player":
        client.force_login(User.objects.get(username="kim"))
    if reader == "director":
        client.force_login(User.objects.get(username="td"))
    if reader == "staff":
        client.force_login(make_staff("clerk"))


YEAR_ONLY = "Only the birth year is on record"


@pytest.mark.parametrize("reader", READERS)
def test_a_start_from_the_middle_of_a_year_says_so(client, settings, kid, olga, reader):
    settings.BIRTH_YEAR_AS_MID_YEAR = True
    Player.objects.filter(pk=kid.pk).update(birth_date=None, birth_year=2010)
    section = rated([kid, olga], ["D2W", "D1B"], td=make_td("td"))
    settings.BIRTH_YEAR_AS_MID_YEAR = False  # how it was rated is told
    sign_in(client, reader)
    is_told = YEAR_ONLY in page_of(client, section, kid)
    assert is_told == (reader in ("the player", "staff"))


def test_a_start_from_a_birth_date_says_nothing_of_a_year(client, kid, olga):
    Player.objects.filter(pk=kid.pk).update(
        birth_date=date(2010, 7, 1), birth_year=2010
    )
    section = rated([kid, olga], ["D2W", "D1B"])
    sign_in(client, "the player")
    assert YEAR_ONLY not in page_of(client, section, kid)


def explain_estimate(page):
    """The text of the steps, without section numbers of the rules."""
    working = page.split('class="working"')[1].split("Rules and check")[0]
    return re.sub(r'<p class="source">.*?</p>', "", working)


def decimals(page):
    """Every number with decimals in the steps, but those of the rules' formulas."""
    constants = {"0.662", "0.00000739", "6.5", "0.0025"}
    return set(re.findall(r"\d+\.\d+", explain_estimate(page))) - constants


@pytest.mark.parametrize("reader", READERS)
def test_start_by_age_is_for_the_player_and_the_office(client, kid, olga, reader):
    section = rated([kid, olga], ["D2W", "D1B"], td=make_td("td"))
    sign_in(client, reader)
    page = page_of(client, section, kid)
    may_see = reader in ("the player", "staff")
    line = RatingChange.objects.get(player=kid)
    assert line.initial_rating == KID_START
    assert (f"{KID_START:.2f}" in page) == may_see
    assert ("<mn>14.0014</mn>" in page) == may_see
    assert heading(page, "Initial rating (R₀)") == (
        f"{KID_START:.2f}" if may_see else NOT_SHOWN
    )
    # In the heading, and with the games of the first estimate.
    assert page.count(NOT_SHOWN) == (0 if may_see else 2)
    is_exact = reader in ("director", "staff")
    assert heading(page, "First estimate") == (
        f"{KID_ESTIMATE:.2f}" if is_exact else f"{KID_ESTIMATE:.0f}"
    )
    # A draw is worth the rating of the opponent.
    assert heading(page, "First pass") == ("950.00" if is_exact else "950")
    assert heading(page, "Second pass") == (
        f"{line.post_rating:.2f}" if is_exact or may_see else f"{line.post_rating:.0f}"
    )
    assert (UNROUNDED in page) == (not is_exact)
    if reader in ("anybody", "another member"):
        # The expected score of a draw; N′ and S′ of the first estimate.
        known = expectancy_at(KID_ESTIMATE, 950)
        assert decimals(page) == {f"{known:.2f}", "0.50", "0.5", "0.0", "1.0"}
        assert KID_START not in (float(one) for one in decimals(page))
    assert not contains_number(page, 2010)
    assert AGREES in page


# --- Every kind of page, as the public sees it ---


def established():
    two = [make_player(ratings={"OTBR": (r, 40)}) for r in (1500.27, 1499.73)]
    return rated(two, DRAWN), two[0], "OTBR"


def by_age():
    kid = make_player(birth_date=KINDS_BORN)
    return rated([kid, known(950.27)], DRAWN), kid, "OTBR"


def blend():
    kid = make_player(birth_date=KINDS_BORN)
    open_rating(kid, "OTBQ", 1234.27, 5)
    return rated([kid, known(950.27)], DRAWN), kid, "OTBR"


def blend_of_a_start():
    """A start from a Quick rating that still equals the start by age."""
    kid = make_player(birth_date=KINDS_BORN)
    rated([kid, known(100.0, 40, "OTBQ")], TWO, time_control="G/15;d5")
    section = rated([kid, known(950.27)], DRAWN, starts=date(2024, 6, 1))
    return section, kid, "OTBR"


def blend_with_bonus():
    ann = make_player(ratings={"OTBR": (1500.27, 40)})
    strong = [known(1700.27, 40, "OTBR", "OTBQ") for _ in range(4)]
    section = rated([ann, *strong], SWEEP, time_control="G/60;d5")
    line = RatingChange.objects.get(player=ann, calculation__system="OTBQ")
    assert (line.formula, line.initial_games) == ("standard", 9)
    assert line.bonus > 1
    return section, ann, "OTBQ"


def all_wins():
    wins = with_opening(1700.27, 3, record="all_wins")
    return rated([wins, known(1500.27)], ["L2W", "W1B"]), wins, "OTBR"


def all_losses():
    losses = with_opening(900.27, 3, record="all_losses")
    return rated([losses, known(1000.27)], TWO), losses, "OTBR"


def flat_zero():
    """A win against 100 changes no rating of 500 or more: the start is the result."""
    kid = make_player(birth_date=KINDS_BORN)
    return rated([kid, known(100.0)], TWO), kid, "OTBR"


def start_before():
    """A player whose rating still equals the start plays one whose rating changed."""
    _, kid, _ = flat_zero()
    section = rated([kid, known(950.27)], DRAWN, starts=date(2024, 6, 1))
    return section, kid, "OTBR"


def start_of_an_opponent():
    _, kid, _ = flat_zero()
    strong = known(950.27)
    return rated([kid, strong], DRAWN, starts=date(2024, 6, 1)), strong, "OTBR"


def few_games_against_a_start():
    _, kid, _ = flat_zero()
    few = known(700.27, 6)
    return rated([few, kid], DRAWN, starts=date(2024, 6, 1)), few, "OTBR"


def range_from_a_start():
    """A win changes no rating from 400 points above the start on."""
    _, kid, _ = flat_zero()
    new = make_player()
    return rated([new, kid], TWO, starts=date(2024, 6, 1)), new, "OTBR"


def dual():
    masters = [known(r, 100, "OTBR", "OTBQ") for r in (2300.27, 2299.73)]
    return rated(masters, TWO, time_control="G/60;d5"), masters[0], "OTBR"


def match():
    two = [known(1500.27, 60), known(1880.27, 60)]
    rated(two, MATCH, starts=date(2024, 4, 1), kind_letter="M")
    return rated(two, MATCH, kind_letter="M"), two[0], "OTBR"


def floor():
    ada = with_opening(1400.27, 40, peak=1600.0)
    return rated([ada, known(1400.27)], ["L2W", "W1B"]), ada, "OTBR"


# 13 years and 240 days on 5 May 2024: 683.03 points, published as about 700.
KINDS_BORN = date(2010, 9, 8)
KINDS_START = 50 * 4988 / 365.25
SWEEP = ["W2W W3B W4W W5B", "L1B H H H", "H L1W H H", "H H L1B H", "H H H L1W"]
NEWCOMER = ["Initial rating (R₀)"]
WORTH, WHICH = "Games the rating is worth (N′)", "Formula used"
PASSES = ["First pass", "Second pass"]
LIMITS = ["Limits, floor, and ceiling", "Result"]
SPECIAL = [WORTH, WHICH, *PASSES, *LIMITS]
STANDARD = [WORTH, WHICH, *PASSES, "Bonus", *LIMITS]
FIRST_TIME = [*NEWCOMER, WORTH, WHICH, "First estimate", *PASSES, *LIMITS]


@pytest.mark.parametrize(
    ("world", "steps"),
    [
        (established, STANDARD),
        (by_age, FIRST_TIME),
        (blend, [*NEWCOMER, *SPECIAL]),
        (blend_of_a_start, [*NEWCOMER, *SPECIAL]),
        (blend_with_bonus, [*NEWCOMER, *STANDARD]),
        (all_wins, SPECIAL),
        (all_losses, SPECIAL),
        (flat_zero, FIRST_TIME),
        (start_before, SPECIAL),
        (start_of_an_opponent, STANDARD),
        (few_games_against_a_start, SPECIAL),
        (range_from_a_start, FIRST_TIME),
        (dual, STANDARD),
        (match, STANDARD),
        (floor, STANDARD),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_every_page_shows_all_steps_with_published_numbers(client, world, steps):
    section, player, system = world()
    page = page_of(client, section, player, system)
    lines = RatingChange.objects.filter(
        calculation__section=section, calculation__system=system
    )
    line = lines.get(player=player)
    titles = re.findall("<h2>([^<]*)</h2>", page.split("Rules and check")[0])
    assert titles == ["Starting point", *steps]
    assert heading(page, "Result") == format_rating(published(line))
    assert heading(page, WORTH) == f"{line.effective_games:.1f}"
    with_decimals = decimals(page)
    if line.k is not None:
        assert f"<mo>=</mo><mn>{line.k:.1f}</mn>" in page
        assert f"{line.expected:.2f}" in with_decimals
        with_decimals.remove(f"{line.k:.1f}")
    # The rest are games and scores, which are smaller than any rating.
    assert max(map(float, with_decimals)) < 100
    assert max(len(one.partition(".")[2]) for one in with_decimals) <= 2
    assert hides_initial_rating(page)
    assert "would have meant" in page
    assert UNROUNDED in page
    assert AGREES in page


def hides_initial_rating(page):
    """Neither the start by age nor the number 400 points above or below is printed."""
    numbers = re.findall(r"\d+(?:\.\d+)?", explain_estimate(page))
    starts = {round(KINDS_START + points) for points in (-400, 0, 400)}
    return not starts & {round(float(one)) for one in numbers if "." not in one}


@pytest.mark.parametrize(
    "world",
    [
        blend_of_a_start,
        flat_zero,
        start_before,
        start_of_an_opponent,
        few_games_against_a_start,
        range_from_a_start,
    ],
)
def test_start_that_a_rating_still_is_is_about(client, world):
    section, player, system = world()
    page = page_of(client, section, player, system)
    assert "about 700" in explain_estimate(page)
    assert "so we show it to the nearest 50." in page
    client.force_login(make_staff())
    exact = page_of(client, section, player, system)
    assert f"{KINDS_START:.2f}" in exact
    assert "about 700" not in explain_estimate(exact).split("<h2>Result</h2>")[0]


def test_share_that_a_start_could_be_read_from_is_not_shown(client):
    """PWe is linear: 800 points times its distance from one half."""
    section, few, _ = few_games_against_a_start()
    page = page_of(client, section, few)
    line = RatingChange.objects.get(player=few, calculation__section=section)
    first = page.split("<h2>First pass</h2>")[1].split("</details>")[0]
    share = expectancy_at(line.intermediate, KINDS_START)
    assert f"{share:.2f}" not in first
    assert '<td class="num">about 700</td>' in first
    assert '<td class="num">not shown</td>' in first
    client.force_login(make_staff())
    exact = page_of(client, section, few)
    first = exact.split("<h2>First pass</h2>")[1].split("</details>")[0]
    assert f'<td class="num">{share:.3f}</td>' in first


def test_end_of_a_range_that_a_start_could_be_read_from_is_about(client):
    section, new, _ = range_from_a_start()
    page = page_of(client, section, new)
    assert "Every rating from about 1100 up fits. We use the one nearest to R₀." in page
    client.force_login(make_staff())
    exact = page_of(client, section, new)
    assert f"Every rating from {KINDS_START + 400:.2f} up fits" in exact


def test_entry_without_a_game_is_about_the_start_too(client):
    _, kid, _ = flat_zero()
    two = [known(1500.0), known(1500.0)]
    section = rated([kid, *two], ["H", "W3W", "L2B"], starts=date(2024, 6, 1))
    page = page_of(client, section, kid)
    assert heading(page, "Starting point") == "about 700"
    assert hides_initial_rating(page)


def test_own_page_says_how_to_see_all_of_a_rating_that_is_about(client):
    section, kid, _ = flat_zero()
    assert "Is this you or your child?" in page_of(client, section, kid)
    section, strong, _ = start_of_an_opponent()
    assert "Is this you or your child?" not in page_of(client, section, strong)


def expectancy_at(rating, opponent):
    """PWe of section 4.1, by hand."""
    return 0.5 + (rating - opponent) / 800


@pytest.mark.parametrize("reader", READERS)
def test_an_opponents_page_does_not_print_the_start(client, kid, olga, reader):
    section = rated([kid, olga], ["D2W", "D1B"], td=make_td("td"))
    sign_in(client, reader)
    page = page_of(client, section, olga)
    is_exact = reader in ("director", "staff")
    k = 800 / (shown_rating(950) + 1)
    share = expectancy(950, KID_ESTIMATE)
    first = 950 + k * (0.5 - share)
    line = RatingChange.objects.get(player=olga, calculation__section=section)
    places = 2 if is_exact else 0
    assert heading(page, "Starting point") == f"{950:.{places}f}"
    assert heading(page, "First pass") == f"{first:.{places}f}"
    assert heading(page, "Second pass") == f"{line.post_rating:.{places}f}"
    assert heading(page, "Result") == f"{line.post_rating:.0f}"
    assert f'<td class="num">{KID_ESTIMATE:.{places}f}</td>' in page
    assert f"<mn>{share:.{3 if is_exact else 2}f}</mn>" in page
    assert f"{KID_START:.2f}" not in page
    assert (UNROUNDED in page) == (not is_exact)
    if not is_exact:
        assert decimals(page) == {
            f"{line.effective_games:.1f}",
            f"{line.k:.1f}",
            "0.5",
            f"{share:.2f}",
            f"{line.expected:.2f}",
        }
    assert AGREES in page


def test_the_player_reads_the_own_rating_and_nothing_else_with_decimals(client):
    ada = make_player(ratings={"OTBR": (1500.25, 40)}, account=make_user("kim"))
    eve = make_player(ratings={"OTBR": (1499.75, 40)})
    section = rated([ada, eve], ["W2W", "L1B"])
    line = RatingChange.objects.get(player=ada, calculation__section=section)
    sign_in(client, "the player")
    page = page_of(client, section, ada)
    assert heading(page, "Starting point") == "1500.25"
    assert heading(page, "First pass") == f"{line.intermediate:.0f}"
    assert heading(page, "Second pass") == f"{line.post_rating:.2f}"
    assert f"The new rating is {line.post_rating:.2f}, published as" in page
    assert '<td class="num">1500</td>' in page  # the opponent's
    assert decimals(page) == {
        "1500.25",
        f"{line.post_rating:.2f}",
        f"{line.effective_games:.1f}",
        f"{line.k:.1f}",
        f"{line.expected:.1f}",  # in the headline
        f"{line.expected:.2f}",
        f"{expectancy(1500.25, 1499.75):.2f}",
    }
    of_opponent = page_of(client, section, eve)
    assert "1500.25" not in of_opponent
    assert heading(of_opponent, "Starting point") == "1500"


def test_guardian_reads_the_childs_rating_and_start(client, kid, olga):
    section = rated([kid, olga], ["D2W", "D1B"])
    line = RatingChange.objects.get(player=kid)
    parent = make_user("parent")
    GuardianAccount.objects.create(player=kid, account=parent)
    client.force_login(parent)
    page = page_of(client, section, kid)
    assert heading(page, "Initial rating (R₀)") == f"{KID_START:.2f}"
    assert f"The new rating is {line.post_rating:.2f}, published as" in page
    assert heading(page, "First estimate") == f"{KID_ESTIMATE:.0f}"


def test_director_of_another_section_reads_published_numbers(client, equals):
    section, ada, _ = equals
    client.force_login(make_td())
    page = page_of(client, section, ada)
    assert heading(page, "Starting point") == "1500"
    assert UNROUNDED in page


def test_newcomers_see_their_own_start_but_not_that_of_another(client, kid, olga):
    lee = make_player(given_name="Lee", birth_date=date(2012, 5, 5))
    eve = make_player(ratings={"OTBR": (950.0, 40)})
    rows = ["D2W D3B", "D1B D4W", "D4W D1W", "D3B D2B"]
    section = rated([kid, lee, olga, eve], rows)
    sign_in(client, "the player")
    page = page_of(client, section, kid)
    lee_start = 50 * 4383 / 365.25  # 12 years, 3 of them leap years
    estimate = (KID_START + lee_start + 950) / 3
    assert f"{KID_START:.2f}" in page
    assert heading(page, "First estimate") == f"{estimate:.0f}"
    first = page.split("<h2>First estimate</h2>")[1].split("</details>")[0]
    # For Lee, neither the start nor the share at that distance from one half.
    assert first.count(NOT_SHOWN) == 1
    assert f"{expectancy_at(estimate, lee_start):.2f}" not in first
    assert f"{expectancy_at(estimate, 950):.2f}" in first
    assert f"{lee_start:.2f}" not in page
    client.force_login(make_staff("clerk"))
    page = page_of(client, section, kid)
    assert heading(page, "First estimate") == f"{estimate:.2f}"
    assert f"{lee_start:.2f}" in page


@pytest.mark.parametrize("reader", READERS)
def test_digest_of_the_inputs_is_for_the_office(client, equals, kid, reader):
    section, ada, _ = equals
    sign_in(client, reader)
    digest = Calculation.objects.get(section=section).inputs_digest
    assert (digest in page_of(client, section, ada)) == (reader == "staff")


@pytest.mark.parametrize("reader", READERS)
def test_blend_shows_its_weights_and_to_the_player_the_ages(client, kid, olga, reader):
    open_rating(kid, "OTBQ", 1234.25, 5)
    section = rated([kid, olga], ["D2W", "D1B"], td=make_td("td"))
    sign_in(client, reader)
    page = page_of(client, section, kid)
    change = RatingChange.objects.get(player=kid, calculation__section=section)
    sees_ages = reader in ("the player", "staff")
    has_decimals = sees_ages or reader == "director"
    # One source: its own rating is the start, with the games of its weight.
    assert change.initial_rating == 1234.0
    blend = page.split("<h2>Initial rating (R₀)</h2>")[1].split("</details>")[0]
    by_age = 50 * 4989 / 365.25  # 13 years and 241 days on 1 January 2024
    weight = float(re.search(r'<td class="num">(\d\.\d+)</td></tr>', blend)[1])
    assert ("1234.25" in blend) == has_decimals
    assert (f"{by_age:.2f}" in blend) == sees_ages
    assert ('<th scope="col" class="num">Z</th>' in blend) == sees_ages
    assert "Jan 1, 2024" in blend
    assert f"It counts as {math.ceil(weight)} games" in blend
    if not sees_ages:
        weights = set(re.findall(r"\d+\.\d+", blend)) - {"1234.25", "1234.00"}
        assert weights == {f"{weight:.1f}"}
        assert "S also depends on the player’s age, so it is not shown." in blend
    worth_shown = heading(page, "Games the rating is worth (N′)")
    assert float(worth_shown) == change.effective_games
    assert AGREES in page


@pytest.mark.parametrize("reader", READERS)
def test_ratings_of_other_federations_are_hidden_with_the_name(
    client, kid, olga, reader
):
    """FIDE’s site leads from a rating to the name, and so do numbers made from it."""
    ExternalRating.objects.create(
        player=kid, body="FIDE", list_date=date(2024, 5, 1), rating=1837
    )
    open_rating(kid, "OTBQ", 1234.25, 5)
    section = rated([kid, olga], ["D2W", "D1B"], td=make_td("td"))
    Player.objects.filter(pk=kid.pk).update(is_private=True)
    start = RatingChange.objects.get(player=kid, calculation__section=section)
    sign_in(client, reader)
    sees_all = reader in ("the player", "director", "staff")
    page, met = page_of(client, section, kid), page_of(client, section, olga)
    shown = page.split("<main")[1], met.split("<main")[1]
    blend = page.split("<h2>Initial rating (R₀)</h2>")[1].split("</details>")[0]
    assert "FIDE" in blend
    assert ("1837" in blend) == ("May 1, 2024" in blend) == sees_all
    assert "1234" in blend  # from our records
    for text in shown:
        assert (f"{start.initial_rating:.0f}" in text) == sees_all
    assert ("This member’s name is hidden." in blend) == (not sees_all)
    assert ("<h2>First pass</h2>" in page) == sees_all
    assert heading(page, "Initial rating (R₀)") == (
        f"{start.initial_rating:.2f}" if sees_all else "not shown"
    )
    first = met.split("<h2>First pass</h2>")[1].split("</details>")[0]
    assert ("not shown" in first) == (not sees_all)
    assert "None" not in first
    assert NOT_SHOWN not in met


def test_page_of_a_signed_in_account_is_never_stored(client, kid, olga):
    section = rated([kid, olga], ["D2W", "D1B"])
    client.force_login(make_user())
    response = client.get(why_url(section, kid))
    assert "no-store" in response.headers["Cache-Control"]
    assert "private" in response.headers["Cache-Control"]


def test_own_page_says_you(client, kid, olga):
    section = rated([kid, olga], ["D2W", "D1B"])
    assert "Kim was unrated, scored ½ in 1 game" in page_of(client, section, kid)
    sign_in(client, "the player")
    assert "You were unrated, scored ½ in 1 game" in page_of(client, section, kid)


# --- The URL, the markup, the queries ---


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
    assert is_not_found(response)


def test_a_member_who_did_not_play_there_is_not_found(client, equals):
    section, _, _ = equals
    assert is_not_found(client.get(why_url(section, make_player())))


def test_an_entry_without_a_game_changes_nothing(client):
    four = [make_player(ratings={"OTBR": (1500.0, 40)}) for _ in range(3)]
    section = rated(four, ["W2W", "L1B", "H"])
    page = page_of(client, section, four[2])
    assert "had no rated games here, so the rating did not change." in page
    assert AGREES not in page
    assert "does not match our records" not in page


@pytest.mark.parametrize("reader", ["anybody", "staff"])
@pytest.mark.parametrize("opponents", [2, 8])
def test_page_of_a_blend_takes_the_same_queries_for_any_size(
    client, django_assert_num_queries, opponents, reader
):
    players = [make_player(birth_date=date(2010, 5, 5)) for _ in range(opponents + 1)]
    for number, player in enumerate(players):
        open_rating(player, "OTBQ", 900.0 + number, 5)
    rows = [" ".join(f"D{n + 2}" for n in range(opponents))]
    rows += [
        " ".join("D1" if m == n else "H" for m in range(opponents))
        for n in range(opponents)
    ]
    section = rated(players, rows)
    sign_in(client, reader)
    # One query more than for an established player: whether the sources are starts. A
    # signed-in user takes six more.
    with django_assert_num_queries(5 if reader == "anybody" else 11):
        page = page_of(client, section, players[0])
    assert AGREES in page


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
