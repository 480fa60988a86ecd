"""The audit finds what somebody has changed behind the office's back."""

from datetime import date
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from players.models import Player
from ratings.models import PlayerRating, RatingChange
from tests.factories import make_player, make_td
from tests.ratings.rerates.offices import play

pytestmark = pytest.mark.django_db

MARCH = date(2024, 3, 9)
LEDGER = "Replaying everything from nothing gives the ledger."
RATINGS = "Every current rating is what the ledger says."
SAMPLE = "A sample of sections gives its ratings again."


@pytest.fixture
def players() -> list[Player]:
    """Two members with a rated section behind them, and one with a rating only."""
    ada, bo, idle = (
        make_player(given_name=name, family_name="Lind", ratings={"OTBR": (1500.0, 40)})
        for name in ("Ada", "Bo", "Idle")
    )
    play(make_td(), [ada, bo], ends=MARCH, rounds=1)
    return [ada, bo, idle]


def audit(*, mend: bool = False) -> tuple[bool, list[str]]:
    """Return whether the command ends well, and what it prints."""
    said = StringIO()
    try:
        call_command("audit", full=True, mend=mend, stdout=said)
    except CommandError:
        return False, said.getvalue().splitlines()
    return True, said.getvalue().splitlines()


def forge(line: RatingChange, **changes: object) -> None:
    """Change a ledger line as only somebody who rules the database can."""
    drop = {
        "sqlite": "DROP TRIGGER ratings_ratingchange_no_update",
        "postgresql": "DROP TRIGGER ratings_ratingchange_no_change "
        "ON ratings_ratingchange",
    }
    with connection.cursor() as cursor:
        cursor.execute(drop[connection.vendor])
    RatingChange.objects.filter(pk=line.pk).update(**changes)


def test_audit_of_an_honest_office_ends_well(players):
    assert audit() == (
        True,
        [f"{LEDGER} yes (5 checked)", f"{RATINGS} yes (3 checked)",
         f"{SAMPLE} yes (1 checked)"],
    )  # fmt: skip


@pytest.mark.parametrize("place", [0, 2])
def test_forged_current_rating_is_named(players, place):
    forged = players[place]
    PlayerRating.objects.filter(player=forged).update(rating=2700.0)
    assert audit() == (
        False,
        [
            f"{LEDGER} yes (5 checked)",
            f"{RATINGS} NO, 1 differences (3 checked)",
            f"  {forged}: the current OTBR rating is not what the ledger says: rating.",
            f"{SAMPLE} yes (1 checked)",
        ],
    )


def test_current_ratings_are_mended_from_the_ledger(players):
    PlayerRating.objects.filter(player=players[0]).update(rating=2700.0)
    PlayerRating.objects.filter(player=players[1]).delete()
    is_well, said = audit(mend=True)
    assert (is_well, said[0]) == (True, "3 current ratings built from the ledger.")
    assert audit() == (True, said[1:])


def test_current_rating_that_was_removed_is_named(players):
    PlayerRating.objects.filter(player=players[1]).delete()
    is_good, said = audit()
    assert not is_good
    assert f"  {players[1]}: there is no current OTBR rating." in said


def test_forged_line_of_the_ledger_is_named(players):
    """Who forges the current rating with it, is found by the replay all the same."""
    ada = players[0]
    line = RatingChange.objects.get(player=ada, calculation__section__isnull=False)
    forge(line, post_rating=2700.0, peak=2700.0)
    PlayerRating.objects.filter(player=ada).update(rating=2700.0, peak=2700.0)
    is_good, said = audit()
    section = line.calculation.section
    where = f"{section.event.event_id}/1 ({section.pk}), OTBR"
    assert not is_good
    assert f"{LEDGER} NO, 1 differences (5 checked)" in said
    assert (
        f"  {ada}: Section {where}: the replay differs in post_rating, peak."
    ) in said
    assert f"{SAMPLE} NO, 1 differences (1 checked)" in said


def test_line_hung_onto_another_member_is_named(players):
    ada, _, idle = players
    line = RatingChange.objects.get(player=ada, calculation__section__isnull=False)
    other = RatingChange.objects.get(player=idle)
    forge(line, previous_id=other.pk)
    is_good, said = audit()
    assert not is_good
    assert any(
        one.startswith(f"  {ada}: Section ")
        and one.endswith("the line goes on from another line than in the replay.")
        for one in said
    )
