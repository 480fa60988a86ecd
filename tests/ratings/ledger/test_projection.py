"""Current ratings are the ledger's last lines, and can be rebuilt from it."""

from datetime import timedelta

import pytest

from ratings.ledger.services.projection import rebuild
from ratings.models import Floor, PlayerRating, RatingChange
from tests.factories import (
    END,
    START,
    event_report,
    make_player,
    make_staff,
    make_td,
    open_rating,
    rated_event,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
COLUMNS = [
    field.attname for field in PlayerRating._meta.fields if not field.primary_key
]


def rows() -> list[tuple]:
    return list(PlayerRating.objects.order_by("player", "system").values_list(*COLUMNS))


@pytest.fixture
def history():
    """Several events: dual-rated, a newcomer, floors, and one that came late."""
    td = make_td()
    players = [make_player(ratings={"OTBR": (1500.0 + 40 * n, 30)}) for n in range(3)]
    players.append(make_player())
    open_rating(players[0], "OTBQ", 1450.0, 40, peak=1700.0, wins=3)
    Floor.objects.create(
        player=players[1],
        system="OTBR",
        kind="office",
        level=1500,
        starts=START - 7 * DAY,
        reason="ruling",
        granted_by=make_staff(),
    )
    for days, control in ((0, "G/60;d5"), (7, "G/90;d5"), (-7, "G/25;d5")):
        rated_event(
            td,
            event_report(
                td,
                [section_report(players, swiss_rows(4, 3), time_control=control)],
                starts=START + days * DAY,
                ends=END + days * DAY,
                name=f"Open {days}",
            ),
        )
    return players


def test_rebuilding_gives_the_same_current_ratings(history):
    before = rows()
    assert {row[COLUMNS.index("system")] for row in before} == {"OTBR", "OTBQ"}

    assert rebuild() == len(before) == 8

    assert rows() == before


def test_rebuilding_mends_what_was_lost_or_forged(history):
    before = rows()
    PlayerRating.objects.filter(player=history[0]).delete()
    PlayerRating.objects.filter(player=history[1]).update(rating=2700.0, games=1)

    rebuild()

    assert rows() == before


def test_current_rating_is_the_last_line_of_the_ledger(history):
    for rating in PlayerRating.objects.select_related("last_change__calculation"):
        last = (
            RatingChange.objects.filter(
                player=rating.player_id, calculation__system=rating.system
            )
            .order_by("-pk")
            .first()
        )
        assert rating.last_change == last
        assert (rating.rating, rating.games, rating.record, rating.peak) == (
            last.post_rating,
            last.post_games,
            last.record,
            last.peak,
        )
        assert rating.rated_on == last.calculation.age_day


def test_floor_shown_is_the_highest_in_force(history):
    dual, floored = history[0], history[1]
    # 1700 - 200 = 1500, though the imported record has 3 wins only.
    assert PlayerRating.objects.get(player=dual, system="OTBQ").floor == 1500
    assert PlayerRating.objects.get(player=floored, system="OTBR").floor == 1500
