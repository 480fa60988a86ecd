"""The ratings' checks on merging two members."""

from datetime import date, timedelta

import pytest

from events.foreign.services.results import exclude_result
from events.models import ForeignResult
from players.external.services import enter_rating
from players.identity.services import MergeRefused, merge_players, undo_merge
from players.models import ExternalRating, Player, PlayerMerge
from ratings.ledger.queries.merge_checks import (
    merge_denial_reasons,
    ratings_to_compare,
    started_since,
)
from ratings.models import RerateMark
from ratings.rerates.services.start import start_rerate
from tests.events.foreign.factories import foreign_staff, make_result
from tests.factories import (
    END,
    event_report,
    make_player,
    make_staff,
    make_td,
    rated_event,
    section_report,
)

pytestmark = pytest.mark.django_db


def rate(players: list[Player], rows: list[str], day: date = END) -> None:
    td = make_td()
    report = event_report(td, [section_report(players, rows)], starts=day, ends=day)
    rated_event(td, report)


def rated(rating: float = 1500.0) -> Player:
    return make_player(ratings={"OTBR": (rating, 30)})


def test_members_who_met_are_not_merged():
    one, other, third = rated(), rated(), rated()
    rate([third, other, one], ["W2W U0", "L1B W3W", "U0 L2B"])

    for kept, merged in ((one, other), (other, one)):
        with pytest.raises(
            MergeRefused, match=r"played each other in round 2 of .*May"
        ):
            merge_players(
                kept_id=kept.pk, merged_id=merged.pk, actor=make_staff(), reason="Same."
            )
    merge_players(
        kept_id=one.pk, merged_id=third.pk, actor=make_staff(), reason="Same."
    )


def test_members_who_met_through_a_merged_number_are_not_merged():
    kept, number, rival = rated(), make_player(), rated()
    rate([number, rival], ["W2W", "L1B"])
    merge_players(
        kept_id=kept.pk, merged_id=number.pk, actor=make_staff(), reason="Same."
    )
    with pytest.raises(MergeRefused, match="played each other"):
        merge_players(
            kept_id=kept.pk, merged_id=rival.pk, actor=make_staff(), reason="Same."
        )


@pytest.mark.parametrize("pairs", [1, 4])
def test_pairs_are_told_from_each_other_in_the_same_queries(
    django_assert_num_queries, pairs
):
    met = [(rated(), rated()) for _ in range(pairs)]
    for one, other in met:
        rate([one, other], ["W2W", "L1B"])
    apart = [(one, make_player()) for one, _other in met]
    with django_assert_num_queries(3):
        against = merge_denial_reasons([*met, *apart])
    assert [len(sentences) for sentences in against] == [1] * pairs + [0] * pairs


def test_two_with_results_in_one_foreign_event_are_not_merged():
    staff = foreign_staff()
    kept, number, other = rated(), make_player(), rated()
    merge_players(kept_id=kept.pk, merged_id=number.pk, actor=staff, reason="Same.")
    make_result(staff, kept, [(2400, 2)], name="Lyon Open")
    # The result keeps the number that it was entered for.
    ForeignResult.objects.update(player=number)
    mistaken = make_result(staff, other, [(2300, 1)], name="Lyon Open")
    for one, two in ((kept, other), (other, kept)):
        with pytest.raises(MergeRefused) as refused:
            merge_players(kept_id=one.pk, merged_id=two.pk, actor=staff, reason="Same.")
        assert refused.value.sentences == [
            (
                "Both have a result in the foreign event Lyon Open. If one was entered "
                "by mistake, remove it first."
            )
        ]
    exclude_result(actor=staff, result_id=mistaken.pk, reason="Another member's games.")
    merge_players(kept_id=kept.pk, merged_id=other.pk, actor=staff, reason="Same.")
    other.refresh_from_db()
    assert other.canonical == kept


def test_results_in_different_foreign_events_do_not_hinder_a_merge():
    staff, kept, other = foreign_staff(), rated(), rated()
    make_result(staff, kept, [(2400, 2)], name="Lyon Open")
    make_result(staff, other, [(2300, 1)], name="Nice Open")
    merge_players(kept_id=kept.pk, merged_id=other.pk, actor=staff, reason="Same.")
    other.refresh_from_db()
    assert other.canonical == kept


def merge_of(kept: Player, merged: Player) -> PlayerMerge:
    return merge_players(
        kept_id=kept.pk, merged_id=merged.pk, actor=make_staff(), reason="Same."
    )


def test_merge_and_its_undo_cancel_each_other():
    kept, merged = rated(), rated()
    rate([kept, rated()], ["W2W", "L1B"])
    RerateMark.objects.all().delete()
    merge = merge_of(kept, merged)
    assert RerateMark.objects.get().player == kept
    undo_merge(merge_id=merge.pk, actor=make_staff(), reason="Twins.")
    assert not RerateMark.objects.exists()


@pytest.mark.parametrize("follows", ["a rating", "a rerate"])
def test_undo_creates_pending_rerates_for_dependent_ratings(follows):
    kept, merged = rated(), rated()
    rate([kept, rated()], ["W2W", "L1B"])
    merge = merge_of(kept, merged)
    if follows == "a rating":
        rate([merged, rated()], ["W2W", "L1B"], END + timedelta(days=7))
    else:
        start_rerate(actor=None, reason="As every week.")
    undo_merge(merge_id=merge.pk, actor=make_staff(), reason="Twins.")
    assert {mark.player for mark in RerateMark.objects.filter(kind="merge")} == {
        kept,
        merged,
    }


def test_preview_of_a_merge_compares_ratings_and_sections():
    player, rival = rated(1623.4), rated()
    assert ratings_to_compare(player) == [
        ("Regular", "1623 (30 games)"),
        ("Rated sections", "0"),
    ]
    rate([player, rival], ["D2W", "D1B"])
    assert ratings_to_compare(player)[-1] == ("Rated sections", "1")


def test_fide_rating_matters_to_those_who_started_since():
    newcomer, veteran = make_player(), rated()
    rate([newcomer, veteran], ["W2W", "L1B"])
    both = [newcomer.pk, veteran.pk]
    assert started_since(both, END) == {newcomer.pk}
    assert started_since(both, END + timedelta(days=1)) == set()


def test_fide_rating_entered_later_creates_a_pending_rerate_for_newcomers_only():
    newcomer, veteran = make_player(), rated()
    rate([newcomer, veteran], ["W2W", "L1B"])
    for player in (newcomer, veteran):
        enter_rating(
            player_id=player.pk,
            body="FIDE",
            rating=1900,
            list_date=date(2024, 4, 1),
            actor=make_staff(),
            reason="The list of April.",
        )
    assert ExternalRating.objects.count() == 2
    assert [mark.player for mark in RerateMark.objects.all()] == [newcomer]
