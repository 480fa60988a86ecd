"""The preview names members whose games above 2200 cross the Life Master number."""

from dataclasses import replace
from datetime import date

import pytest
from django.urls import reverse

from events.models import Section
from players.identity.services import merge_players
from players.models import Player
from ratings.decisions.floors.queries import life_masters
from ratings.decisions.floors.queries.life_masters import candidates, counted_lines
from ratings.models import Floor, LifeMasterSetAside, Run
from ratings.rerates.services.change_summary import affected_titles
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from tests.events.corrections.samples import make_decider, request_correction
from tests.events.corrections.test_corrections import approve
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    rated_event,
    section_report,
)

pytestmark = pytest.mark.django_db

MARCH, MAY = date(2024, 3, 9), date(2024, 5, 4)
# The first wins all games, the fourth loses all.
ROWS = ["W2W W3B W4W", "L1B W4W D3B", "W4B L1W D2W", "L3W L2B L1B"]
TWO_ROUNDS = [row[:7] for row in ROWS]
MATCH = ["W2W W2B W2W", "L1B L1W L1B"]


def set_required_games(monkeypatch, games: int) -> None:
    few = replace(life_masters.title_rules(), changes=(("olm_games", games),))
    monkeypatch.setattr(life_masters, "title_rules", lambda: few)
    monkeypatch.setattr(
        "ratings.rerates.services.change_summary.title_rules", lambda: few
    )


@pytest.fixture(autouse=True)
def _require_three_games(monkeypatch):
    """Instead of 300, so that one section makes a Life Master."""
    set_required_games(monkeypatch, 3)


def rated(rating: float) -> Player:
    return make_player(ratings={"OTBR": (rating, 60)})


def play(player: Player, day: date, rows=ROWS, *, place: int = 1, kind="S") -> Section:
    """Rate a section against players of 2150; *place* is the player's row."""
    people = [rated(2150.0) for _ in rows[1:]]
    people.insert(place - 1, player)
    td = make_td()
    section = section_report(people, rows, kind_letter=kind, starts=day, ends=day)
    report = event_report(td, [section], starts=day, ends=day, name=f"Event of {day}")
    return rated_event(td, report).sections.get()


def rises(may=ROWS, kind: str = "S") -> Player:
    """A member whom March, reported late, takes above 2200 before the games of May.

    As rated at once, the two games of March began above 2200, and those of May below.
    """
    player = rated(2195.0)
    play(player, MAY, may, kind=kind)
    play(player, MARCH, TWO_ROUNDS)
    return player


def falls() -> Player:
    """A member whom March, reported late, takes below 2200 before the games of May."""
    player = rated(2205.0)
    play(player, MAY, place=4)
    play(player, MARCH, TWO_ROUNDS, place=4)
    return player


def floor_of(player: Player) -> None:
    Floor.objects.create(
        player=player,
        system="OTBR",
        kind="life_master",
        level=2200,
        starts=date(2024, 6, 1),
        reason="The games are there.",
        granted_by=make_staff(),
    )


def set_aside(player: Player) -> None:
    LifeMasterSetAside.objects.create(
        player=player, games=3, reason="Not now.", decided_by=make_staff()
    )


def ready() -> Run:
    run = start_rerate(actor=None, reason="Weekly.")
    run_due_jobs()
    run.refresh_from_db()
    assert run.status == "ready", run.message
    assert run.calculation_set.exists() or run.summary["retired"]
    return run


def touched(run: Run) -> list[tuple]:
    shown = run.summary["titles"]["shown"]
    assert run.summary["titles"]["count"] == len(shown)
    return [(one["player"], one["before"], one["after"], one["what"]) for one in shown]


def page_of(run: Run, client) -> str:
    client.force_login(make_staff())
    page = client.get(reverse("ratings:office_rerate", args=[run.pk]))
    return " ".join(page.content.decode().split())


def test_member_who_would_become_a_candidate_is_named(client):
    player = rises()
    assert candidates() == []
    run = ready()
    assert touched(run) == [(player.pk, 2, 3, "earned")]
    page = page_of(run, client)
    assert f"{player.name}</a>: would be a candidate</span>" in page
    assert "2 → 3" in page
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    assert [(one.player, one.games) for one in candidates()] == [(player, 3)]


def test_candidate_who_would_be_none_any_more_is_named(client):
    player = falls()
    assert [(one.player, one.games) for one in candidates()] == [(player, 3)]
    run = ready()
    assert touched(run) == [(player.pk, 3, 2, "lost")]
    assert f"{player.name}</a>: would no longer be a candidate" in page_of(run, client)
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    assert candidates() == []
    assert sum(line.games for line in counted_lines().filter(player=player)) == 2


def test_life_master_who_would_lose_the_games_is_named_first(client):
    candidate, master = falls(), falls()
    floor_of(master)
    run = ready()
    assert touched(run) == [
        (master.pk, 3, 2, "confirmed"),
        (candidate.pk, 3, 2, "lost"),
    ]
    page = page_of(run, client)
    said = "has the title but would no longer have enough games"
    assert f"{master.name}</a>: {said}" in page


@pytest.mark.parametrize("decide", [floor_of, set_aside])
def test_who_is_decided_on_becomes_no_candidate(decide):
    decide(rises())
    assert touched(ready()) == []


def test_who_was_set_aside_loses_nothing():
    set_aside(falls())
    assert touched(ready()) == []


def test_matches_do_not_count():
    rises(MATCH, kind="M")
    assert touched(ready()) == []


def test_games_that_go_without_others_in_their_place_count_no_more():
    player, decider = rated(2300.0), make_decider()
    section = play(player, MAY)
    change = {"time_control": "G/20;d5", "is_online": False}
    request = request_correction(section, decider, "time_control", change)
    approve(request, decider, reason="It was Quick.")
    run = ready()
    assert run.summary["retired"] == 1
    assert touched(run) == [(player.pk, 3, 0, "lost")]


def test_games_of_a_merged_number_are_counted_once(monkeypatch):
    set_required_games(monkeypatch, 4)
    kept, number = make_player(), rated(2300.0)
    play(number, MAY)
    merge_players(
        kept_id=kept.pk, merged_id=number.pk, actor=make_staff(), reason="Same."
    )
    assert touched(ready()) == []


@pytest.mark.parametrize("members", [1, 3])
def test_titles_take_the_same_queries_for_any_number(
    django_assert_num_queries, members
):
    for _ in range(members):
        rises()
    run = ready()
    with django_assert_num_queries(5):
        assert affected_titles(run, [])["count"] == members
