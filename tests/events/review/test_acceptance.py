"""Acceptance creates an event from a submitted report."""

import pytest
from django.db import connection

from events.models import Entry, Event, Game, Section, UnplayedRound
from events.records.exceptions import NotPossible
from events.reports.services.submissions import set_event, set_section, submit_report
from events.review.services.acceptance import accept_report
from players.models import Membership, Player
from ratings_site.common.audit.services import entries_about
from ratings_site.common.models import Job
from tests.factories import (
    END,
    START,
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = pytest.mark.django_db


def established():
    return make_player(ratings={"OTBR": (1500.0, 30)})


def accepted(sections, td=None, **report) -> Event:
    td = td or make_td()
    return accepted_event(td, event_report(td, sections, **report))


def test_event_section_and_entries_say_what_the_report_says():
    td = make_td()
    players = [established(), established()]
    section = section_report(
        players,
        ["W2W", "L1B"],
        name="Premier",
        kind_letter="M",
        time_control=" G/90;d5 ",
        chief_td_id=td.player.member_id,
        scholastic_level="J",
        grand_prix=True,
        grand_prix_points=80,
        fide=True,
    )
    staff = make_staff()
    event = accepted_event(td, event_report(td, [section]), staff=staff)

    assert (event.event_id, event.name) == ("202405050004", "May Open")
    assert (event.starts, event.ends) == (START, END)
    assert (event.city, event.state, event.zip_code, event.country) == (
        "Springfield",
        "IL",
        "62701",
        "USA",
    )
    assert event.affiliate.affiliate_id == "A6000001"
    assert event.submission.decided_by == staff
    assert set(event.officials.values_list("section_number", "player", "role")) == {
        (None, td.player.pk, "chief"),
        (1, td.player.pk, "chief"),
    }
    kept = event.sections.get()
    assert (kept.number, kept.name, kept.kind) == (1, "Premier", "match")
    assert (kept.starts, kept.ends, kept.rounds) == (START, END, 1)
    assert (kept.time_control, kept.status) == ("G/90;d5", "ready")
    assert (kept.reported_system, kept.scholastic_level) == ("R", "J")
    assert (kept.grand_prix, kept.grand_prix_points, kept.fide) == ("Y", "80", "Y")
    assert list(
        kept.entries.values_list(
            "pairing_number", "player", "reported_name", "reported_member_id"
        )
    ) == [
        (number, player.pk, "ADAMS, ADA", player.member_id)
        for number, player in enumerate(players, start=1)
    ]


def games_of(section: Section) -> list[tuple]:
    return list(
        section.games.order_by(
            "round_number", "leg", "first__pairing_number"
        ).values_list(
            "round_number",
            "leg",
            "first__pairing_number",
            "second__pairing_number",
            "first_color",
            "first_outcome",
            "second_outcome",
        )
    )


def unplayed_of(section: Section) -> list[tuple]:
    return list(
        UnplayedRound.objects.filter(entry__section=section)
        .order_by("round_number", "entry__pairing_number")
        .values_list(
            "round_number", "entry__pairing_number", "kind", "opponent__pairing_number"
        )
    )


def test_games_and_unplayed_rounds_are_entered():
    players = [established() for _ in range(3)]
    event = accepted([section_report(players, ["W2W X3 B0", "L1B H0 U0", "H0 F1 B2"])])
    section = event.sections.get()
    assert games_of(section) == [(1, 1, 1, 2, "W", "W", "L")]
    assert unplayed_of(section) == [
        (1, 3, "H", None),
        (2, 1, "X", 3),
        (2, 2, "H", None),
        (2, 3, "F", 1),
        (3, 1, "B", None),
        (3, 3, "B", None),  # a bye has no opponent, even if its cell names one
    ]


def test_bye_that_names_the_player_himself_has_no_opponent():
    event = accepted(
        [section_report([established(), established()], ["W2W B1", "L1B H2"])]
    )
    assert unplayed_of(event.sections.get()) == [(2, 1, "B", None), (2, 2, "H", None)]


def test_both_games_of_a_double_round_are_entered():
    players = [established() for _ in range(4)]
    rows = ["#2W", "D1B", "L4W", "$3B"]
    event = accepted([section_report(players, rows, kind_letter="2")])
    assert [
        (leg, first, second, one, other)
        for _, leg, first, second, _, one, other in games_of(event.sections.get())
    ] == [
        (1, 1, 2, "W", "L"),
        (1, 3, 4, "L", "W"),
        (2, 1, 2, "D", "D"),
        (2, 3, 4, "L", "W"),
    ]


def test_round_robin_by_opponents_gets_rounds():
    players = [established() for _ in range(4)]
    rows = ["U0 W2W W3B D4W", "L1B U0 W3W H0", "L1W L2B U0 D4W", "D1B X0 D3B U0"]
    event = accepted([section_report(players, rows, kind_letter="R")])
    section = event.sections.get()
    assert (section.kind, section.rounds) == ("round_robin", 3)
    assert [game[:4] for game in games_of(section)] == [
        (1, 1, 1, 2),
        (1, 1, 3, 4),
        (2, 1, 1, 3),
        (3, 1, 1, 4),
        (3, 1, 2, 3),
    ]
    assert unplayed_of(section) == [(2, 2, "H", None), (2, 4, "X", None)]


def test_section_dates_are_its_own_or_those_of_the_event():
    sections = [
        section_report([established(), established()], ["W2W", "L1B"], starts=END),
        section_report([established(), established()], ["W2W", "L1B"], number=2),
    ]
    event = accepted(sections)
    assert list(event.sections.order_by("number").values_list("starts", "ends")) == [
        (END, END),
        (START, END),
    ]


def test_every_section_is_queued_for_rating():
    sections = [
        section_report([established(), established()], ["W2W", "L1B"], number=number)
        for number in (1, 2)
    ]
    event = accepted(sections)
    assert list(Job.objects.order_by("pk").values_list("kind", "key", "state")) == [
        ("ratings.rate_section", f"section {section.pk}", "queued")
        for section in event.sections.order_by("number")
    ]


def test_event_ids_count_up_from_the_ending_date():
    events = [
        accepted(
            [section_report([established(), established()], ["W2W", "L1B"])],
            ends=ends,
            name=name,
        )
        for ends, name in ((END, "One"), (END, "Two"), (START, "Three"))
    ]
    assert [event.event_id for event in events] == [
        "202405050004",
        "202405050014",
        "202405040004",
    ]


def test_last_event_id_of_a_day_is_the_last():
    td = make_td()
    first = accepted(
        [section_report([established(), established()], ["W2W", "L1B"])], td
    )
    Event.objects.filter(pk=first.pk).update(event_id="202405059994")
    submission = upload(
        td,
        event_report(
            td, [section_report([established(), established()], ["D2W", "D1B"])]
        ),
    )
    submit_report(submission_id=submission.pk, actor=td)

    with pytest.raises(NotPossible, match="1,000 event IDs"):
        accept_report(submission_id=submission.pk, actor=make_staff())

    submission.refresh_from_db()
    assert submission.state == "submitted"


def test_accepting_twice_is_one_action():
    td, staff = make_td(), make_staff()
    event = accepted(
        [section_report([established(), established()], ["W2W", "L1B"])], td
    )

    again = accept_report(submission_id=event.submission_id, actor=staff)

    assert again == event
    assert (Event.objects.count(), Job.objects.count()) == (1, 1)
    accepts = entries_about(event.submission).filter(action="submission.accepted")
    assert accepts.get().facts == {"event_id": "202405050004"}


def test_report_that_is_not_at_the_office_cannot_be_accepted():
    td = make_td()
    section = section_report([established(), established()], ["W2W", "L1B"])
    submission = upload(td, event_report(td, [section]))
    with pytest.raises(NotPossible, match="Only a submitted report"):
        accept_report(submission_id=submission.pk, actor=make_staff())
    assert not Event.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda player: Player.objects.filter(pk=player.pk).update(status="deceased"),
        lambda player: Membership.objects.filter(player=player).delete(),
        lambda player: Player.objects.filter(pk=player.pk).update(
            given_name="Zoe", family_name="Zulu", search_name="zulu zoe"
        ),
    ],
)
def test_records_that_changed_since_hold_the_report_back(change):
    td = make_td()
    players = [established(), established()]
    submission = upload(td, event_report(td, [section_report(players, ["W2W", "L1B"])]))
    submit_report(submission_id=submission.pk, actor=td)
    change(players[0])

    with pytest.raises(NotPossible, match="has new issues"):
        accept_report(submission_id=submission.pk, actor=make_staff())

    assert not Event.objects.exists()
    assert not Job.objects.exists()


def test_texts_too_long_for_their_columns_are_cut():
    """The TD gets a note; PostgreSQL would reject the texts."""
    td = make_td()
    section = section_report([established(), established()], ["W2W", "L1B"])
    submission = upload(td, event_report(td, [section]))
    set_event(
        submission_id=submission.pk,
        actor=td,
        version=1,
        changes={"name": "N" * 90, "city": "C" * 90, "zip_code": "1" * 90},
    )
    set_section(
        submission_id=submission.pk,
        actor=td,
        version=2,
        section_number=1,
        changes={"name": "S" * 90, "scholastic_level": "JJ", "grand_prix_points": 1000},
    )
    submit_report(submission_id=submission.pk, actor=td)

    event = accept_report(submission_id=submission.pk, actor=make_staff())

    event.refresh_from_db()
    kept = event.sections.get()
    assert (event.name, event.city, event.zip_code) == ("N" * 80, "C" * 40, "1" * 10)
    assert (kept.name, kept.scholastic_level) == ("S" * 60, "J")


# Both have enough games to be compared with other events.
@pytest.mark.parametrize("size", [12, 30])
def test_acceptance_takes_the_same_queries_for_any_size(
    size, django_assert_num_queries
):
    td, staff = make_td(), make_staff()
    section = section_report([established() for _ in range(size)], swiss_rows(size, 3))
    submission = upload(td, event_report(td, [section]))
    submit_report(submission_id=submission.pk, actor=td)
    # PostgreSQL asks for the lock.
    expected = {"sqlite": 54, "postgresql": 55}[connection.vendor]
    with django_assert_num_queries(expected):
        accept_report(submission_id=submission.pk, actor=staff)
    assert (Entry.objects.count(), Game.objects.count()) == (size, 3 * size // 2)
