"""The same games in two places: found by opponents and scores on overlapping days."""

from datetime import date

import pytest

from events.foreign_queries import doubles_of
from events.models import ForeignResult
from events.services.foreign import enter_result
from tests.events.foreign.books import foreign_staff, game, make_event
from tests.factories import (
    event_report,
    make_player,
    make_td,
    rated_event,
    section_report,
)

pytestmark = pytest.mark.django_db


def entered(staff, player, games, **event):
    return enter_result(
        actor=staff,
        event_id=make_event(staff, **event).pk,
        player=player,
        games=games,
    )


def sentences(result):
    found = ForeignResult.objects.select_related("event", "player").get(pk=result.pk)
    return [one.sentence for one in doubles_of([found])[result.pk]]


GAMES = [game(1, 2, fide_id="11"), game(2, 1, fide_id="12"), game(3, 0, fide_id="13")]
SAME = (
    "3 games with the same opponents and scores stand in Paris Open, entered abroad "
    "on overlapping days."
)


def test_same_games_in_another_foreign_event_are_found():
    staff, ada = foreign_staff(), make_player()
    entered(staff, ada, GAMES)
    other = entered(staff, ada, GAMES, name="Festival de Paris")
    assert sentences(other) == [SAME]


def test_names_are_compared_where_ids_are_missing():
    staff, ada = foreign_staff(), make_player()
    entered(staff, ada, [game(1, 2, name="Müller, Jörg"), game(2, 1, name="Rossi, E")])
    other = entered(
        staff,
        ada,
        [game(4, 2, name="Jorg Muller"), game(5, 1, name="E. Rossi")],
        name="Festival",
    )
    assert sentences(other) == [SAME.replace("3 games", "2 games")]


@pytest.mark.parametrize(
    ("starts", "ends", "is_found"),
    [
        (date(2024, 5, 12), date(2024, 5, 20), True),
        (date(2024, 5, 13), date(2024, 5, 20), False),
        (date(2024, 4, 20), date(2024, 5, 4), True),
        (date(2024, 4, 20), date(2024, 5, 3), False),
    ],
)
def test_days_have_to_overlap(starts, ends, is_found):
    staff, ada = foreign_staff(), make_player()
    entered(staff, ada, GAMES)
    other = entered(staff, ada, GAMES, name="Other", starts=starts, ends=ends)
    assert bool(sentences(other)) is is_found


@pytest.mark.parametrize(
    ("scores", "is_found"),
    [((2, 1, 0), True), ((2, 1, 2), True), ((2, 0, 2), False), ((0, 2, 1), False)],
)
def test_half_of_the_games_are_enough(scores, is_found):
    staff, ada = foreign_staff(), make_player()
    entered(staff, ada, GAMES)
    games = [
        game(number, score, fide_id=str(10 + number))
        for number, score in enumerate(scores, start=1)
    ]
    other = entered(staff, ada, games, name="Other")
    assert bool(sentences(other)) is is_found


def test_games_of_somebody_else_and_of_what_is_left_out_do_not_count():
    staff, ada, eve = foreign_staff(), make_player(), make_player()
    entered(staff, eve, GAMES)
    left = entered(staff, ada, GAMES, name="Left out")
    ForeignResult.objects.filter(pk=left.pk).update(
        status="excluded", excluded_because="Rapid"
    )
    assert sentences(entered(staff, ada, GAMES, name="Other")) == []


def at_home():
    """Ada won against Bo and drew with Cleo in Springfield on 4 and 5 May 2024."""
    ada = make_player(given_name="Ada", ratings={"OTBR": (2000.0, 40)})
    bo = make_player(
        given_name="Bo", fide_id="611", family_name="Berg", ratings={"OTBR": (2000, 40)}
    )
    cleo = make_player(
        given_name="Cleo", family_name="Court", ratings={"OTBR": (2000.0, 40)}
    )
    rows = ["W2W D3B", "L1B H", "H D1W"]
    section = section_report([ada, bo, cleo], rows)
    td = make_td()
    return ada, rated_event(td, event_report(td, [section])).sections.get()


def test_event_rated_at_home_is_found_by_ids_and_names():
    staff = foreign_staff()
    ada, section = at_home()
    by_id = entered(staff, ada, [game(1, 2, fide_id="611"), game(2, 1, fide_id="7")])
    assert sentences(by_id) == [
        "1 game with the same opponent and score stands in May Open, section 1, "
        "rated at home on overlapping days."
    ]
    found = ForeignResult.objects.select_related("event", "player").get()
    assert doubles_of([found])[found.pk][0].url == section.get_absolute_url()
    games = [game(1, 2, name="Berg, Bo"), game(2, 1, name="Cleo COURT")]
    by_name = entered(staff, ada, games, name="Other")
    assert sentences(by_name)[-1].startswith("2 games with the same opponents")


def test_other_games_at_the_same_time_are_no_double():
    staff = foreign_staff()
    ada, _ = at_home()
    other = entered(staff, ada, [game(1, 0, fide_id="611"), game(2, 2, fide_id="12")])
    assert sentences(other) == []


def test_games_under_a_merged_number_are_found():
    staff = foreign_staff()
    ada, _ = at_home()
    kept = make_player()
    type(ada).objects.filter(pk=ada.pk).update(status="duplicate", merged_into=kept)
    result = entered(staff, kept, [game(1, 2, fide_id="611")])
    assert len(sentences(result)) == 1


@pytest.mark.parametrize("members", [2, 8])
def test_queries_do_not_grow_with_the_results(django_assert_num_queries, members):
    staff = foreign_staff()
    for _ in range(members):
        at_home_player, _ = at_home()
        entered(staff, at_home_player, [game(1, 2, fide_id="12")])
        type(at_home_player).objects.filter(fide_id="611").update(fide_id=None)
    results = list(ForeignResult.objects.select_related("event", "player"))
    with django_assert_num_queries(6):
        found = doubles_of(results)
    assert len(found) == members
