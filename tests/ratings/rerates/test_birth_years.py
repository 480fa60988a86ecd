"""Starts by age of members of whom only the birth year is known."""

from datetime import date

import pytest
from django.core.management import CommandError, call_command

from ratings.models import RatingChange, RerateMark
from ratings.rerates.services import players
from tests.factories import make_player, make_td
from tests.players.imports.files import entered
from tests.ratings.rerates.factories import ledger, play, ratings
from tests.ratings.rerates.test_rerate import published

pytestmark = pytest.mark.django_db

END = date(2024, 5, 4)
UNKNOWN = 750.0  # as if aged 15


def by_age(born: date) -> float:
    return 50 * (END - born).days / 365.25


@pytest.fixture
def child():
    return make_player(birth_date=None, birth_year=2012)


def rate(child) -> None:
    rivals = [make_player(ratings={"OTBR": (800.0 + n, 30)}) for n in range(3)]
    play(make_td(), [child, *rivals], ends=END)


def start_of(child) -> float:
    return RatingChange.objects.get(
        player=child, calculation__is_current=True, calculation__system="OTBR"
    ).initial_rating


@pytest.mark.parametrize(
    ("fields", "is_on", "start"),
    [
        ({"birth_year": 2012}, False, UNKNOWN),
        ({"birth_year": 2012}, True, by_age(date(2012, 7, 1))),
        ({}, True, UNKNOWN),
        (
            {"birth_year": 2012, "birth_date": date(2012, 9, 6)},
            True,
            by_age(date(2012, 9, 6)),
        ),
    ],
)
@pytest.mark.parametrize("one_in", [0, 10**12], ids=["named", "picked"])
def test_a_section_and_a_rerate_start_a_member_alike(
    settings, monkeypatch, fields, is_on, start, one_in
):
    settings.BIRTH_YEAR_AS_MID_YEAR = is_on
    monkeypatch.setattr(players, "SMALL_SUBSET_DIVISOR", one_in)
    child = make_player(**{"birth_date": None} | fields)
    rate(child)
    assert start_of(child) == pytest.approx(start, abs=1e-9)
    rated = ledger(), ratings()
    run = published(whole_history=True)
    assert not run.calculation_set.exists()
    assert (ledger(), ratings()) == rated


def test_a_change_of_the_setting_waits_for_a_rerate(settings, child):
    rate(child)
    before = ledger()
    settings.BIRTH_YEAR_AS_MID_YEAR = True
    with pytest.raises(CommandError, match="found differences"):
        call_command("audit", full=True)
    assert ledger() == before
    published(whole_history=True)
    assert start_of(child) == pytest.approx(by_age(date(2012, 7, 1)), abs=1e-9)
    call_command("audit", full=True)


@pytest.mark.parametrize("is_on", [False, True])
def test_another_birth_year_creates_a_pending_rerate_if_it_counts(
    settings, child, is_on
):
    settings.BIRTH_YEAR_AS_MID_YEAR = is_on
    rate(child)
    entered(f"{child.member_id},2011", headings="ID,Birth year")
    assert RerateMark.objects.count() == is_on


def test_a_birth_date_of_the_middle_of_the_year_changes_nothing(settings, child):
    settings.BIRTH_YEAR_AS_MID_YEAR = True
    rate(child)
    entered(f"{child.member_id},2012-07-01", headings="ID,Birth date")
    assert not RerateMark.objects.exists()
