"""Ratings of an older engine get a pending rerate at the upgrade."""

from datetime import date
from importlib import import_module

import pytest
from django.apps import apps

from ratings.models import RatingChange, RerateMark
from tests.events.foreign.factories import foreign_staff
from tests.factories import make_player, make_td
from tests.ratings.foreign.factories import list_with_masters, master, rated
from tests.ratings.rerates.factories import play

pytestmark = pytest.mark.django_db

MARCH = date(2024, 3, 9)


def marks_of(migration):
    import_module(f"ratings.migrations.{migration}").leave_mark(apps, None)
    return list(RerateMark.objects.values_list("kind", "from_day"))


def test_only_an_unestablished_foreign_result_creates_a_pending_rerate():
    list_with_masters()
    result = rated(foreign_staff(), master(games=60), [(2400, 2)])
    assert marks_of("0013_mark_results_abroad") == []
    line = RatingChange.objects.get(calculation__foreign=result)
    line.pk, line.previous, line.pre_games, line.player = None, None, 25, make_player()
    line.save()
    assert marks_of("0013_mark_results_abroad") == [("edition", result.event.ends)]


@pytest.mark.parametrize(
    ("newcomer", "marks"), [({}, []), ({"OTBQ": (1500.5, 12)}, [("edition", MARCH)])]
)
def test_only_a_blended_start_creates_a_pending_rerate(newcomer, marks):
    others = [make_player(ratings={"OTBR": (1500.0, 40)}) for _ in range(3)]
    play(make_td(), [make_player(ratings=newcomer), *others], ends=MARCH)
    assert marks_of("0014_mark_blended_starts") == marks
