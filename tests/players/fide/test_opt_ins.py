"""Opting in to events abroad, and the days that it covers."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from players.fide.queries import open_opt_in, opted_in_before
from players.fide.services.opt_ins import OptInRefused, ask_to_opt_out, opt_in, opt_out
from players.identity.services import merge_players
from players.models import FideOptIn
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.models import AuditEntry
from tests.factories import make_player, make_staff, make_user
from tests.players.fide.helpers import make_executive_director

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture
def member():
    return make_player(account=make_user("member"))


def test_member_opts_in_and_it_counts_for_events_that_begin_later(member):
    today = timezone.localdate()
    entered = opt_in(player_id=member.pk, actor=member.account)
    assert (entered.opted_in_on, entered.by_staff, entered.opted_out_on) == (
        today,
        False,
        None,
    )
    assert opted_in_before([member.pk], today) == set()
    assert opted_in_before([member.pk], today + DAY) == {member.pk}


def test_staff_enter_a_written_opt_in_of_an_earlier_day(member):
    staff = make_staff()
    with pytest.raises(OptInRefused, match="Enter how the member made the request"):
        opt_in(player_id=member.pk, actor=staff, day=date(2024, 1, 2))
    entered = opt_in(
        player_id=member.pk, actor=staff, day=date(2024, 1, 2), note="Letter."
    )
    assert (entered.opted_in_on, entered.by_staff) == (date(2024, 1, 2), True)
    assert AuditEntry.objects.get().reason == "Letter."


def test_opt_in_refuses_other_members_past_dates_and_repeats(member):
    with pytest.raises(NotAllowed):
        opt_in(player_id=member.pk, actor=make_user(), note="Me too.")
    with pytest.raises(NotAllowed):
        opt_in(player_id=member.pk, actor=member.account, day=date(2020, 1, 1))
    with pytest.raises(OptInRefused, match="in the future"):
        opt_in(player_id=member.pk, actor=make_staff(), day=date(2099, 1, 1), note="A.")
    opt_in(player_id=member.pk, actor=member.account)
    with pytest.raises(OptInRefused, match="has already opted in"):
        opt_in(player_id=member.pk, actor=member.account)
    assert FideOptIn.objects.count() == 1


def test_opting_out_needs_the_executive_director(member):
    opt_in(player_id=member.pk, actor=member.account)
    for person in (member.account, make_staff()):
        with pytest.raises(NotAllowed):
            opt_out(player_id=member.pk, actor=person, reason="Lost too much.")
    with pytest.raises(OptInRefused, match="Enter why"):
        opt_out(player_id=member.pk, actor=make_executive_director(), reason=" ")
    assert FideOptIn.objects.get().opted_out_on is None


def test_events_up_to_the_opt_out_still_count(member):
    director = make_executive_director()
    opt_in(player_id=member.pk, actor=make_staff(), day=date(2024, 1, 2), note="L.")
    with pytest.raises(OptInRefused, match="before the opt-in date"):
        opt_out(
            player_id=member.pk, actor=director, reason="Ill.", day=date(2024, 1, 1)
        )
    ended = opt_out(
        player_id=member.pk, actor=director, reason="Ill.", day=date(2024, 5, 4)
    )
    assert (ended.opt_out_approved_by, ended.opt_out_reason) == (director, "Ill.")
    counts = {
        day: bool(opted_in_before([member.pk], day))
        for day in (date(2024, 1, 2), date(2024, 5, 4), date(2024, 5, 5))
    }
    assert list(counts.values()) == [False, True, False]
    with pytest.raises(OptInRefused, match="isn’t opted in"):
        opt_out(player_id=member.pk, actor=director, reason="Ill.")
    # The member may opt in again.
    opt_in(player_id=member.pk, actor=member.account)


def test_asking_to_opt_out_decides_nothing(member):
    opt_in(player_id=member.pk, actor=member.account)
    with pytest.raises(NotAllowed):
        ask_to_opt_out(player_id=member.pk, actor=make_user(), wish="")
    asked = ask_to_opt_out(player_id=member.pk, actor=member.account, wish="Please.")
    assert (asked.opt_out_asked_on, asked.opt_out_wish, asked.opted_out_on) == (
        timezone.localdate(),
        "Please.",
        None,
    )
    with pytest.raises(OptInRefused, match="already"):
        ask_to_opt_out(player_id=member.pk, actor=member.account, wish="Please!")


def test_wish_of_a_merged_number_counts_for_the_kept_one(
    member, django_assert_num_queries
):
    kept, staff = make_player(), make_staff()
    opt_in(player_id=member.pk, actor=staff, day=date(2024, 1, 2), note="Letter.")
    merge_players(
        kept_id=kept.pk, merged_id=member.pk, actor=staff, reason="One person."
    )
    with django_assert_num_queries(1):
        assert opted_in_before([kept.pk], MAY_4) == {kept.pk}
    assert opted_in_before([make_player().pk], MAY_4) == set()


MAY_4 = date(2024, 5, 4)


def test_opt_ins_of_both_numbers_end_after_a_merge(member):
    account, staff, kept = member.account, make_staff(), make_player()
    for one, day in ((member, date(2024, 1, 2)), (kept, date(2024, 2, 3))):
        opt_in(player_id=one.pk, actor=staff, day=day, note="Letter.")
    merge_players(
        kept_id=kept.pk, merged_id=member.pk, actor=staff, reason="One person."
    )
    ask_to_opt_out(player_id=kept.pk, actor=account, wish="Please.")
    director = make_executive_director()
    opt_out(player_id=member.pk, actor=director, reason="Ill.", day=MAY_4)
    assert opted_in_before([kept.pk], MAY_4) == {kept.pk}
    assert opted_in_before([kept.pk], MAY_4 + DAY) == set()


def test_opt_in_of_a_merged_number_is_open_for_the_kept_one(member):
    account, staff, kept = member.account, make_staff(), make_player()
    entered = opt_in(player_id=member.pk, actor=account)
    merge_players(
        kept_id=kept.pk, merged_id=member.pk, actor=staff, reason="One person."
    )
    kept.refresh_from_db()
    assert open_opt_in(kept) == entered
    with pytest.raises(OptInRefused, match="has already opted in"):
        opt_in(player_id=kept.pk, actor=account)
    asked = ask_to_opt_out(player_id=kept.pk, actor=account, wish="Please.")
    assert asked == entered
