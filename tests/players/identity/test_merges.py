"""Merging two records of one person, and undoing it."""

from datetime import date

import pytest

from players.identity.queries import differences
from players.identity.services import (
    MergeRefused,
    mark_not_duplicates,
    merge_players,
    undo_merge,
)
from players.members.queries import same_person_ids
from players.members.rating_history import rating_history
from players.models import ExternalRating, Player, PlayerMerge
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.approvals.kinds import ApprovalRefused
from ratings_site.common.approvals.services import approve
from ratings_site.common.models import AuditEntry, PendingAct
from tests.factories import make_player, make_staff, make_user, merge_with_approval
from tests.players.fide.fide_files import Person
from tests.players.fide.helpers import APRIL, MAY, import_list

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff():
    return make_staff()


def merge(kept, merged, staff, reason="The member wrote to us.") -> PlayerMerge:
    done = merge_players(
        kept_id=kept.pk, merged_id=merged.pk, actor=staff, reason=reason
    )
    if isinstance(done, PendingAct):
        done = approve(act_id=done.pk, actor=make_staff())
    for player in (kept, merged):
        player.refresh_from_db()
    return done


def undo(done, staff, *players) -> None:
    undo_merge(merge_id=done.pk, actor=staff, reason="Twins, it turns out.")
    for player in players:
        player.refresh_from_db()


def database_state() -> tuple:
    """Return the members' data that a merge may change."""
    return (
        list(Player.objects.order_by("pk").values()),
        list(
            Player.objects.order_by("memberships__pk").values_list(
                "memberships__pk", "pk"
            )
        ),
        list(
            ExternalRating.objects.order_by("player", "body", "list_date").values_list(
                "player", "body", "list_date", "rating", "source"
            )
        ),
    )


def test_merged_number_points_to_the_kept_one(staff, announced_changes):
    kept, merged = make_player(), make_player(status="suspended")
    done = merge(kept, merged, staff)
    assert (merged.status, merged.merged_into, merged.canonical) == (
        "duplicate",
        kept,
        kept,
    )
    assert (kept.status, kept.merged_into, kept.canonical) == ("active", None, kept)
    assert (done.kept, done.merged, done.by) == (kept, merged, staff)
    assert announced_changes == [("merge", kept, None)]
    entry = AuditEntry.objects.get(action="player.merged")
    assert (entry.actor, entry.reason, entry.subject_id) == (
        staff,
        "The member wrote to us.",
        str(merged.pk),
    )


@pytest.mark.parametrize(
    ("kept_born", "merged_born", "born"),
    [
        ((None, None), (None, 1982), (None, 1982)),
        ((None, 1982), (date(1982, 3, 23), None), (date(1982, 3, 23), 1982)),
        ((None, 1983), (date(1982, 3, 23), None), (None, 1983)),
        ((date(1983, 3, 23), None), (None, 1982), (date(1983, 3, 23), None)),
    ],
)
def test_a_birth_year_comes_along_unless_the_records_differ(
    staff, kept_born, merged_born, born
):
    kept, merged = (
        make_player(birth_date=day, birth_year=year)
        for day, year in (kept_born, merged_born)
    )
    years = {day.year if day else year for day, year in (kept_born, merged_born)}
    is_different = len(years - {None}) == 2
    assert bool(differences(kept, merged)) == is_different
    merge_with_approval(kept, merged)
    kept.refresh_from_db()
    assert (kept.birth_date, kept.birth_year) == born


def test_what_the_kept_record_lacks_comes_along_and_goes_back(staff, announced_changes):
    account = make_user("emmy")
    kept = make_player(birth_date=None)
    merged = make_player(
        account=account, fide_id="30900001", birth_date=date(1982, 3, 23),
        federation="USA", state="OH", gender="F",
    )  # fmt: skip
    import_list([Person(30900001, rating=2104)], APRIL)
    ExternalRating.objects.create(
        player=merged, body="CFC", list_date=MAY, rating=2050, source="By hand."
    )
    before = database_state()
    announced_changes.clear()

    done = merge(kept, merged, staff)
    assert (kept.fide_id, kept.account, kept.birth_date, kept.gender) == (
        "30900001",
        account,
        date(1982, 3, 23),
        "F",
    )
    assert (merged.fide_id, merged.account) == (None, None)
    assert kept.memberships.count() == 2
    assert list(kept.external_ratings.values_list("body", "list_date", "rating")) == [
        ("CFC", MAY, 2050),
        ("FIDE", APRIL, 2104),
    ]
    assert not merged.external_ratings.exists()

    undo(done, staff, kept, merged)
    assert database_state() == before
    assert announced_changes == [("merge", kept, None), ("merge", kept, None),
                    ("merge", merged, None)]  # fmt: skip
    done.refresh_from_db()
    assert (done.undone_by, done.undo_reason) == (staff, "Twins, it turns out.")


def test_undo_leaves_what_has_changed_since(staff):
    kept = make_player(birth_date=None)
    merged = make_player(birth_date=date(1982, 3, 23), fide_id="30900001")
    done = merge(kept, merged, staff)
    kept.birth_date, kept.fide_id = date(1982, 3, 24), "30900002"
    kept.save()
    undo(done, staff, kept, merged)
    assert (kept.birth_date, kept.fide_id) == (date(1982, 3, 24), "30900002")
    assert (merged.birth_date, merged.fide_id) == (date(1982, 3, 23), None)


def test_what_the_kept_record_says_itself_stays(staff):
    kept = make_player(birth_date=date(1982, 3, 24), gender="F", state="NY")
    merged = make_player(birth_date=date(1982, 3, 23), gender="M", state="OH")
    done = merge(kept, merged, staff)
    assert (kept.birth_date, kept.gender, kept.state) == (
        date(1982, 3, 24),
        "F",
        "NY",
    )
    assert done.moved["fields"] == {}


def test_own_ratings_of_the_kept_record_stay_before_the_others(staff):
    kept, merged = make_player(), make_player()
    for player, rating in ((kept, 2000), (merged, 1900)):
        ExternalRating.objects.create(
            player=player, body="CFC", list_date=MAY, rating=rating
        )
    done = merge(kept, merged, staff)
    assert kept.external_ratings.get().rating == 2000
    assert done.moved["external_ratings"] == []


def test_merging_into_a_duplicate_keeps_the_member_behind_it(
    staff, django_assert_num_queries
):
    one, two, three = make_player(), make_player(), make_player()
    merge(one, two, staff)
    merge(two, three, staff)
    assert three.merged_into == one
    assert two.merged_into == one
    with django_assert_num_queries(1):
        assert same_person_ids([one.pk]) == {one.pk: [one.pk, two.pk, three.pk]}


def test_duplicates_of_a_merged_member_follow_and_come_back(staff):
    one, two, three = make_player(), make_player(), make_player()
    first = merge(two, three, staff)
    second = merge(one, two, staff)
    three.refresh_from_db()
    assert three.merged_into == one
    undo(second, staff, one, two, three)
    assert (two.merged_into, three.merged_into) == (None, two)
    undo(first, staff, two, three)
    assert (three.status, three.merged_into) == ("active", None)


def test_undoing_the_earlier_merge_first_is_no_trouble(staff):
    one, two, three = make_player(), make_player(), make_player()
    first = merge(two, three, staff)
    second = merge(one, two, staff)
    undo(first, staff, three)
    assert three.merged_into is None
    undo(second, staff, two, three)
    assert (two.merged_into, three.merged_into) == (None, None)


def test_what_stands_against_a_merge_refuses_it(staff, monkeypatch, announced_changes):
    def met(pairs):
        return [[f"{one.name} and {other.name} played each other in 2024."]
                for one, other in pairs]  # fmt: skip

    monkeypatch.setattr(rating_history(), "merge_refusals", met)
    kept = make_player(given_name="Ada", family_name="One", fide_id="1")
    merged = make_player(given_name="Ada", family_name="Two", fide_id="2")
    before = database_state()
    with pytest.raises(MergeRefused) as refusal:
        merge(kept, merged, staff)
    assert refusal.value.sentences == [
        "They have different FIDE IDs, 1 and 2. If one of them is wrong, correct it "
        "first.",
        "Ada One and Ada Two played each other in 2024.",
    ]
    assert database_state() == before
    assert announced_changes == []


def test_a_member_is_not_merged_twice_or_into_itself(staff):
    kept, merged, other = make_player(), make_player(), make_player()
    done = merge(kept, merged, staff)
    with pytest.raises(MergeRefused, match="is already merged into"):
        merge(other, merged, staff)
    with pytest.raises(MergeRefused, match="already belong to one member"):
        merge(merged, kept, staff)
    undo(done, staff)
    with pytest.raises(MergeRefused, match="already been undone"):
        undo(done, staff)


def test_merging_takes_a_permission_and_a_reason(staff):
    kept, merged = make_player(), make_player()
    with pytest.raises(NotAllowed):
        merge(kept, merged, make_user(is_staff=True))
    with pytest.raises(MergeRefused, match="Enter why"):
        merge(kept, merged, staff, reason=" ")
    with pytest.raises(NotAllowed):
        undo_merge(merge_id=1, actor=make_user(), reason="x")
    with pytest.raises(NotAllowed):
        mark_not_duplicates(first_id=1, second_id=2, actor=make_user(), reason="x")
    assert not PlayerMerge.objects.exists()


@pytest.mark.parametrize(
    "other", [{"birth_date": date(1990, 1, 2)}, {"family_name": "Baker"}]
)
def test_two_whose_records_differ_are_merged_by_two_people(
    staff, announced_changes, other
):
    kept, merged = make_player(), make_player(**other)
    said = {"kept_id": kept.pk, "merged_id": merged.pk, "reason": "A letter."}
    act = merge_players(actor=staff, **said)
    with pytest.raises(ApprovalRefused, match="another person must approve"):
        approve(act_id=act.pk, actor=staff)
    with pytest.raises(ApprovalRefused, match="already proposed"):
        merge_players(actor=make_staff(), **said)
    assert (announced_changes, PlayerMerge.objects.count()) == ([], 0)
    second = make_staff()
    done = approve(act_id=act.pk, actor=second)
    assert (done.kept, done.merged, done.by) == (kept, merged, staff)
    assert announced_changes == [("merge", kept, None)]
    assert AuditEntry.objects.get(action="player.merged").actor == second


def test_told_apart_once_in_either_order(staff):
    one, two = make_player(), make_player()
    apart = mark_not_duplicates(
        first_id=two.pk, second_id=one.pk, actor=staff, reason="Father and son."
    )
    assert (apart.first, apart.second, apart.reason) == (one, two, "Father and son.")
    with pytest.raises(MergeRefused, match="already marked as not duplicates"):
        mark_not_duplicates(
            first_id=one.pk, second_id=two.pk, actor=staff, reason="Again."
        )
