"""The estimator with an event of the calendar: its conditions and opponents."""

import re
from dataclasses import replace
from datetime import date, timedelta
from html import unescape
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from events.calendar.services import (
    Plan,
    PlannedSection,
    cancel_registration,
    register_event,
)
from events.models import EventRegistration
from players.models import Player
from ratings.models import PlayerRating
from ratings_site.common.ui.formatting import whole
from tests.factories import (
    accepted_event,
    event_report,
    make_affiliate,
    make_player,
    make_td,
    rated_event,
    section_report,
    swiss_rows,
)

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]

SOON = timezone.localdate() + timedelta(30)
CLUB = "A6000001"


@pytest.fixture
def td():
    return make_td("td", "12000001")


def planned(td, *time_controls: str, **fields) -> EventRegistration:
    given = {
        "name": "Saturday Open",
        "starts": SOON,
        "ends": SOON,
        "affiliate": make_affiliate(),
        "chief": td.player,
        "city": "Springfield",
        "state": "IL",
        "sections": [
            PlannedSection(f"Section {number}", control)
            for number, control in enumerate(time_controls, start=1)
        ],
    } | fields
    return register_event(actor=td, plan=Plan(**given))


def played(
    td,
    members: list[Player],
    *,
    control: str = "G/90;d5",
    rounds: int = 3,
    day: date = date(2024, 5, 4),
    is_rated: bool = False,
) -> None:
    rows = swiss_rows(len(members), rounds)
    section = section_report(members, rows, time_control=control)
    enter = rated_event if is_rated else accepted_event
    enter(td, event_report(td, [section], starts=day, ends=day))


def club(count: int, lowest: float = 1500.0) -> list[Player]:
    return [
        make_player(
            given_name=f"Given{number}",
            ratings={"OTBR": (lowest + 40 * number, 40)},
        )
        for number in range(count)
    ]


def nearest(members: list[Player], rating: float, count: int) -> list[str]:
    """Compute it from the current ratings, as on public profiles."""
    now = dict(
        PlayerRating.objects.filter(system="OTBR").values_list("player", "rating")
    )
    ranked = sorted(members, key=lambda one: abs(whole(now[one.pk]) - rating))
    return [one.member_id for one in ranked[:count]]


def ask(client, page: str = "", **fields):
    return client.get(f"/estimate/{page}?{urlencode(fields, doseq=True)}")


def words_of(response) -> str:
    main = response.content.decode().split("<main")[1].split("</main")[0]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", main)).split())


def rows_of(response) -> list[tuple[str, str]]:
    return [(row.text, row.result) for row in response.context["opponents"].rows]


def mark_in(response) -> str:
    """The value of the hidden field for the next request."""
    html = response.content.decode()
    return unescape(re.search(r'name="filled" value="([^"]*)"', html)[1])


@pytest.mark.parametrize("page", ["", "target/"])
def test_event_brings_its_time_control_and_the_nearest_of_those_who_play_there(
    client, td, page
):
    members = club(8)
    played(td, members, is_rated=True)
    me = make_player(ratings={"OTBR": (1633.0, 40)})
    event = planned(td, "G/75;d5", "G/75;d5", "G/30;d5")
    response = ask(client, page, member=me.member_id, event=event.pk)
    assert response.status_code == 200
    assert [text for text, _ in rows_of(response)] == nearest(members, 1633, 3)
    asked = response.context["answer"]["event"]
    assert (asked.system, asked.time_control.text, asked.day) == (
        *("OTBR", "G/75;d5", SOON),
    )
    words = words_of(response)
    assert (
        "Likely opponents: players near this rating at the last such event of Castle "
        "Chess Club."
    ) in words
    assert "3 of 3" in words


def test_scores_to_come_stand_on_the_page_with_what_they_lead_to(client, td):
    members = club(4)
    played(td, members)
    event = planned(td, "G/90;d5")
    response = ask(client, rating=1600, event=event.pk)
    scores = response.context["answer"]["scores"]
    assert [one.score for one in scores] == list(range(7))
    won = ask(client, rating=1600, o=[o for o, _ in rows_of(response)], r=["W"] * 3)
    assert scores[-1].low == won.context["answer"]["result"].post


def test_only_sections_of_the_same_kind_of_this_organizer_count(client, td):
    played(td, club(2), control="G/5;d0", rounds=1)
    regulars = club(2)
    played(td, regulars, rounds=1, day=date(2024, 6, 1))
    event = planned(td, "G/90;d5")
    response = ask(client, rating=1500, event=event.pk)
    assert [text for text, _ in rows_of(response)] == nearest(regulars, 1500, 1)
    elsewhere = planned(td, "G/90;d5", affiliate=make_affiliate("A6000002", name="B"))
    response = ask(client, rating=1500, event=elsewhere.pk)
    assert rows_of(response) == []
    assert "B has not held such an event yet." in words_of(response)


def test_event_without_sections_is_played_as_the_last_ones_were(client, td):
    played(td, club(2), control="G/30;d5", rounds=1)
    event = planned(td)
    asked = ask(client, rating=1500, event=event.pk).context["answer"]["event"]
    assert (asked.system, asked.time_control.text) == ("OTBR", "G/30;d5")


def test_unknown_time_control_fills_in_nothing(client, td):
    response = ask(client, rating=1500, event=planned(td).pk)
    assert response.status_code == 200
    assert "The time control of this event is not known yet." in words_of(response)


def test_event_alone_asks_for_a_name_and_an_account_is_one(client, td):
    members = club(4)
    played(td, members)
    event = planned(td, "G/90;d5")
    response = ask(client, event=event.pk)
    assert response.context["answer"] is None
    assert "Enter your name or rating to see likely opponents." in words_of(response)
    assert f'value="{event.pk}" selected' in response.content.decode()
    client.force_login(td)
    asked = ask(client, event=event.pk).context["answer"]["event"]
    assert asked.member == td.player


def test_those_who_died_and_oneself_are_no_opponents(client, td):
    members = club(4)
    played(td, members)
    Player.objects.filter(pk=members[1].pk).update(status=Player.Status.DECEASED)
    event = planned(td, "G/90;d5")
    response = ask(client, member=members[0].member_id, event=event.pk)
    found = {text for text, _ in rows_of(response)}
    assert found == {members[2].member_id, members[3].member_id}


def test_duplicate_of_a_member_is_met_as_the_member(client, td):
    members = club(2)
    kept = make_player(ratings={"OTBR": (1500.0, 40)})
    played(td, members, rounds=1)
    Player.objects.filter(pk=members[0].pk).update(
        merged_into=kept, status=Player.Status.DUPLICATE
    )
    event = planned(td, "G/90;d5")
    response = ask(client, rating=1400, event=event.pk)
    assert rows_of(response) == [(kept.member_id, "")]


def test_other_event_replaces_what_was_filled_in_and_nothing_that_was_typed(client, td):
    first, second = club(6), club(6, 1510.0)
    played(td, first)
    other = make_affiliate("A6000002", name="Rook Club")
    report = event_report(td, [section_report(second, swiss_rows(6, 3))])
    accepted_event(td, replace(report, affiliate_id=other.affiliate_id))
    here, there = planned(td, "G/90;d5"), planned(td, "G/60;d5", affiliate=other)
    before = ask(client, rating=1600, event=here.pk)
    filled = [text for text, _ in rows_of(before)]
    assert filled == nearest(first, 1600, 3)
    after = ask(
        client,
        rating=1600,
        event=there.pk,
        filled=mark_in(before),
        control="G/90;d5",
        day=SOON.isoformat(),
        o=[*filled, "1777"],
        r=["W", "", "", ""],
    )
    found = rows_of(after)
    assert found[:2] == [(filled[0], "W"), ("1777", "")]
    assert [text for text, _ in found[2:]] == nearest(second, 1600, 1)
    assert after.context["answer"]["event"].time_control.text == "G/60;d5"
    # Sent again, or opened from its link, it does not change.
    again = ask(
        client,
        rating=1600,
        event=there.pk,
        filled=mark_in(after),
        o=[text for text, _ in found],
        r=[result for _, result in found],
    )
    assert rows_of(again) == found
    linked = client.get(f"/estimate/{after.context['link']}")
    assert rows_of(linked) == found


@pytest.mark.parametrize("mark", ["", "x", ":::", "9:9:9.9.", "\0", "1:" * 50])
def test_nonsense_for_what_was_filled_in_is_answered(client, td, mark):
    played(td, club(4))
    event = planned(td, "G/90;d5")
    response = ask(client, rating=1600, event=event.pk, filled=mark, o="1500", r="W")
    assert response.status_code == 200
    assert ("1500", "W") in rows_of(response)


@pytest.mark.parametrize("typed", ["0", "99999999", "9" * 40, "x", "-1", "\0", "१"])
def test_unknown_event_gets_a_sentence(client, td, typed):
    response = ask(client, rating=1500, event=typed)
    assert response.status_code == 422
    assert "This event is over, canceled, or not in the calendar." in words_of(response)


def test_canceled_event_can_be_chosen_no_more(client, td):
    event = planned(td, "G/90;d5")
    assert "Saturday Open" in words_of(ask(client))
    cancel_registration(registration_id=event.pk, actor=td, reason="No hall.")
    assert "Saturday Open" not in words_of(ask(client))
    assert ask(client, rating=1500, event=event.pk).status_code == 422


def test_events_to_choose_from_begin_where_the_member_has_played(client, td):
    members = club(2)
    played(td, members, rounds=1)
    Player.objects.filter(pk=members[0].pk).update(state="TX")
    away = make_affiliate("A6000002", name="Rook Club")
    planned(td, name="Far", state="NY", affiliate=away, starts=SOON - timedelta(2))
    planned(td, name="Near", state="TX", affiliate=away, starts=SOON - timedelta(1))
    planned(td, name="Own")
    form = ask(client, member=members[0].member_id).context["form"]
    groups = [
        (str(group), [name.partition(",")[0] for _, name in names])
        for group, names in form.fields["event"].choices[1:]
    ]
    assert groups == [
        ("Affiliates where you have played", ["Own"]),
        ("In your state", ["Near"]),
        ("In the calendar", ["Far"]),
    ]


def test_calendar_and_profile_lead_there_while_the_event_is_to_come(client, td):
    event = planned(td, "G/90;d5")
    link = f'href="/estimate/?event={event.pk}"'
    assert link in client.get(event.get_absolute_url()).content.decode()
    cancel_registration(registration_id=event.pk, actor=td, reason="No hall.")
    assert link not in client.get(event.get_absolute_url()).content.decode()


def test_time_control_and_system_are_those_the_member_plays(client, td):
    members = club(2)
    for day in (1, 2, 3):
        played(td, members, control="G/60;d5", rounds=1, day=date(2024, 5, day))
    played(td, members, control="G/120;d5", rounds=1, day=date(2024, 5, 4))
    found = ask(client, member=members[0].member_id).context["form"]
    assert (found["system"].value(), found["control"].value()) == ("OTBR", "G/60;d5")
    # Input is kept.
    typed = ask(client, member=members[0].member_id, control="G/90;d5", rating="")
    assert typed.context["form"]["control"].value() == "G/90;d5"


def test_system_that_is_asked_for_brings_its_own_time_control(client, td):
    members = club(2)
    played(td, members, control="G/5;d0", rounds=1, day=date(2024, 5, 1))
    played(td, members, control="G/100;d5", rounds=1, day=date(2024, 5, 2))
    played(td, members, control="G/100;d5", rounds=1, day=date(2024, 5, 3))
    asked = ask(client, member=members[0].member_id, system="OTBB")
    assert asked.context["form"]["control"].value() == "G/5;d0"
    assert asked.status_code == 200


# In addition to those of any estimate: the member, planned events, the event's
# sections, the organizer's last ones, their players, the active ones, their ratings,
# and the own one.
QUERIES = 16


@pytest.mark.parametrize("size", [4, 20])
def test_event_takes_the_same_queries_for_any_size(
    client, td, django_assert_num_queries, size
):
    members = club(size)
    played(td, members)
    for _ in range(size // 4):
        event = planned(td, "G/90;d5")
    with django_assert_num_queries(QUERIES):
        ask(client, member=members[0].member_id, event=event.pk, rating="1500")
