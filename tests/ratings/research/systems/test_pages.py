"""The laboratory's public pages: systems, calculators, scales, sections and careers."""

import re
from datetime import date, timedelta
from decimal import Decimal
from html import unescape
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from ratings.engine.numbers import official
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import EDITIONS, rules_in_force
from ratings.engine.systems import System as Book
from ratings.laboratory.protocol import Direction, Shape, Standing, Status
from ratings.laboratory.registry import SYSTEMS
from ratings.models import RatingChange
from ratings.pages.crosstable.queries.crosstable import crosstable_of
from ratings.research.systems.queries.calculations import (
    Agreement,
    opponent_inputs,
    player_inputs,
    worked_example,
)
from ratings.research.systems.queries.career import (
    Meeting,
    PlayedSection,
    can_rate_career,
    played_sections,
    rate_career,
)
from ratings.research.systems.queries.catalog import (
    all_families,
    deviation_after,
    runnable_systems,
    standing_of,
    template_of,
)
from ratings.research.systems.queries.chronology import CHRONOLOGY
from ratings.research.systems.queries.section import compare, section_of
from ratings_site.common.ui.formatting import ApproximateRating
from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_td,
    rated_event,
    rated_section,
    section_report,
)
from tests.ratings.lists.helpers import newcomer_who_lost
from tests.response_text import contains_number, is_not_found

pytestmark = pytest.mark.django_db

TODAY = date(2026, 11, 22).toordinal()
GLICKMAN = {  # the worked example of Glickman's papers
    "rating": "1500",
    "deviation": "200",
    "o": ["1400", "1550", "1700"],
    "d": ["30", "100", "300"],
    "r": ["W", "L", "L"],
}


def text_of(client, address: str, status: int = 200) -> str:
    """Return the words of a page, without its tags."""
    response = client.get(address)
    assert response.status_code == status, address
    words = re.sub(
        r"<(script|style|svg).*?</\1>", "", response.content.decode(), flags=re.S
    )
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", words)).split())


def calculator(key: str, **said) -> str:
    return f"/laboratory/systems/{key}/?{urlencode(said, doseq=True)}"


def playing(days: int, **section):
    td = make_td()
    starts = date(2024, 5, 4) + timedelta(days=days)
    report = event_report(
        td,
        [section_report(**section)],
        starts=starts,
        ends=starts,
        name=f"Open {days}",
    )
    return rated_event(td, report).sections.get()


# --- The catalog ---


def test_catalog_holds_every_system_once(client):
    listed = [entry.about.key for family in all_families() for entry in family.entries]
    assert sorted(listed) == sorted(SYSTEMS)
    assert "Others" not in [family.name for family in all_families()]
    html = client.get("/laboratory/").content.decode()
    for key in SYSTEMS:
        assert f'href="/laboratory/systems/{key}/"' in html


def test_catalog_says_status_direction_shape_and_years(client):
    html = client.get("/laboratory/").content.decode()
    [row] = re.findall(r"<tr>(?:(?!</tr>).)*Ingo, quarter rule.*?</tr>", html, re.S)
    words = " ".join(re.sub(r"<[^>]*>", " ", row).split())
    assert "after 1948, West Germany after each event lower historical" in words
    assert 'class="chip note"' in row


def test_catalog_leads_to_the_other_pages(client):
    html = client.get("/laboratory/").content.decode()
    for name in ("how_ratings_work", "chronology", "scales", "experiments"):
        assert f'href="{reverse(f"ratings:{name}")}"' in html


def test_home_footer_and_map_lead_to_the_laboratory(client):
    home = client.get("/").content.decode()
    # Of the menu, the page and the footer.
    assert home.count('href="/laboratory/how-ratings-work/"') == 3
    addresses = client.get("/sitemap-laboratory.xml").content.decode()
    assert addresses.count("<loc>") == len(SYSTEMS)


# --- A system ---


@pytest.mark.parametrize("key", SYSTEMS)
def test_every_system_has_a_page_with_article_and_sources(client, key):
    about = SYSTEMS[key].about
    assert template_of(key) is not None
    words = text_of(client, f"/laboratory/systems/{key}/")
    assert about.label in words
    assert "History" in words
    assert ("Calculator" in words) == (about.status is not Status.UNDEFINED)
    is_stand_in = about.status is Status.RECONSTRUCTION
    assert ("This is a reconstruction," in words) == is_stand_in
    in_part = about.status is Status.RECONSTRUCTION_IN_PART
    assert ("This is a partial reconstruction" in words) == in_part
    for source in about.sources:
        assert source.title in words


@pytest.mark.parametrize(
    "key", [key for key, system in SYSTEMS.items() if system.example is not None]
)
def test_worked_example_comes_out_as_it_is_printed(client, key):
    found = worked_example(SYSTEMS[key], day=TODAY)
    assert found is not None
    assert found.agreement != Agreement.NONE
    words = text_of(client, f"/laboratory/systems/{key}/")
    assert f"Source: {found.printed} . Calculated here:" in words


def test_unknown_system_is_not_found(client):
    words = text_of(client, "/laboratory/systems/horse/", 404)
    assert "Page not found" in words


# --- The calculator ---


def test_calculator_gives_the_answer_of_the_paper(client):
    words = text_of(client, calculator("glicko", **GLICKMAN))
    answer = words.partition("The new rating")[2]
    assert "After 1464 (1464.11, deviation 151.4)" in answer
    # Expected scores of the paper: 0.639, 0.432 and 0.303, flattened by the opponents'
    # deviations alone; a prediction counts the player's own too, and is nearer a half.
    assert "1 1400 ± 30 won 0.62" in answer


def test_calculator_takes_parameters_of_the_system(client):
    plain = text_of(client, calculator("elo.table", rating=1613, o=[1609], r=["W"]))
    doubled = calculator(
        "elo.table", **{"rating": 1613, "o": [1609], "r": ["W"], "p-k": 64}
    )
    # Four points more are worth 0.51 by the table.
    assert "After 1629 (1628.68)" in plain  # 1613 + 32 × 0.49
    assert "After 1644 (1644.36)" in text_of(client, doubled)


@pytest.mark.parametrize(
    ("key", "asked"),
    [
        ("glicko", {"deviation"}),
        ("glicko2", {"deviation", "volatility"}),
        ("elo.table", set()),
        ("dwz", {"birth_year", "evaluations"}),
        ("fide.standard", {"birth_year", "day", "games"}),
        ("ics.pbem", {"games"}),
    ],
)
def test_calculator_asks_for_what_makes_a_difference(client, key, asked):
    assert player_inputs(key) == asked
    html = client.get(f"/laboratory/systems/{key}/").content.decode()
    for name in ("games", "deviation", "volatility", "evaluations", "birth_year"):
        assert (f'name="{name}"' in html) == (name in asked)


def test_opponents_are_asked_for_their_deviation_and_games():
    assert opponent_inputs("glicko") == {"deviation"}
    assert opponent_inputs("ics.pbem") == {"games"}
    assert opponent_inputs("elo.table") == set()


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"rating": "abc"}, "Rating before: Enter a number such as 1654 or 0.06."),
        ({"rating": "1e9"}, "Rating before: Enter a number such as 1654 or 0.06."),
        ({"rating": "٣٣٣٣"}, "Rating before: Enter a number such as 1654 or 0.06."),
        ({"rating": "9999"}, "Rating before: Ensure this value is less than or equal"),
        ({"rating": "1500"}, "Enter at least one opponent, with the result."),
        ({"o": ["1500"], "r": [""]}, "Opponent 1: Choose won, drawn, or lost."),
        ({"o": ["horse"], "r": ["W"]}, "Opponent 1: Enter a number such as 1654"),
        ({"o": ["9000"], "r": ["W"]}, "Opponent 1: 9000 is not between -500 and 5000."),
        ({"o": [""], "d": ["30"], "r": ["W"]}, "Opponent 1: Enter a rating, or “unr”"),
        ({"o": ["1500"], "d": ["0"], "r": ["W"]}, "Opponent 1: 0 is not between 1"),
        (
            {"o": ["1500"] * 31, "r": ["W"] * 31},
            "You entered 31 opponents. The limit is 30",
        ),
        ({"o": ["1500"], "g": ["2.5"], "r": ["W"]}, "Opponent 1: Enter a whole number"),
        ({"p-c": "-5", "o": ["1500"], "r": ["W"]}, "Ensure this value is greater than"),
    ],
)
def test_calculator_says_what_is_wrong(client, said, sentence):
    words = text_of(client, calculator("glicko", **said), 422)
    assert sentence in words
    assert "The new rating" not in words


@pytest.mark.parametrize("key", [one.about.key for one in runnable_systems()])
def test_calculator_answers_whatever_is_typed(client, key):
    everything = {
        "games": "0",
        "deviation": "1000",
        "volatility": "1",
        "evaluations": "99999",
        "birth_year": "2100",
    }
    opponents = {"o": ["unr", "-500", "5000"], "r": ["W", "D", "L"]}
    for rating in ("", "-500", "0", "5000"):
        said = everything | opponents | {"rating": rating}
        response = client.get(calculator(key, **said))
        assert response.status_code in (200, 422)
        answer = response.content.decode().partition("answer")[2]
        assert not re.search(r"\bnan\b", answer)


class TestFideOnlineArena:
    """What its calculator asks for besides ratings and results; by hand."""

    def test_a_new_member_starts_from_a_fide_list(self, client):
        said = {"fide_standard": "2000", "fide_rapid": "1900", "fide_blitz": "1800"}
        game = {"o": ["1900"], "r": ["W"]}
        # Rapid first, so 1900 meets 1900: 20 × (1 − .50) = 10.
        words = text_of(client, calculator("foa.rapid", **said, **game))
        assert contains_number(words, "1910")
        # Blitz first: 1800 against 1900 expects .36, so 20 × .64 = 12.80.
        words = text_of(client, calculator("foa.blitz", **said, **game))
        assert contains_number(words, "1812.8")

    def test_a_monthly_change_comes_before_the_games(self, client):
        said = {"rating": "1500", "list_change": "12.4", "o": ["1500"], "r": ["W"]}
        words = text_of(client, calculator("foa.rapid", **said))
        assert contains_number(words, "1522")

    def test_a_lost_rating_depends_on_the_floor_entered(self, client):
        said = {"rating": "110", "list_change": "-15", "o": ["110"], "r": ["W"]}
        # 95 is below the usual floor of 100, but not below 50: 95 + 20 × .52.
        words = text_of(client, calculator("foa.rapid", **{"p-floor": "50"}, **said))
        assert contains_number(words, "105.4")
        words = text_of(client, calculator("foa.rapid", **said))
        assert not contains_number(words, "105.4")

    def test_who_was_disconnected_has_lost(self, client):
        said = {"rating": "1500", "o": ["1500", "1500"], "r": ["X", "Y"]}
        words = text_of(client, calculator("foa.rapid", **said))
        # 1500 − 10 = 1490; then .49 is expected of 1490: 1490 + 20 × .51 = 1500.20.
        assert contains_number(words, "1500.2")

    def test_only_listed_time_controls_are_rated(self, client):
        said = {"rating": "1500", "o": ["1500"], "r": ["W"]}
        for key, control, status in (
            ("foa.rapid", "15+10", 200),
            ("foa.rapid", "5+3", 422),
            ("foa.blitz", "5+3", 200),
            ("foa.blitz", "other", 422),
            ("foa.bullet", "1+1", 200),
        ):
            words = text_of(client, calculator(key, control=control, **said), status)
            assert ("aren’t rated here" in words) == (status == 422)

    def test_other_systems_do_not_ask(self, client):
        html = client.get("/laboratory/systems/fide.rapid/").content.decode()
        assert "list_change" not in html
        assert "disconnected" not in html


def test_day_without_rules_is_answered_by_a_sentence(client):
    said = {"rating": 1500, "games": 30, "o": [1500], "r": ["W"], "day": "1999-01-01"}
    words = text_of(client, calculator("uschess.2020", **said), 422)
    assert "This system can’t calculate this:" in words
    assert "January 1, 1999" in words


# --- Texts ---


def test_interval_of_the_deviation_is_the_right_one(client):
    words = text_of(client, "/laboratory/how-ratings-work/")
    assert "95 times in 100, it is within 1.96 RD" in words
    # Glickman's own example: 1500 with RD 30 is 1441 to 1559.
    assert "1500 − 1.96 × 30 = 1441 1500 + 1.96 × 30 = 1559" in words


def test_expectations_stand_as_in_the_two_curves(client):
    words = text_of(client, "/laboratory/how-ratings-work/")
    assert "200 0.76 0.76 300 0.85 0.85 400 0.92 0.91" in words


def test_chronology_runs_from_1933_and_leads_to_systems(client):
    years = [int(one.when[:4]) for one in CHRONOLOGY]
    assert years == sorted(years)
    assert (years[0], years[-1]) == (1933, 2025)
    assert {key for one in CHRONOLOGY for key in one.keys} <= set(SYSTEMS)
    html = client.get("/laboratory/chronology/").content.decode()
    assert 'href="/laboratory/systems/harkness/"' in html


# --- Scales ---


def test_classes_stand_side_by_side(client):
    html = client.get("/laboratory/scales/").content.decode()
    body = re.search(r'<table class="table scales">.*?</table>', html, re.S)[0]
    rows = re.findall(r"<tr>(.*?)</tr>", body.partition("<tbody>")[2], re.S)
    heights = [0] * 6
    for row in rows:
        cells = iter(re.findall(r'rowspan="(\d+)"', row))
        heights = [one - 1 if one else int(next(cells)) - 1 for one in heights]
        assert next(cells, None) is None
    assert heights == [0] * 6


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("figure=2000&scale=elo", "Ingo number 105.00"),  # herderschach.de
        ("figure=105&scale=ingo", "FIDE or Elo rating 2000.00"),
        ("figure=100&scale=grade", "FIDE or Elo rating 1450.00"),  # spec text
        ("figure=2199&scale=us", "US Chess Expert"),
        ("figure=1999&scale=cfc", "US Chess rating 1962.59"),
        ("average=2457", "Category 9"),  # Hastings 1974/75
        ("average=2250", "No category: the average is too low."),
        ("average=2051&women=on", "Category 1"),
    ],
)
def test_scales_convert_published_numbers(client, query, expected):
    assert expected in text_of(client, f"/laboratory/scales/?{query}")


@pytest.mark.parametrize(
    "query",
    ["figure=horse&scale=elo", "figure=2000&scale=horse", "average=", "average=x"],
)
def test_scales_say_what_is_wrong(client, query):
    words = text_of(client, f"/laboratory/scales/?{query}", 422)
    assert "There is 1 problem to fix." in words


# --- Assumptions about our ratings ---


def test_deviation_falls_with_games_from_350_to_50():
    values = [deviation_after(games) for games in range(200)]
    assert values[0] == 350
    assert values == sorted(values, reverse=True)
    assert values[-1] == 50


def test_rating_of_ours_is_taken_to_the_systems_scale():
    ingo = standing_of(SYSTEMS["ingo.quarter"], 2000, 40)
    assert (ingo.rating, ingo.games, ingo.evaluations) == (105, 40, 8)
    assert standing_of(SYSTEMS["glicko"], 2000, 3).evaluations == 1


# --- A section ---


def test_section_stands_under_every_running_system(client):
    section = rated_section(players=4, rounds=2)
    html = client.get(section.get_absolute_url()).content.decode()
    address = f"{section.get_absolute_url()}laboratory/"
    assert f'href="{address}"' in html
    page = client.get(address).content.decode()
    head = page.partition("<thead>")[2].partition("</thead>")[0]
    for system in runnable_systems():
        assert f'href="?system={system.about.key}"' in head
    assert page.count("<tr><th scope=row") == 4
    assert "can’t rate this section" not in page


def test_section_under_elo_moves_by_the_published_formula():
    section = rated_section(players=2, rounds=1)  # 1500 and 1510 drew
    table = crosstable_of(section.event.event_id, 1)
    comparison = compare(section_of(table), [SYSTEMS["elo.logistic"]])
    [column] = comparison.columns
    after = {
        person.before: cell.worked.after.rating
        for person, cell in zip(comparison.section.people, column.cells, strict=True)
    }
    share = 1 / (1 + 10 ** (10 / 400))
    assert after[1500] == pytest.approx(1500 + 32 * (0.5 - share))
    assert after[1510] == pytest.approx(1510 - 32 * (0.5 - share))


def test_our_own_rules_reproduce_our_own_ledger():
    section = rated_section(players=6, rounds=3)
    table = crosstable_of(section.event.event_id, 1)
    comparison = compare(section_of(table), [SYSTEMS["uschess.2025_07"]])
    [column] = comparison.columns
    people = comparison.section.people
    shown = [official(cell.worked.after.rating) for cell in column.cells]
    assert shown == [person.after for person in people]
    assert all(person.change for person in people)


def test_players_of_equal_results_without_colors_are_rated_alike():
    players = [make_player(ratings={"OTBR": (1500.0, 60)}) for _ in range(4)]
    rows = ["D2 D3 D4", "D1 D4 D3", "D4 D1 D2", "D3 D2 D1"]
    section = playing(0, players=players, rows=rows)
    rated = section_of(crosstable_of(section.event.event_id, 1))
    systems = [SYSTEMS["glicko2.lichess"], SYSTEMS["glicko_boost"]]
    for column in compare(rated, systems).columns:
        ratings = [cell.worked.after.rating for cell in column.cells]
        assert max(ratings) - min(ratings) < 1e-6


def test_changes_have_the_decimals_of_their_ratings(client):
    section = rated_section(players=6, rounds=3)
    rated = section_of(crosstable_of(section.event.event_id, 1))
    [column] = compare(rated, [SYSTEMS["openskill"]]).columns
    for cell in column.cells:
        before, after = Decimal(cell.before), Decimal(cell.after)
        assert Decimal(cell.change.replace("−", "-") or 0) == after - before
    page = client.get(section.get_absolute_url() + "laboratory/?system=openskill")
    changes = [cell.change for cell in column.cells if cell.change]
    assert changes
    assert all(change in page.content.decode() for change in changes)


def test_gain_in_a_system_where_lower_is_better_is_a_gain(client):
    ada = make_player(given_name="Ada", ratings={"OTBR": (1500.0, 40)})
    bo = make_player(given_name="Bo", ratings={"OTBR": (1500.0, 40)})
    section = playing(0, players=[ada, bo], rows=["W2W W2B", "L1B L1W"])
    address = f"{section.get_absolute_url()}laboratory/?system=ingo.basic"
    html = client.get(address).content.decode()
    assert SYSTEMS["ingo.basic"].about.direction is Direction.LOWER_IS_BETTER
    # 1500 is Ingo 167.5; two wins are 50 better than the opponent's.
    assert re.search(r'data-label="After"><strong>118</strong>', html)
    assert '<span class="gain">−50</span>' in html
    assert '<span class="loss-of-points">+50</span>' in html


def test_newcomers_are_newcomers_everywhere():
    ada = make_player(given_name="Ada", ratings={"OTBR": (1500.0, 40)})
    kim = make_player(given_name="Kim", birth_date=date(2012, 3, 4))
    section = playing(0, players=[ada, kim], rows=["W2W", "L1B"])
    table = crosstable_of(section.event.event_id, 1)
    comparison = compare(section_of(table), runnable_systems())
    befores = {
        one.system.about.key: [cell.worked.before for cell in one.cells]
        for one in comparison.columns
    }
    assert all(None in standings for standings in befores.values())
    assert comparison.failed == []


def test_our_numbers_are_published_ones(client):
    ada, bo = (make_player(birth_date=date(2014, 9, 1)) for _ in range(2))
    section = playing(0, players=[ada, bo], rows=["D2W", "D1B"])
    [start] = {line.initial_rating for line in RatingChange.objects.all()}
    assert official(start) == 484
    address = f"{section.get_absolute_url()}laboratory/"
    page = client.get(address).content.decode()
    assert page.count("<td>unrated<td>about 500<td>") == 2
    assert not contains_number(page, 484)
    one = client.get(f"{address}?system=elo.logistic").content.decode()
    assert one.count("unrated → about 500") == 2


def test_birth_dates_are_nowhere(client):
    kim = make_player(given_name="Kim", birth_date=date(1931, 3, 4))
    ada = make_player(given_name="Ada", ratings={"OTBR": (1500.0, 40)})
    section = playing(0, players=[ada, kim], rows=["W2W W2B", "L1B L1W"])
    for address in (
        f"{section.get_absolute_url()}laboratory/",
        f"{section.get_absolute_url()}laboratory/?system=dwz",
        f"/players/{kim.member_id}/laboratory/?system=dwz&system=fide.standard",
    ):
        html = client.get(address).content.decode()
        assert not contains_number(html, 1931)
        assert "Birth dates aren’t used" in html


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (
            "?system=horse",
            "There is no rating system “horse”. Choose one from the list.",
        ),
        ("?system=short", "The formula of Short isn’t published"),
        ("?system=" + "9" * 500, "There is no rating system “9999"),
    ],
)
def test_unknown_systems_get_a_sentence(client, query, sentence):
    section = rated_section(players=2, rounds=1)
    assert sentence in text_of(
        client, f"{section.get_absolute_url()}laboratory/{query}"
    )
    player = section.entries.first().player
    address = f"/players/{player.member_id}/laboratory/{query}"
    assert sentence in text_of(client, address)


def test_section_that_waits_says_so(client):
    td = make_td()
    players = [make_player(ratings={"OTBR": (1500.0, 40)}) for _ in range(2)]
    event = accepted_event(
        td, event_report(td, [section_report(players, ["W2", "L1"])])
    )
    words = text_of(client, f"/events/{event.event_id}/1/laboratory/")
    assert "will appear here when the section is rated" in words


@pytest.mark.parametrize("address", ["202405059994/1/", "horse/1/", "{event}/2/"])
def test_no_section_is_not_found(client, address):
    event = rated_section(players=2, rounds=1).event
    path = f"/events/{address.format(event=event.event_id)}laboratory/"
    assert is_not_found(client.get(path))


@pytest.mark.parametrize("players", [2, 20])
@pytest.mark.parametrize("query", ["", "?system=glicko"])
def test_section_takes_the_queries_of_the_crosstable(
    client, django_assert_num_queries, players, query
):
    section = rated_section(players=players)
    with django_assert_num_queries(4):
        client.get(f"{section.get_absolute_url()}laboratory/{query}")


# --- A career ---


def two_rating_histories(times: int):
    """Two players who drew and won by turns in some events, 30 days apart."""
    ada = make_player("31000001", "Ada", "Lind", ratings={"OTBR": (1500.0, 40)})
    bo = make_player("31000002", "Bo", "Quist", ratings={"OTBR": (1700.0, 40)})
    for number in range(times):
        rows = ["W2W D2B", "L1B D1W"]
        playing(30 * number, players=[ada, bo], rows=rows)
    return ada, bo


def test_rating_is_carried_from_event_to_event(client):
    ada, _ = two_rating_histories(3)
    played = played_sections([ada.pk], Book.OTBR)
    assert [one.half_points for one in played] == [3, 3, 3]
    assert played[0].before == 1500
    path = rate_career(SYSTEMS["elo.logistic"], played)
    rating = 1500.0
    for one, standing in zip(played, path.standings, strict=True):
        for meeting in one.meetings:
            assert meeting.rating is not None
        share = 1 / (1 + 10 ** ((one.meetings[0].rating - rating) / 400))
        rating += 32 * (1.5 - 2 * share)
        assert standing.rating == pytest.approx(rating)


def test_opponents_are_taken_as_they_stood_before_the_event():
    ada, bo = two_rating_histories(3)
    mine = played_sections([ada.pk], Book.OTBR)
    theirs = played_sections([bo.pk], Book.OTBR)
    assert [one.meetings[0].rating for one in mine] == [one.before for one in theirs]
    assert mine[1].meetings[0].rating < mine[0].meetings[0].rating == 1700


def test_history_uses_and_shows_published_numbers(client):
    child = newcomer_who_lost("31000003")
    ann = make_player("31000004", ratings={"OTBR": (1500.4, 40)})
    playing(30, players=[child, ann], rows=["D2W", "D1B"])
    first, second = played_sections([child.pk], Book.OTBR)
    assert (first.before, first.after) == (None, ApproximateRating(500))
    assert isinstance(first.after, ApproximateRating)
    assert (second.before, second.games_before) == (ApproximateRating(500), 4)
    [theirs] = played_sections([ann.pk], Book.OTBR)
    assert theirs.meetings == [Meeting(child.pk, ApproximateRating(500), 4, "B", 0.5)]
    assert theirs.before == 1500
    address = "/players/31000003/laboratory/?system=glicko"
    words = text_of(client, address)
    assert "about 500" in words
    assert "so we show it to the nearest 50." in words
    assert not contains_number(client.get(address).content.decode(), 508)


def test_history_page_has_chart_table_and_own_ratings(client):
    two_rating_histories(2)
    html = client.get("/players/31000001/laboratory/?system=glicko").content.decode()
    assert html.count("<path class") == 2  # Glicko and our own ratings
    assert html.count('<th scope="row" class="fit tnum">') == 2
    assert re.search(r"<strong>A</strong> Glicko ·", html)
    profile = client.get("/players/31000001/").content.decode()
    assert 'href="/players/31000001/laboratory/"' in profile


def test_at_most_three_systems_are_drawn(client):
    two_rating_histories(2)
    keys = ["elo.table", "glicko", "glicko2", "dwz"]
    query = urlencode({"system": keys}, doseq=True)
    words = text_of(client, f"/players/31000001/laboratory/?{query}")
    assert "A chart can show up to 3 systems. It shows your first 3." in words
    html = client.get(f"/players/31000001/laboratory/?{query}").content.decode()
    assert html.count("<path class") == 4
    assert html.count(" checked") == 3


def test_system_of_a_whole_pool_has_no_single_history(client):
    two_rating_histories(1)
    pools = [s for s in runnable_systems() if s.about.shape is Shape.WHOLE_POOL]
    assert pools
    for system in pools:
        assert not can_rate_career(system)
        address = f"/players/31000001/laboratory/?system={system.about.key}"
        assert "it can’t follow a single player" in text_of(client, address)


@pytest.mark.parametrize(
    "key",
    [system.about.key for system in runnable_systems() if can_rate_career(system)],
)
def test_every_other_system_carries_a_newcomer(key):
    """A player who wins all games ends with a better rating than one who draws them."""
    ends = [
        rate_career(SYSTEMS[key], _made_up(points)).standings[-1]
        for points in (1.0, 0.5)
    ]
    assert all(isinstance(one, Standing) for one in ends)
    winner, drawer = (SYSTEMS[key].on_elo_scale(one.rating) for one in ends)
    assert winner > drawer


def _made_up(points: float) -> list[PlayedSection]:
    """A newcomer draws with five equals, then scores the same in all games."""
    opponents = [Meeting(pk, 1500 + 10 * pk, 60, "W", 0.5) for pk in range(6)]
    events = [opponents] + [
        [meeting._replace(points=points) for meeting in opponents] for _ in range(6)
    ]
    return [
        PlayedSection(
            day=date(2025, 1, 4) + timedelta(days=40 * number),
            event=f"Open {number}",
            section="",
            url="/",
            minutes=15,
            meetings=meetings,
            before=None,
            games_before=0,
            after=1500,
        )
        for number, meetings in enumerate(events)
    ]


def test_rating_system_can_be_chosen(client):
    ada = make_player("31000001", ratings={"OTBR": (1500.0, 40), "OTBB": (1400.0, 9)})
    bo = make_player(ratings={"OTBB": (1500.0, 40)})
    playing(0, players=[ada, bo], rows=["W2W", "L1B"], time_control="G/5;d0")
    regular = text_of(client, "/players/31000001/laboratory/?of=OTBR")
    assert "No rated games yet." in regular
    blitz = text_of(client, "/players/31000001/laboratory/?of=OTBB")
    assert "The same blitz games under other rating systems, event by event" in blitz
    odd = text_of(client, "/players/31000001/laboratory/?of=horse")
    assert "There are no “horse” ratings. This page shows Regular ratings." in odd


def test_history_of_a_merged_number_is_listed_under_the_kept_one(client):
    ada, _ = two_rating_histories(1)
    kept = make_player("31000009", "Ada", "Lind")
    ada.status, ada.merged_into = "duplicate", kept
    ada.save()
    answer = client.get("/players/31000001/laboratory/")
    assert answer.headers["Location"] == "/players/31000009/laboratory/"
    assert len(played_sections([kept.pk, ada.pk], Book.OTBR)) == 1


def test_member_without_games_has_an_empty_state(client):
    player = make_player()
    words = text_of(client, f"/players/{player.member_id}/laboratory/")
    assert "No rated games yet." in words
    assert client.get("/players/99999999/laboratory/").status_code == 404


@pytest.mark.parametrize("times", [1, 3])
def test_history_takes_the_same_queries_at_any_length(
    client, django_assert_num_queries, times
):
    two_rating_histories(times)
    # The member, numbers, our systems they are rated in, lines, games, opponents.
    with django_assert_num_queries(6):
        client.get("/players/31000001/laboratory/?system=glicko&system=elo.table")


def test_scales_print_every_conversion_formula_with_its_first_day(client):
    words = text_of(client, "/laboratory/scales/")
    assert "−1073 + 1.5667 × R for R up to 2000" in words
    assert "180 + 0.94 × R for R up to 2000" in words
    assert "−856 + 1.41 × R for R below 2000" in words
    assert "80 + 1 × R for higher R" in words


def test_the_newest_text_is_named_where_its_edition_is_shown(client):
    words = text_of(client, "/laboratory/systems/uschess.2025_07/")
    assert "An edition of April 6, 2026, exists." in words


@pytest.mark.parametrize(
    ("key", "edition"),
    list(zip(["2020", "2025_02", "2025_07"], EDITIONS, strict=True)),
)
def test_days_whose_formulas_no_text_prints_are_named_and_refused(client, key, edition):
    words = text_of(client, f"/laboratory/systems/uschess.{key}/")
    assert "events that started before May 8, 2013, can’t be rated here" in words
    assert rules_in_force(date(2013, 5, 8), edition).effective_games.limit == 50
    for day, name in (
        (date(2013, 5, 7), "effective_games"),
        (date(2005, 12, 31), "age_start"),
    ):
        with pytest.raises(NoRuleInForce):
            getattr(rules_in_force(day, edition), name)


def test_the_search_of_the_newest_text_starts_at_the_adjusted_prior(client):
    """Its section 4.1: R0′ is R0 − 400 after only wins, R0 + 400 after only losses."""
    words = text_of(client, "/laboratory/systems/uschess.2025_07/")
    assert "starts at the adjusted prior rating (400 points lower after" in words


def test_scales_have_the_rule_of_thumb_of_2003(client):
    words = text_of(client, "/laboratory/scales/")
    assert "US Chess ratings are 50 to 100 points higher than FIDE ratings" in words


def test_the_chronology_has_both_systems_of_the_british_federation():
    [submitted] = [one.text for one in CHRONOLOGY if one.when == "1949"]
    assert "until at least 1967" in submitted
    assert "Clarke’s grades there from 1958" in submitted


def test_the_chronology_has_both_firsts_of_the_league():
    firsts = {one.when: one.text for one in CHRONOLOGY if one.when in ("1933", "1939")}
    assert "first national organization" in firsts["1933"]
    assert "first modern rating system" in firsts["1939"]
