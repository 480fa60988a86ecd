"""Statuses, and ratings entered manually."""

from datetime import date

import pytest

from players.external.services import RatingRefused, enter_rating
from players.identity.services import merge_players
from players.members.services import StatusRefused, change_status
from players.models import ExternalRating
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.models import AuditEntry
from tests.factories import make_player, make_staff, make_user
from tests.players.fide.helpers import APRIL, MAY

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("status", ["inactive", "deceased", "suspended", "revoked"])
def test_status_changes_with_a_reason(status):
    player, staff = make_player(), make_staff()
    change_status(player_id=player.pk, status=status, actor=staff, reason="A letter.")
    player.refresh_from_db()
    assert player.status == status
    entry = AuditEntry.objects.get(action="player.status_changed")
    assert (entry.actor, entry.reason, entry.facts) == (
        staff,
        "A letter.",
        {"status": {"from": "active", "to": status}},
    )


def test_duplicates_come_and_go_by_merging_only():
    kept, merged, staff = make_player(), make_player(), make_staff()
    with pytest.raises(StatusRefused, match="To mark a duplicate, merge"):
        change_status(
            player_id=merged.pk, status="duplicate", actor=staff, reason="Twice."
        )
    merge_players(kept_id=kept.pk, merged_id=merged.pk, actor=staff, reason="Twice.")
    with pytest.raises(StatusRefused, match="To mark a duplicate, merge"):
        change_status(player_id=merged.pk, status="active", actor=staff, reason="Back.")


def test_status_takes_a_permission_and_a_reason():
    player = make_player()
    with pytest.raises(NotAllowed):
        change_status(
            player_id=player.pk, status="deceased", actor=make_user(), reason="x"
        )
    with pytest.raises(StatusRefused, match="Enter why"):
        change_status(
            player_id=player.pk, status="deceased", actor=make_staff(), reason=""
        )


def entered(player, staff, rating=2050, day=MAY, **fields) -> ExternalRating:
    return enter_rating(
        player_id=player.pk, body="CFC", rating=rating, list_date=day, actor=staff,
        reason="chess.ca", **fields,
    )  # fmt: skip


def test_rating_is_entered_and_corrected_by_hand(announced_changes):
    player, staff = make_player(residence="CAN"), make_staff()
    entered(player, staff, 2050, MAY)
    entered(player, staff, 2000, APRIL, games=31)
    corrected = entered(player, staff, 2055, MAY)
    assert list(
        player.external_ratings.order_by("list_date").values_list(
            "body", "list_date", "rating", "games", "source"
        )
    ) == [
        ("CFC", APRIL, 2000, 31, "chess.ca"),
        ("CFC", MAY, 2055, None, "chess.ca"),
    ]
    assert announced_changes == [
        ("external_rating", player, MAY),
        ("external_rating", player, APRIL),
        ("external_rating", player, MAY),
    ]
    entry = AuditEntry.objects.get(action="external_rating.corrected")
    assert (entry.facts["from"], entry.facts["to"]) == (2050, 2055)
    assert entry.subject_id == str(corrected.pk)


def test_ratings_that_cannot_be_are_refused(announced_changes):
    player, staff = make_player(), make_staff()
    with pytest.raises(RatingRefused, match="in the future"):
        entered(player, staff, day=date(2099, 1, 1))
    entered(player, staff)
    announced_changes.clear()
    with pytest.raises(RatingRefused, match="already entered"):
        entered(player, staff)
    assert entered(player, staff, games=30).games == 30
    announced_changes.clear()
    with pytest.raises(NotAllowed):
        entered(player, make_user())
    assert announced_changes == []
