"""The match calculator: possible rating changes before a match."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from ratings.decisions.matches.queries import (
    allowance,
    earlier_matches,
    remaining_limit_text,
)
from ratings.decisions.matches.services import forecast_match
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import published, published_before
from ratings.ledger.services.ledger_lines import rules_for_day
from ratings.models import Floor, PlayerRating
from ratings_site.common.ui.formatting import format_rating
from tests.factories import make_player, make_staff
from tests.ratings.decisions.matches.factories import (
    DAY,
    FIRST,
    established,
    rated_match,
)

pytestmark = pytest.mark.django_db


def outlook(one, other, *, games=4, day=FIRST, system=System.OTBR):
    return forecast_match(one, other, system=system, day=day, games=games)


def test_first_match_may_win_or_lose_50():
    found = outlook(established(1600.0), established(1500.0))
    for side in found.sides:
        assert (side.allowance.max_gain, side.allowance.max_loss) == (50.0, 50.0)
        assert side.is_established
    assert found.eligibility.faults == ()


def test_equal_players_expect_half_of_the_points():
    found = outlook(established(1500.0), established(1500.0), games=5)
    assert found.expected == 2.5
    first, second = found.results[5]
    assert (first.result.score, first.change, second.change) == (5, 0, 0)
    scores = [first.result.score for first, _ in found.results]
    assert scores == list(range(10, -1, -1))
    changes = [first.change for first, _ in found.results]
    assert changes == sorted(changes, reverse=True)
    assert all(
        first.result.score + second.result.score == 10
        for first, second in found.results
    )


def test_table_agrees_with_what_the_match_then_does():
    one, other = established(1612.0), established(1533.0)
    found = outlook(one, other, games=3)
    first, second = next(pair for pair in found.results if pair[0].result.score == 5)
    rated_match(one, other, "WWD")
    after = {row.player_id: row.rating for row in PlayerRating.objects.all()}
    assert after == {one.pk: first.result.post, other.pk: second.result.post}


def told(found):
    """All that the page has from the results, without the players' keys."""
    return [[side.result._replace(id=0) for side in pair] for pair in found.results]


def test_decimals_of_a_rating_change_nothing_that_anyone_is_told():
    """Twenty answers from exact ratings would reveal them to a hundredth."""
    other = established(1533.0)
    one, same = (
        outlook(established(rating), other, day=FIRST + DAY)
        for rating in (1650.51, 1651.49)
    )
    assert (one.sides[0].rating, one.expected) == (1651.0, same.expected)
    assert told(one) == told(same)


def test_earlier_matches_count_by_published_numbers():
    one, other = established(1611.6), established(1533.0)
    rated_match(one, other, "WWD")
    line = one.rating_changes.get(calculation__section__isnull=False)
    assert (published_before(line), line.pre_rating) == (1612.0, 1611.6)
    side = outlook(one, other, day=FIRST + DAY).sides[0]
    [match] = side.allowance.windows[0].matches
    assert match.change == published(line) - 1612
    [exact] = earlier_matches([one.pk], System.OTBR, day=FIRST + DAY)
    assert exact.change == line.post_rating - line.pre_rating


def test_newcomer_who_is_published_as_about_is_computed_from_that(client):
    new, other = established(512.4, games=4), established(1533.0)
    PlayerRating.objects.filter(player=new).update(age_start=512.4)
    found = outlook(new, other)
    before = {first.result.initial for first, _ in found.results}
    assert [format_rating(rating) for rating in before] == ["about 500"]
    assert {first.change for first, _ in found.results} == {None}
    page = ask(client, new, other, day="2099-05-04").content.decode()
    assert "about 500" in page
    assert "512" not in page


def test_long_match_shows_the_thirteen_likeliest_results():
    found = outlook(established(1500.0), established(1500.0), games=20)
    assert [first.result.score for first, _ in found.results] == list(range(26, 13, -1))


def test_earlier_matches_use_up_the_limit():
    """+50 a day before, and −50 three months ago: 50 + 50 in three years."""
    one = established(1500.0, games=26)
    rated_match(one, established(1105.0, games=26), "LLLL", FIRST)
    first = earlier_matches([one.pk], System.OTBR, day=FIRST)[0].change
    assert first == -50.0
    day = FIRST + 200 * DAY
    rated_match(one, established(1845.0, games=26), "WWWW", day)
    rated_match(one, established(1895.0, games=26), "WWWW", day + DAY)
    side = outlook(one, established(1600.0), day=day + 2 * DAY).sides[0]
    short, long = side.allowance.windows
    assert [match.day for match in short.matches] == [day, day + DAY]
    assert [match.day for match in long.matches] == [FIRST, day, day + DAY]
    assert (short.net, long.net) == (100.0, 50.0)
    assert (short.gain_formula, short.loss_formula) == (
        "100 − 100 = 0",
        "100 + 100 = 200",
    )
    assert (long.gain_formula, long.loss_formula) == (
        "200 − 50 = 150",
        "200 + 50 = 250",
    )
    assert (side.allowance.max_gain, side.allowance.max_loss) == (0.0, 50.0)


def test_match_counts_for_180_days_and_no_longer():
    one = established(1500.0, games=26)
    rated_match(one, established(1895.0, games=26), "WWWW", FIRST)
    rules = rules_for_day(FIRST)
    nets = []
    for days in (179, 180):
        day = FIRST + days * DAY
        earlier = earlier_matches([one.pk], System.OTBR, day=day)
        nets.append(allowance(earlier, day, rules).windows[0].net)
    assert nets == [50.0, 0.0]


def test_net_beyond_a_limit_leaves_nothing_in_that_direction():
    assert remaining_limit_text(100.0, -104) == "100 − 104 = −4 → 0"


def test_floor_that_holds_a_loser_is_said_beforehand():
    one = established(1420.0, given_name="Flo")
    Floor.objects.create(
        player=one,
        system="OTBR",
        kind="office",
        level=1400,
        starts=FIRST - DAY,
        reason="A ruling.",
        granted_by=make_staff(),
    )
    found = outlook(one, established(1120.0))
    lost = found.results[-1][0].result
    assert (lost.post, lost.floor, lost.floor_request) == (1400.0, 1400, True)
    assert found.sides[0].floor.level == 1400
    # The other player has only a personal absolute floor, of 100 to 150.
    assert [side.can_lower_floor for side in found.sides] == [True, False]


def test_unrated_player_has_no_expected_result():
    found = outlook(established(1500.0), make_player(given_name="New"))
    assert (found.expected, found.results) == (None, ())
    assert found.eligibility.faults == (
        "New Adams has no established published rating.",
    )


# --- The page ---


def ask(client, first, second, /, **changes):
    today = timezone.localdate()
    said = {
        "one": first.member_id,
        "other": second.member_id,
        "system": "OTBR",
        "day": today.isoformat(),
        "games": "4",
    }
    return client.get(reverse("ratings:matches"), said | changes)


def test_page_tells_two_members_what_they_may_win_or_lose(client):
    today = timezone.localdate()
    one = established(1500.0, games=26, given_name="Wanda", family_name="Winner")
    other = established(1520.0, given_name="Olga", family_name="Other")
    section = rated_match(
        one, established(1895.0, games=26), "WWWW", today - timedelta(days=10)
    )
    page = ask(client, one, other).content.decode()
    assert "These two can play a rated match" in page
    assert "Based on current ratings, because there was no official rating list" in page
    assert "100 − 50 = 50" in page
    assert section.get_absolute_url() in page
    assert page.count("4 : 0") == page.count("0 : 4") == 1
    assert "Olga Other" in page
    assert "Enter two member IDs." not in page


def test_page_without_a_question_is_a_form(client):
    response = client.get(reverse("ratings:matches"))
    page = response.content.decode()
    assert response.status_code == 200
    assert 'name="one"' in page
    assert "Possible gain and loss" not in page
    assert "Enter two member IDs." in page


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"other": "39999999"}, "No member has this ID."),
        ({"one": "12"}, "Enter an 8-digit member ID"),
        ({"games": "21"}, "less than or equal to 20"),
        ({"games": "0"}, "greater than or equal to 1"),
        ({"day": "2001-01-01"}, "Choose today or a later date."),
        ({"system": "X"}, "Select a valid choice"),
    ],
)
def test_page_says_what_is_wrong_with_the_question(client, changes, said):
    response = ask(client, established(1500.0), established(1520.0), **changes)
    assert response.status_code == 422
    page = response.content.decode()
    assert said in page
    assert "Possible gain and loss" not in page


def test_member_does_not_play_against_himself(client):
    one = established(1500.0)
    duplicate = make_player(status="duplicate", merged_into=one)
    assert "Enter two different member IDs." in ask(client, one, one).content.decode()
    page = ask(client, one, duplicate).content.decode()
    assert "Both IDs belong to the same member." in page


@pytest.mark.parametrize("matches", [1, 4])
def test_page_takes_the_same_queries_for_any_history(
    client, matches, django_assert_num_queries
):
    today = timezone.localdate()
    one, other = established(1500.0), established(1520.0)
    for number in range(matches):
        rated_match(one, other, "DD", today - timedelta(days=20 + number))
    # The members, seven for their states, two for who may play; for each of the two
    # the numbers twice, the matches, and four for the floors.
    with django_assert_num_queries(24):
        page = ask(client, one, other).content.decode()
    assert page.count("Match of") == 2 * matches
