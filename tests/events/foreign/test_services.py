"""Entry of foreign events: existing events, opponents' ratings, corrections."""

from datetime import date

import pytest

from events.foreign.services.results import (
    NotPossible,
    change_event,
    correct_result,
    enter_event,
    enter_result,
    exclude_result,
    look_up_again,
    restore_result,
)
from events.formats.foreign.report import ReportedUnplayedRound
from events.models import ForeignEvent, ForeignResult
from players.members.rating_history import rating_history
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.models import AuditEntry
from tests.events.foreign.factories import (
    facts,
    foreign_staff,
    game,
    make_event,
    make_result,
    store_list,
)
from tests.factories import make_player, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def announced_changes(monkeypatch):
    """Collect the changes announced to the ratings app, in order."""
    told = []

    def listen(*, kind, player, day, note, **_):
        told.append((kind, player, day, note))

    monkeypatch.setattr(rating_history(), "history_changed", listen)
    return told


def ratings_of(result):
    return [
        (one.round_number, one.opponent_rating, one.rating_source)
        for one in result.games.all()
    ]


def test_lists_of_an_event_follow_from_its_days():
    staff = foreign_staff()
    event = make_event(staff, starts=date(2024, 12, 27), ends=date(2025, 1, 5))
    assert (event.list_date, event.rated_list) == (date(2024, 12, 1), date(2025, 2, 1))
    event = make_event(staff, starts=date(2024, 12, 1), ends=date(2024, 12, 9))
    assert (event.list_date, event.rated_list) == (date(2024, 12, 1), date(2025, 1, 1))


@pytest.mark.parametrize(
    ("again", "is_new"),
    [
        ({}, False),
        ({"name": "PARIS  open!"}, False),
        ({"fide_code": "384210"}, False),
        ({"name": "Other name", "fide_code": "384210"}, True),
        ({"name": "Paris Masters"}, True),
        ({"ends": date(2024, 5, 13)}, True),
    ],
)
def test_event_is_found_again_by_name_and_days(again, is_new):
    staff = foreign_staff()
    first = make_event(staff)
    event, created = enter_event(actor=staff, facts=facts(**again))
    assert created is is_new
    assert (event.pk == first.pk) is not is_new


def test_event_is_found_again_by_its_code_and_groups_of_a_festival_are_not():
    staff = foreign_staff()
    first = make_event(staff, fide_code="384210")
    same, _ = enter_event(actor=staff, facts=facts(name="X", fide_code="384210"))
    group_b, created = enter_event(actor=staff, facts=facts(fide_code="384211"))
    assert same == first
    assert created
    assert group_b != first


def test_code_is_noted_with_an_event_that_had_none():
    staff = foreign_staff()
    first = make_event(staff)
    enter_event(actor=staff, facts=facts(fide_code="384210"))
    first.refresh_from_db()
    assert first.fide_code == "384210"


def test_entering_requires_the_permission():
    with pytest.raises(NotAllowed) as refusal:
        make_event(make_user(is_staff=True))
    assert refusal.value.permission == "events.rate_foreign"
    assert not ForeignEvent.objects.exists()


def test_opponents_are_rated_by_the_list_in_force_on_the_first_day():
    staff, player = foreign_staff(), make_player()
    store_list({11: (2300, 0, "FRA"), 12: (2400, 0, "GER")}, day=date(2024, 4, 1))
    store_list({11: (2310, 9, "FRA"), 13: (None, 0, "ITA")})
    store_list({11: (2330, 9, "FRA"), 14: (2000, 0, "ESP")}, day=date(2024, 6, 1))
    event = make_event(staff)
    result = enter_result(
        actor=staff,
        event_id=event.pk,
        player=player,
        games=[
            game(1, 2, fide_id="11", rating=2999),
            game(2, 2, fide_id="12"),
            game(3, 2, fide_id="13", rating=1900),
            game(4, 2, fide_id="14", rating=2000),
            game(5, 2, rating=2150),
            game(6, 2),
        ],
    )
    assert ratings_of(result) == [
        (1, 2310, "list"),  # not the stated rating
        (2, 2400, "list"),  # unchanged since April
        (3, None, "list"),  # unrated on the list, despite a stated rating
        (4, None, "list"),  # on no list yet
        (5, 2150, "hand"),  # no FIDE ID to look up
        (6, None, ""),
    ]


def test_without_the_list_of_the_month_what_was_stated_counts():
    staff, player = foreign_staff(), make_player()
    store_list({11: (2300, 0, "FRA")}, day=date(2024, 4, 1))
    event = make_event(staff)
    result = enter_result(
        actor=staff,
        event_id=event.pk,
        player=player,
        games=[game(1, 2, fide_id="11", rating=2250), game(2, 1, fide_id="12")],
    )
    assert ratings_of(result) == [(1, 2250, "hand"), (2, None, "")]
    store_list({11: (2310, 0, "FRA"), 12: (2100, 0, "FRA")})
    look_up_again(actor=staff, result_id=result.pk)
    assert ratings_of(result) == [(1, 2310, "list"), (2, 2100, "list")]


def test_refused_list_is_no_list():
    staff, player = foreign_staff(), make_player()
    store_list({11: (2310, 0, "FRA")}, state="refused")
    result = enter_result(
        actor=staff,
        event_id=make_event(staff).pk,
        player=player,
        games=[game(1, 2, fide_id="11", rating=2250)],
    )
    assert ratings_of(result) == [(1, 2250, "hand")]


def test_games_can_be_reentered_until_rated():
    staff, player = foreign_staff(), make_player()
    result = make_result(staff, player, [(2000, 2), (2100, 1)])
    again = enter_result(
        actor=staff,
        event_id=result.event_id,
        player=player,
        games=[game(1, 0, rating=2000)],
        rounds_off=[ReportedUnplayedRound(2, "bye")],
    )
    assert again.pk == result.pk
    assert ratings_of(again) == [(1, 2000, "hand")]
    assert again.unplayed == [{"round": 2, "what": "bye"}]
    ForeignResult.objects.update(status="rated")
    with pytest.raises(NotPossible, match=r"is rated\. Change it on its own page"):
        enter_result(
            actor=staff,
            event_id=result.event_id,
            player=player,
            games=[game(1, 2, rating=2000)],
        )


@pytest.mark.parametrize(
    ("games", "sentence"),
    [
        ([], "There’s no game that can be rated."),
        ([game(1, 2), game(1, 0)], "A round is entered twice"),
    ],
)
def test_nothing_to_enter_is_refused(games, sentence):
    staff, player = foreign_staff(), make_player()
    event = make_event(staff)
    with pytest.raises(NotPossible, match=sentence):
        enter_result(actor=staff, event_id=event.pk, player=player, games=games)
    assert not event.results.exists()


def test_games_of_a_merged_number_are_those_of_the_member_kept():
    staff, kept = foreign_staff(), make_player()
    merged = make_player(status="duplicate", merged_into=kept)
    result = make_result(staff, merged, [(2000, 2)])
    assert result.player == kept


def test_correction_keeps_the_games_as_they_were_and_is_told(announced_changes):
    staff, player = foreign_staff(), make_player("12345678", "Ada", "Lind")
    result = make_result(staff, player, [(2000, 2), (2100, 1)])
    ForeignResult.objects.update(status="rated")
    corrected = correct_result(
        actor=staff,
        result_id=result.pk,
        games=[game(1, 2, rating=2000), game(2, 0, rating=2100)],
        reason="Round 2 was lost",
    )
    assert (corrected.version, corrected.status) == (2, "rated")
    assert [one.half_points for one in corrected.games.all()] == [2, 0]
    version = corrected.versions.get()
    assert (version.number, version.reason) == (1, "Round 2 was lost")
    assert [one["half_points"] for one in version.content["games"]] == [2, 1]
    assert announced_changes == [
        (
            "foreign",
            player,
            result.event.ends,
            "The games of Ada Lind in Paris Open were corrected.",
        )
    ]
    assert AuditEntry.objects.get(action="foreign_result.corrected").reason == (
        "Round 2 was lost"
    )


def test_only_rated_results_are_corrected(announced_changes):
    staff = foreign_staff()
    result = make_result(staff, make_player(), [(2000, 2)])
    with pytest.raises(NotPossible, match="Only a rated result"):
        correct_result(
            actor=staff, result_id=result.pk, games=[game(1, 0)], reason="Lost"
        )
    assert announced_changes == []


def test_leaving_out_is_told_only_of_what_was_rated(announced_changes):
    staff, player = foreign_staff(), make_player("12345678", "Ada", "Lind")
    result = make_result(staff, player, [(2000, 2)])
    exclude_result(actor=staff, result_id=result.pk, reason="Rapid games")
    assert announced_changes == []
    assert restore_result(
        actor=staff, result_id=result.pk, reason="Standard after all"
    ).status == ("draft")
    ForeignResult.objects.update(status="rated")
    left = exclude_result(actor=staff, result_id=result.pk, reason="Rapid games")
    assert (left.status, left.excluded_because) == ("excluded", "Rapid games")
    assert [note for _, _, _, note in announced_changes] == [
        "The result of Ada Lind in Paris Open was left out."
    ]


def test_new_dates_select_another_list_and_create_a_pending_rerate(announced_changes):
    staff = foreign_staff()
    store_list({11: (2300, 0, "FRA")}, day=date(2024, 4, 1))
    store_list({11: (2310, 0, "FRA")})
    event = make_event(staff)
    rated, draft = make_player(), make_player()
    for player in (rated, draft):
        enter_result(
            actor=staff,
            event_id=event.pk,
            player=player,
            games=[game(1, 2, fide_id="11")],
        )
    event.results.filter(player=rated).update(status="rated")
    change_event(
        actor=staff,
        event_id=event.pk,
        facts=facts(starts=date(2024, 4, 29)),
        reason="It began in April",
    )
    event.refresh_from_db()
    assert event.list_date == date(2024, 4, 1)
    assert [ratings_of(one) for one in event.results.all()] == [
        [(1, 2300, "list")],
        [(1, 2300, "list")],
    ]
    assert [(kind, player, day) for kind, player, day, _ in announced_changes] == [
        ("foreign", rated, event.ends)
    ]
    version = event.results.get(player=rated).versions.get()
    assert version.content["starts"] == "2024-05-04"
    assert version.content["games"][0]["opponent_rating"] == 2310


def test_new_name_creates_no_pending_rerate(announced_changes):
    staff = foreign_staff()
    result = make_result(staff, make_player(), [(2000, 2)])
    ForeignResult.objects.update(status="rated")
    change_event(
        actor=staff,
        event_id=result.event_id,
        facts=facts(name="Open de Paris"),
        reason="As they call it",
    )
    assert announced_changes == []
    assert ForeignEvent.objects.get().name == "Open de Paris"


def test_event_is_not_changed_into_another_one():
    staff = foreign_staff()
    make_event(staff)
    other = make_event(staff, name="Lyon Open")
    with pytest.raises(NotPossible, match="Paris Open is already entered"):
        change_event(actor=staff, event_id=other.pk, facts=facts(), reason="Same")
