"""Games for experiments: which rated games are taken, and how they are stored."""

import zlib
from copy import deepcopy
from dataclasses import asdict
from datetime import date

import pytest

from events.models import Game
from players.models import Player
from ratings.laboratory.protocol import OnlineFacts
from ratings.models import Calculation, GamesHistory
from ratings.research.experiments.plans import GameSelection
from ratings.research.experiments.services.game_files import read_games
from ratings.research.experiments.services.histories import (
    load_games,
    read_ledger_games,
    render_finding,
    store_games,
)
from tests.factories import (
    event_report,
    make_player,
    make_td,
    rated_event,
    rated_section,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db

MAY, JUNE = date(2024, 5, 5), date(2024, 6, 2)


@pytest.fixture(scope="module")
def both(module_data):
    """A section in May and one in June, with four other players each."""
    td = make_td()
    return [
        rated_section(players=4, rounds=2, td=td, name=name, starts=day, ends=day)
        for name, day in (("May Open", MAY), ("June Open", JUNE))
    ]


@pytest.fixture
def sections(both):
    return deepcopy(both)


def days_of(chosen: GameSelection) -> set[date]:
    return {
        date.fromordinal(day) for day in read_ledger_games(chosen).history.rated_days
    }


def results(chosen: GameSelection) -> list[tuple[str, str, float]]:
    """Return White's and Black's number in the ledger and White's points."""
    history = read_ledger_games(chosen).history
    games = history.games
    return [
        (history.ids[white], history.ids[black], points)
        for white, black, points in zip(
            games.white, games.black, games.points, strict=True
        )
    ]


def test_all_games_of_a_system_are_read_with_their_colors(sections):
    expected = []
    for game in Game.objects.order_by(
        "section__ends", "round_number", "first__pairing_number"
    ):
        half_points = {"W": 1.0, "D": 0.5, "L": 0.0}[game.first_outcome]
        sides = str(game.first.player_id), str(game.second.player_id)
        if game.first_color == "W":
            expected.append((*sides, half_points))
        else:
            expected.append((sides[1], sides[0], 1 - half_points))
    assert results(GameSelection()) == expected
    assert len(expected) == 8


def test_games_of_unknown_color_stand_as_recorded_and_have_none(sections):
    """The first side stays the first, and no system has an advantage of White."""
    Game.objects.update(first_color="B")
    turned = results(GameSelection())
    Game.objects.update(first_color="")
    games = read_ledger_games(GameSelection()).history.games
    assert list(games.colored) == [0] * 8
    recorded = [
        [str(first), str(second)]
        for first, second in Game.objects.order_by(
            "section__ends", "round_number", "first__pairing_number"
        ).values_list("first__player_id", "second__player_id")
    ]
    assert [two for *two, _points in results(GameSelection())] == recorded
    assert [two[::-1] for *two, _points in turned] == recorded


def test_minutes_and_events_come_from_the_section(sections):
    history = read_ledger_games(GameSelection()).history
    assert set(history.games.minutes) == {95}  # G/90;d5
    assert len(set(history.games.events)) == 2


@pytest.mark.parametrize(
    ("chosen", "days"),
    [
        (GameSelection(), {MAY, JUNE}),
        (GameSelection(first_day=date(2024, 5, 6)), {JUNE}),
        (GameSelection(first_day=MAY, last_day=MAY), {MAY}),
        (GameSelection(last_day=date(2024, 5, 4)), set()),
        (GameSelection(state="IL"), {MAY, JUNE}),
        (GameSelection(state="OH"), set()),
        (GameSelection(system="OTBQ"), set()),
        (GameSelection(system="OLR"), set()),
    ],
)
def test_only_what_was_chosen_is_read(sections, chosen, days):
    assert days_of(chosen) == days


def test_band_takes_games_between_two_players_inside_it(sections):
    # The players of each section come rated 1500, 1510, 1520 and 1530.
    found = read_ledger_games(GameSelection(low=1510, high=1525))
    assert sorted(found.seeds.values()) == [1510.0, 1510.0, 1520.0, 1520.0]
    [messages_of] = [render_finding(one) for one in found.findings]
    assert messages_of["sentence"].endswith("outside the rating range: 6.")


def test_players_begin_with_their_first_rating_and_newcomers_with_the_initial_one():
    members = [
        make_player(ratings={"OTBR": (1500.0, 40)}),
        make_player(birth_date=date(2014, 5, 5)),
    ]
    td = make_td()
    section = section_report(members, swiss_rows(2, 1))
    rated_event(td, event_report(td, [section], starts=MAY, ends=MAY))

    found = read_ledger_games(GameSelection())

    initial = Calculation.objects.get(section__isnull=False).changes.get(
        player=members[1]
    )
    by_id = {found.history.ids[number]: one for number, one in found.seeds.items()}
    assert by_id == {
        str(members[0].pk): 1500.0,
        str(members[1].pk): initial.initial_rating,
    }


def test_merged_number_plays_as_the_member_who_is_kept(sections):
    first, second = (section.entries.first().player for section in sections)
    Player.objects.filter(pk=second.pk).update(merged_into=first, status="duplicate")
    ids = {
        one for white, black, _ in results(GameSelection()) for one in (white, black)
    }
    assert str(first.pk) in ids
    assert str(second.pk) not in ids


def test_sections_of_one_day_come_in_the_order_in_which_they_are_rated():
    td = make_td()
    for number in range(3):
        rated_section(players=2, rounds=1, td=td, name=f"Open {number}")
    order = [
        one.section_id
        for one in Calculation.objects.filter(section__isnull=False).order_by(
            *Calculation.ORDER
        )
    ]
    players = {section: {str(pk) for pk in _players(section)} for section in order}
    found = [{white, black} for white, black, _ in results(GameSelection())]
    assert found == [players[section] for section in order]


def _players(section_id: int) -> list[int]:
    game = Game.objects.get(section=section_id)
    return [game.first.player_id, game.second.player_id]


def test_facts_for_fide_online_arena_are_stored_with_the_games():
    found = read_games(
        "games.csv",
        b"date,white,black,result,online control,white fide blitz\n"
        b"2024-05-04,Ann,Bob,1-0,5+3,1800\n2024-05-05,Ann,Bob,0-1,,\n",
    )
    again = load_games(store_games(found))
    told = OnlineFacts((5, 3), (None, None, 1800.0))
    assert again.history.games.online == (told, None)
    assert again.history.digest() == found.history.digest()


def test_kept_games_are_those_that_were_found(sections):
    found = read_ledger_games(GameSelection())
    again = load_games(store_games(found))
    assert asdict(again.history) == asdict(found.history)
    assert again.history.digest() == found.history.digest()
    assert again.seeds == found.seeds


def test_games_kept_before_colors_were_told_of_read_as_they_were(sections):
    found = read_ledger_games(GameSelection())
    kept = store_games(found)
    content = zlib.decompress(bytes(kept.content))[: -len(found.history)]
    kept.content = zlib.compress(content)
    games = load_games(kept).history.games
    assert list(games.points) == list(found.history.games.points)
    assert games.advantages(30.0) == [30.0] * len(games)


def test_equal_games_are_kept_once(sections):
    assert store_games(read_ledger_games(GameSelection())) == store_games(
        read_ledger_games(GameSelection(state="IL"))
    )
    assert GamesHistory.objects.count() == 1


# --- Files ---

TRF = b"""012 Corner Open
042 2024/05/04
052 2024/05/05
XXR 2
001    1      Ann                                1500 USA               1.5    1     2 w 1     2 b =
001    2      Bob                                1400 USA               0.5    2     1 b 0     1 w =
"""  # noqa: E501


def messages_of(found) -> list[str]:
    return [
        f"{one['place']}: {one['sentence']}"
        for one in map(render_finding, found.findings)
    ]


def test_csv_gives_games_and_findings_with_their_lines():
    found = read_games(
        "games.csv",
        b"date,white,black,result\n2024-05-04,Ann,Bob,1-0\n2024-05-04,Ann,Bob,3-0\n",
    )
    assert list(found.history.games.points) == [1.0]
    assert [line for line in messages_of(found) if line.startswith("Line 3: ")]


def test_pgn_is_known_by_its_tags():
    tags = b'[Event "X"]\n[Date "2024.05.04"]\n[White "Ann"]\n[Black "Bob"]\n'
    found = read_games("x.txt", tags + b'[Result "1/2-1/2"]\n\n1. e4 1/2-1/2\n')
    assert list(found.history.games.points) == [0.5]
    assert date.fromordinal(found.history.rated_days[0]) == date(2024, 5, 4)


def test_trf_gives_the_games_of_its_crosstable():
    found = read_games("open.trf", TRF)
    history = found.history
    games = [
        (history.names[white], history.names[black], points)
        for white, black, points in zip(
            history.games.white,
            history.games.black,
            history.games.points,
            strict=True,
        )
    ]
    assert games == [("Ann", "Bob", 1.0), ("Bob", "Ann", 0.5)]
    assert {date.fromordinal(day) for day in history.rated_days} == {date(2024, 5, 5)}


def test_trf_without_colors_gives_games_that_have_none():
    games = read_games("open.trf", TRF.replace(b" b ", b" - ").replace(b" w ", b" - "))
    assert list(games.history.games.colored) == [0, 0]
    assert list(read_games("open.trf", TRF).history.games.colored) == [1, 1]


@pytest.mark.parametrize(
    ("year", "games"), [(1799, 0), (1800, 2), (2100, 2), (9999, 0)]
)
def test_trf_of_a_year_without_games_is_skipped_with_a_finding(year, games):
    found = read_games("open.trf", TRF.replace(b"2024/", b"%d/" % year))
    assert len(found.history) == games
    finding = (
        f"Section 1: The section’s last day is {year}-05-05, so its games are left out."
    )
    assert (finding in messages_of(found)) == (games == 0)


def test_players_of_a_file_begin_by_age_and_as_children_without_one():
    found = read_games(
        "games.csv",
        b"date,white,black,result,white born\n2024-05-04,Ann,Bob,1-0,1980\n",
    )
    names = found.history.names
    by_name = {names[number]: rating for number, rating in found.seeds.items()}
    # 50 points a year up to 1300 at 26; without an age, 15 counts: 750.
    assert by_name == {"Ann": 1300.0, "Bob": 750.0}


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"012 X\n001", b"[", b"a,b\n"])
def test_wrecked_files_give_findings_and_no_games(content):
    found = read_games("x", content)
    assert len(found.history) == 0
    assert found.findings
