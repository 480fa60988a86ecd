"""The audit finds forged ratings."""

from datetime import date
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from players.identity.services import undo_merge
from players.models import Player, PlayerMerge
from ratings.ledger.services.pending_rerates import add_pending_rerate
from ratings.models import Calculation, PlayerRating, RatingChange
from ratings.rerates.services.publishing import publish_rerate
from tests.factories import (
    event_report,
    make_player,
    make_td,
    make_user,
    merge_with_approval,
    rated_event,
    section_report,
)
from tests.ratings.rerates.factories import play
from tests.ratings.rerates.test_rerate import rerate

pytestmark = pytest.mark.django_db

MARCH = date(2024, 3, 9)
LEDGER = "A full replay matches the ledger."
RATINGS = "Every current rating matches the ledger."
CHAINS = "The rating changes of each member and system form one chain."
LINES = "Each rating change follows from its inputs and the one before."
SAMPLE = "A sample of sections gives the same ratings again."


@pytest.fixture
def players() -> list[Player]:
    """Two members with a rated section, and one with a rating only."""
    ada, bo, idle = (
        make_player(given_name=name, family_name="Lind", ratings={"OTBR": (1500.0, 40)})
        for name in ("Ada", "Bo", "Idle")
    )
    play(make_td(), [ada, bo], ends=MARCH, rounds=1)
    return [ada, bo, idle]


def audit(*, mend: bool = False) -> tuple[bool, list[str]]:
    """Return whether the command succeeds, and its output."""
    said = StringIO()
    try:
        call_command("audit", full=True, mend=mend, stdout=said)
    except CommandError:
        return False, said.getvalue().splitlines()
    return True, said.getvalue().splitlines()


def forge(line: RatingChange, **changes: object) -> None:
    """Change a ledger line as only a database superuser can."""
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
        [
            f"{LEDGER} yes (5 checked)",
            f"{RATINGS} yes (3 checked)",
            f"{CHAINS} yes (5 checked)",
            f"{LINES} yes (5 checked)",
            f"{SAMPLE} yes (1 checked)",
        ],
    )


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
            f"{CHAINS} yes (5 checked)",
            f"{LINES} yes (5 checked)",
            f"{SAMPLE} yes (1 checked)",
        ],
    )


def test_current_ratings_are_mended_from_the_ledger(players):
    PlayerRating.objects.filter(player=players[0]).update(rating=2700.0)
    PlayerRating.objects.filter(player=players[1]).delete()
    is_well, said = audit(mend=True)
    assert (is_well, said[0]) == (True, "3 current ratings rebuilt from the ledger.")
    assert audit() == (True, said[1:])


def test_current_rating_that_was_removed_is_named(players):
    PlayerRating.objects.filter(player=players[1]).delete()
    is_good, said = audit()
    assert not is_good
    assert f"  {players[1]}: there is no current OTBR rating." in said


def test_forged_line_of_the_ledger_is_named(players):
    """The replay finds it even if the current rating was forged with it."""
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
        and one.endswith("the line continues a different line than in the replay.")
        for one in said
    )


@pytest.mark.parametrize("changes", [
    {"post_rating": 1800.0},
    {"k": 31.0, "bonus": 4.0},
    {"pre_rating": 1450.0},
    {"floor_given": 1400.0},
    {"wins": 7},
])  # fmt: skip
def test_forged_line_is_named_whatever_waits(players, changes):
    """A pending rerate explains a different replay, and nothing else."""
    ada = players[0]
    add_pending_rerate(kind="residence", day=MARCH, note="Moved.", player=ada)
    line = RatingChange.objects.get(player=ada, calculation__section__isnull=False)
    forge(line, **changes)
    is_good, said = audit()
    assert not is_good
    assert f"{LEDGER} yes (5 checked)" in said
    assert f"{LINES} yes (5 checked)" not in said
    assert any(f"Calculation {line.calculation_id} (OTBR): " in one for one in said)


def test_line_forged_with_all_that_follows_from_it_is_named(players):
    """Its own inputs give another result, also where the next line continues it."""
    ada, bo, _ = players
    play(make_td(), [ada, bo], ends=date(2024, 4, 6), rounds=1)
    add_pending_rerate(kind="residence", day=MARCH, note="Moved.", player=ada)
    first, second = RatingChange.objects.filter(
        player=ada, calculation__section__isnull=False
    ).order_by("pk")
    forge(first, post_rating=first.post_rating + 300, peak=first.post_rating + 300)
    RatingChange.objects.filter(pk=second.pk).update(
        pre_rating=first.post_rating + 300, post_rating=second.post_rating + 300
    )
    is_good, said = audit()
    assert not is_good
    for line in (first, second):
        start = f"  {ada}: Calculation {line.calculation_id} (OTBR): "
        assert any(one.startswith(start) for one in said)


def test_two_ends_of_a_chain_and_one_that_hangs_in_the_air_are_named(players):
    ada, bo, _ = players
    play(make_td(), [ada, bo], ends=date(2024, 4, 6), rounds=1)
    opening, first, second = RatingChange.objects.filter(player=ada).order_by("pk")
    forge(second, previous_id=opening.pk)
    _is_good, said = audit()
    assert f"  {ada}: 2 current OTBR lines continue the same line." in said
    forge_again = RatingChange.objects.filter(pk=second.pk)
    forge_again.update(previous_id=None)
    _is_good, said = audit()
    assert f"  {ada}: 2 current OTBR lines begin it." in said
    Calculation.objects.filter(pk=first.calculation_id).update(is_current=False)
    forge_again.update(previous_id=first.pk)
    _is_good, said = audit()
    assert f"  {ada}: a current OTBR line continues one that is not current." in said


def test_who_was_merged_with_others_before_is_no_fault(players):
    """A member merged into another of the section, and later into a third."""
    ada, bo, idle = players
    eva, fay = (make_player(ratings={"OTBR": (1500.0, 40)}) for _ in range(2))
    actor = make_user(is_superuser=True)
    # Eva was merged into Bo; then, correctly, into the idle one.
    undo_merge(
        merge_id=merge_with_approval(bo, eva).pk, actor=actor, reason="Two people."
    )
    section = section_report([ada, eva, bo, fay], ["W2W", "L1B", "W4W", "L3B"])
    rated_event(make_td(), event_report(make_td(), [section]))
    merge_with_approval(idle, eva)
    run = rerate()
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    is_fine, said = audit()
    assert (is_fine, [line for line in said if LINES in line]) == (
        True,
        [f"{LINES} yes (11 checked)"],
    )
    # The same while the undone merge waits for a rerate.
    undo_merge(
        merge_id=PlayerMerge.objects.latest("pk").pk, actor=actor, reason="Two people."
    )
    assert f"{LINES} yes (11 checked)" in audit()[1]


def test_who_had_no_game_and_was_merged_for_a_while_is_no_fault(players):
    """Merged into another of the section, the member would come first in its order."""
    ada, bo, _idle = players
    eva = make_player()
    section = section_report([eva, ada, bo], ["B0", "W3W", "L2B"])
    rated_event(make_td(), event_report(make_td(), [section]))
    merged = merge_with_approval(bo, eva)
    undo_merge(
        merge_id=merged.pk, actor=make_user(is_superuser=True), reason="Two people."
    )
    assert f"{LINES} yes (7 checked)" in audit()[1]


def test_who_went_on_under_a_number_that_was_merged_for_a_while_is_no_fault(players):
    """Rated when the kept number was merged in its turn, and not again since."""
    ada, bo, idle = players
    other = make_player(ratings={"OTBR": (1500.0, 40)})
    actor = make_user(is_superuser=True)
    merge_with_approval(idle, bo)
    further = merge_with_approval(other, idle)
    run = rerate()
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    section = Calculation.objects.get(section__isnull=False, is_current=True)
    assert set(section.changes.values_list("player", flat=True)) == {ada.pk, other.pk}
    undo_merge(merge_id=further.pk, actor=actor, reason="Two people.")
    bo.refresh_from_db()
    assert bo.merged_into == idle
    assert f"{LINES} yes (6 checked)" in audit()[1]
