"""Publishing an official list: its members, refusals, and immutability."""

from datetime import date

import pytest
import time_machine
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from ratings.ledger.services.pending_rerates import add_pending_rerate
from ratings.lists.services.lists import ListRefused, prepare_list, publish_list
from ratings.models import (
    ListDraft,
    OfficialList,
    OfficialListFile,
    OfficialRating,
    PlayerRating,
    Run,
)
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.models import AuditEntry
from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    open_rating,
    section_report,
    swiss_rows,
)
from tests.ratings.lists.helpers import (
    AFTER,
    BEFORE,
    CUT_OFF,
    JULY,
    JUNE,
    line_of,
    make_publisher,
    newcomer_who_lost,
    published,
    published_rerate,
)

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]


def on_list(official: OfficialList) -> dict[str, int]:
    rows = official.ratings.filter(system="OTBR").select_related("player")
    return {row.player.member_id: row.rating for row in rows}


def messages_of(draft: ListDraft, level: str) -> list[str]:
    return [
        check["sentence"]
        for check in draft.summary["checks"]
        if check["level"] == level
    ]


# Listed members


def test_ratings_are_whole_numbers_with_places_and_floors():
    first = make_player("30000001", ratings={"OTBR": (2010.5, 300)}, state="IL")
    second = make_player("30000002", ratings={"OTBR": (1800.49, 12)}, state="OH")
    third = make_player("30000003", ratings={"OTBR": (1799.5, 80)}, state="IL")
    fourth = make_player("30000004", ratings={"OTBR": (1650.0, 40)}, state="")

    official = published()

    columns = ("player", "rating", "games", "is_provisional", "floor")
    places = ("state", "place", "state_place", "above", "change")
    assert list(
        official.ratings.order_by("place", "player").values_list(*columns, *places)
    ) == [
        (first.pk, 2011, 300, False, 1800, "IL", 1, 1, 3, line_of(first).pk),
        # Equal ratings share a place in the country, and are alone in their states.
        (second.pk, 1800, 12, True, 100, "OH", 2, 1, 1, line_of(second).pk),
        (third.pk, 1800, 80, False, 1600, "IL", 2, 2, 1, line_of(third).pk),
        (fourth.pk, 1650, 40, False, 1400, "", 4, None, 0, line_of(fourth).pk),
    ]
    assert official.members == 4
    assert official.summary["totals"] == {"OTBR": {"": 4, "IL": 2, "OH": 1}}


def test_rating_that_still_is_its_start_is_listed_to_the_nearest_50():
    child = newcomer_who_lost(state="IL")
    assert line_of(child).age_start == pytest.approx(508, abs=1)
    make_player("30000002", ratings={"OTBR": (508.0, 40)})

    official = published()

    rows = official.ratings.filter(rating__lt=1000)
    assert list(
        rows.values_list("player__member_id", "rating", "is_about", "place")
    ) == [
        ("30000002", 508, False, 5),
        (child.member_id, 500, True, 6),
    ]


def test_draft_is_another_one_when_only_the_flag_differs():
    player = make_player(ratings={"OTBR": (500.0, 12)})
    digests = []
    for age_start in (None, 500.0):
        PlayerRating.objects.filter(player=player).update(age_start=age_start)
        draft = prepare_list(month=JUNE, actor=None, cut_off=timezone.now())
        digests.append(draft.digest)
    assert digests[0] != digests[1]


def test_it_takes_four_games_in_the_system():
    few = make_player("30000001", ratings={"OTBR": (1500.0, 3), "OTBQ": (1400.0, 4)})
    make_player("30000002", ratings={"OTBR": (1500.0, 4)})

    official = published()

    assert on_list(official) == {"30000002": 1500}
    assert list(
        official.ratings.filter(player=few).values_list("system", "rating")
    ) == [("OTBQ", 1400)]


def test_membership_may_have_ended_three_months_before():
    rated = {"OTBR": (1500.0, 30)}
    make_player("30000001", ratings=rated, member_until=date(2024, 2, 29))
    make_player("30000002", ratings=rated, member_until=date(2024, 3, 1))
    make_player("30000003", ratings=rated, member_until=date(2024, 6, 1))

    assert on_list(published(JUNE)) == {"30000002": 1500, "30000003": 1500}


def test_membership_months_are_a_setting(settings):
    settings.LIST_MEMBERSHIP_MONTHS = 0
    rated = {"OTBR": (1500.0, 30)}
    make_player("30000001", ratings=rated, member_until=date(2024, 5, 31))
    make_player("30000002", ratings=rated, member_until=date(2024, 6, 1))

    assert on_list(published(JUNE)) == {"30000002": 1500}


@pytest.mark.parametrize(
    ("status", "listed"),
    [("inactive", True), ("suspended", True), ("deceased", False), ("revoked", False)],
)
def test_the_dead_and_the_expelled_are_left_out(status, listed):
    make_player("30000001", ratings={"OTBR": (1600.0, 30)})
    make_player("30000002", ratings={"OTBR": (1500.0, 30)}, status=status)

    assert ("30000002" in on_list(published())) is listed


def test_a_duplicate_number_is_left_out():
    kept = make_player("30000001", ratings={"OTBR": (1600.0, 30)})
    make_player(
        "30000002",
        ratings={"OTBR": (1500.0, 30)},
        status="duplicate",
        merged_into=kept,
    )

    assert on_list(published()) == {"30000001": 1600}


def test_what_was_rated_by_the_cut_off_counts():
    with time_machine.travel(BEFORE, tick=False):
        make_player("30000001", ratings={"OTBR": (1500.0, 30)})
    with time_machine.travel(CUT_OFF, tick=False):
        make_player("30000002", ratings={"OTBR": (1600.0, 30)})
    with time_machine.travel(AFTER, tick=False):
        make_player("30000003", ratings={"OTBR": (1700.0, 30)})
        draft = prepare_list(month=JUNE, actor=None)
        official = publish_list(
            month=JUNE, digest=draft.digest, actor=None, reason="June."
        )

    assert official.cut_off == CUT_OFF
    assert on_list(official) == {"30000001": 1500, "30000002": 1600}


def test_a_rerate_after_the_cut_off_is_not_on_the_list():
    with time_machine.travel(BEFORE, tick=False):
        player = make_player("30000001", ratings={"OTBR": (1500.0, 30)})
    with time_machine.travel(AFTER, tick=False):
        run = published_rerate({line_of(player).pk: 1444.0})
        draft = prepare_list(month=JUNE, actor=None)
        official = publish_list(
            month=JUNE, digest=draft.digest, actor=None, reason="June."
        )

    assert on_list(official) == {"30000001": 1500}
    assert messages_of(draft, "note") == [
        f"Rerate {run.pk} was published after the cutoff. This list has the ratings "
        "from before it."
    ]


# The preview


def test_preview_counts_against_the_list_before():
    players = [
        make_player(f"3000000{number}", ratings={"OTBR": (1500.0, 30)})
        for number in range(1, 5)
    ]
    june = published(JUNE)
    lines = {
        line_of(players[0]).pk: 1520.0,
        line_of(players[1]).pk: 1450.0,
        line_of(players[2]).pk: 1500.4,
    }
    published_rerate(lines)
    players[3].memberships.update(expires=date(2024, 3, 31))
    make_player("30000009", ratings={"OTBR": (1900.0, 10)})

    draft = prepare_list(month=JULY, actor=None, cut_off=timezone.now())

    assert june.members == 4
    assert draft.summary["members"] == 4
    assert draft.summary["previous"] == "2024-06"
    assert draft.summary["systems"][0] == {
        "system": "OTBR",
        "listed": 4,
        "provisional": 1,
        "new": 1,
        "dropped": 1,
        "changed": 2,
    }
    assert [
        (one["member_id"], one["before"], one["after"])
        for one in draft.summary["largest"]
    ] == [("30000002", 1500, 1450), ("30000001", 1500, 1520)]
    # One has lost points, one is new, and one is provisional.
    assert draft.summary["movers"] == [
        {"player": players[0].pk, "gain": 20, "after": 1520}
    ]


def test_preview_warns_of_what_waits(db):
    td = make_td()
    players = [make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(4)]
    published(date(2024, 4, 1))
    add_pending_rerate(
        kind="floor", day=date(2024, 5, 1), note="A floor came.", player=players[0]
    )
    accepted_event(td, event_report(td, [section_report(players, swiss_rows(4, 3))]))

    draft = prepare_list(month=JUNE, actor=None, cut_off=timezone.now())

    assert messages_of(draft, "error") == []
    assert messages_of(draft, "warning") == [
        "Pending rerates from before the cutoff: 1. Their changes are not on this "
        "list.",
        "Accepted sections that are not rated yet: 1. Sections rated after the cutoff "
        "will be on the next list.",
        "There is no May 2024 list. The April 2024 list stays official until Jun 1, "
        "2024.",
    ]


# Refusals


@pytest.fixture
def player():
    return make_player("30000001", ratings={"OTBR": (1500.0, 30)})


def refusal(act, **kwargs) -> str:
    with pytest.raises(ListRefused) as refused:
        act(**kwargs)
    return str(refused.value)


def test_publishing_takes_the_permission(player):
    draft = prepare_list(month=JUNE, actor=None)
    with pytest.raises(NotAllowed):
        publish_list(
            month=JUNE, digest=draft.digest, actor=make_staff(), reason="June."
        )
    assert not OfficialList.objects.exists()


def test_publishing_takes_a_reason_and_is_written_down(player):
    staff = make_publisher()
    with time_machine.travel(AFTER, tick=False):
        prepare_list(month=JUNE, actor=staff)
    draft = prepare_list(month=JUNE, actor=staff, cut_off=timezone.now())
    args = {"month": JUNE, "digest": draft.digest, "actor": staff}

    assert refusal(publish_list, reason="  ", **args).startswith("Give a reason")

    official = publish_list(reason="June.", **args)
    assert (official.published_by, official.reason) == (staff, "June.")
    entry = AuditEntry.objects.get(action="list.published")
    assert (entry.actor, entry.reason, entry.subject_id) == (
        staff,
        "June.",
        str(official.pk),
    )


def test_a_month_is_published_once(player):
    published(JUNE)
    said = refusal(prepare_list, month=JUNE, actor=None)
    assert said == (
        "The June 2024 list is already published, and a published list never changes."
    )
    digest = OfficialList.objects.get().digest
    assert said == refusal(
        publish_list, month=JUNE, digest=digest, actor=None, reason="Again."
    )


def test_no_list_comes_before_one_that_is_published(player):
    published(JULY)
    assert refusal(prepare_list, month=JUNE, actor=None) == (
        "The July 2024 list is already published. An earlier list would change what "
        "was official then."
    )


def test_a_month_has_a_first_day(player):
    assert refusal(prepare_list, month=date(2024, 6, 2), actor=None).startswith(
        "A list is for a whole month"
    )


def test_a_list_before_its_cutoff_is_shown_but_not_published():
    with time_machine.travel(BEFORE, tick=False) as clock:
        make_player("30000001", ratings={"OTBR": (1500.0, 30)})
        draft = prepare_list(month=JUNE, actor=None)
        args = {"month": JUNE, "actor": None, "reason": "June."}

        assert draft.summary["systems"][0]["listed"] == 1
        assert messages_of(draft, "error")[0].startswith(
            "The cutoff is May 15, 2024, 11:45 PM CT."
        )
        assert refusal(publish_list, digest=draft.digest, **args) == (
            "You can publish this list after its cutoff, May 15, 2024, 11:45 PM CT."
        )
        clock.move_to(AFTER)
        assert refusal(publish_list, digest=draft.digest, **args) == (
            "This draft was prepared before the cutoff. Prepare it again."
        )


def test_an_open_rerate_comes_first(player):
    draft = prepare_list(month=JUNE, actor=None, cut_off=timezone.now())
    run = Run.objects.create(kind="rerate", status="ready")
    args = {"month": JUNE, "digest": draft.digest, "actor": None, "reason": "June."}

    assert refusal(publish_list, **args) == (
        "A rerate is in progress. Publish or discard it first."
    )
    again = prepare_list(month=JUNE, actor=None, cut_off=timezone.now())
    assert messages_of(again, "error") == [
        "A rerate is in progress. Publish or discard it first."
    ]
    run.status = "discarded"
    run.save()
    assert publish_list(**args).members == 1


def test_what_is_published_is_what_was_looked_at(player):
    draft = prepare_list(month=JUNE, actor=None, cut_off=timezone.now())
    args = {"month": JUNE, "actor": None, "reason": "June."}

    assert refusal(publish_list, digest="0" * 64, **args).startswith(
        "The list was prepared again after you opened it."
    )
    player.family_name = "Married"
    player.save()
    assert refusal(publish_list, digest=draft.digest, **args).startswith(
        "Members or memberships changed"
    )
    assert not OfficialList.objects.exists()


def test_no_draft_and_no_listed_members():
    args = {"month": JUNE, "actor": None, "reason": "June."}
    assert refusal(publish_list, digest="", **args) == (
        "Prepare the list and review it first."
    )
    draft = prepare_list(month=JUNE, actor=None, cut_off=timezone.now())
    assert refusal(publish_list, digest=draft.digest, **args) == (
        "This list would have no members."
    )


# Immutability


def test_later_ratings_and_rerates_leave_a_list_as_it_is(player):
    official = published(JUNE)
    before = snapshot()
    published_rerate({line_of(player).pk: 1404.0})
    open_rating(player, "OTBQ", 1300.0, 20)
    player.family_name, player.state = "Married", "TX"
    player.save()
    published(JULY)

    assert {
        table: [row for row in rows if row in before[table]]
        for table, rows in snapshot().items()
    } == before
    assert on_list(official) == {"30000001": 1500}


def snapshot() -> dict[str, list]:
    return {
        model.__name__: [
            tuple(
                bytes(value) if isinstance(value, memoryview) else value
                for value in row
            )
            for row in model.objects.order_by("pk").values_list()
        ]
        for model in (OfficialList, OfficialRating, OfficialListFile)
    }


@pytest.mark.parametrize("model", [OfficialList, OfficialRating, OfficialListFile])
@pytest.mark.parametrize("verb", ["UPDATE", "DELETE"])
def test_database_refuses_to_change_a_list(player, model, verb):
    published(JUNE)
    before = snapshot()
    table = model._meta.db_table
    for field in model._meta.fields:
        statement = (
            f"UPDATE {table} SET {field.column} = {field.column}"  # noqa: S608
            if verb == "UPDATE"
            else f"DELETE FROM {table}"  # noqa: S608
        )
        with (
            pytest.raises(DatabaseError, match=f"{table} is history"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
    assert snapshot() == before
