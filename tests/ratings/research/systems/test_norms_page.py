"""FIDE norms in one of our sections: FIDE's entries, and the page."""

import re
from datetime import date, timedelta

import pytest

from events.models import Event, Schedule
from events.review.services.fide_approvals import mark_fide_approval
from players.models import FideList, FidePlayer, FideRating, Player
from ratings.laboratory.systems import fide_formulas
from ratings_site.common.models import AuditEntry
from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    rated_event,
    section_report,
    swiss_rows,
)
from tests.ratings.research.systems.test_pages import text_of

pytestmark = pytest.mark.django_db

TITLES = ["", "GM", "IM", "IM", "FM", "WGM", "", "", "", ""]
FLAGS = ["USA", "CAN", "MEX", "USA", "CAN", "MEX", "USA", "CAN", "USA", "USA"]
START = date(2024, 5, 4)


def members(count=10, linked=10):
    found = []
    for number in range(count):
        fide_id = str(30900000 + number) if number < linked else None
        found.append(
            make_player(
                given_name=f"Given{number}",
                family_name=f"Family{number}",
                ratings={"OTBR": (2300.0, 60)},
                fide_id=fide_id,
            )
        )
    return found


def fide_list(ratings, *, day=date(2024, 5, 1), women=()):
    """A FIDE list; *women* are numbers of players."""
    state = FideList.State.CURRENT
    made = FideList.objects.create(list_date=day, state=state, file_name="x", size=1)
    for number, rating in enumerate(ratings):
        who = {
            "fide_id": 30900000 + number,
            "list": made,
            "rating": rating,
            "title": TITLES[number % 10],
            "federation": FLAGS[number % 10],
        }
        FideRating.objects.create(**who)
        sex = "F" if number in women else "M"
        FidePlayer.objects.create(**who, sex=sex, name=f"Family{number}")
    return made


def section_of(players, rows, *, starts=START, time_control="G/120;d5", **fields):
    td = make_td()
    report = section_report(players, rows, time_control=time_control, **fields)
    event = event_report(td, [report], starts=starts, ends=starts, name="Masters")
    return rated_event(td, event).sections.get()


def round_robin(**fields):
    return section_of(
        members(fields.pop("count", 10), fields.pop("linked", 10)),
        fields.pop("rows", swiss_rows(10, 9)),
        kind_letter="R",
        **fields,
    )


def page_of(client, section, title=""):
    address = f"{section.get_absolute_url()}norms/"
    return text_of(client, f"{address}?title={title}" if title else address)


def test_a_norm_is_told_with_everything_it_took(client):
    fide_list([2450] * 10)
    words = page_of(client, round_robin(), "IM")
    assert "with these results" in words
    assert "Linked to the FIDE list in force on May 4, 2024: 10 of 10 players" in words
    own = words.partition("Given0 Family0")[2].partition("Given0 Family0 · USA")[0]
    # Three games won and six drawn: 6 against 2450 are 67 percent, 125 more.
    assert "norm 6 of 9 against 2450: 2575" in own
    for told in (
        "Games 9 ≥ 9 yes",
        "Other federations 2 ≥ 2 yes",
        "From the player’s federation 4 ≤ 5 yes",
        "From any one federation 4 ≤ 6 yes",
        "Titled opponents 5 ≥ 5 yes",
        "Opponents with this title or higher 3 ≥ 3 yes",
        "Average 2450 ≥ 2230 yes",
        "Score 6 ≥ 3.15 yes",
        "Performance 2575 ≥ 2450 yes",
    ):
        assert told in own


def test_a_private_members_fide_title_and_federation_are_not_told(client):
    fide_list([2450] * 10)
    section = round_robin()
    assert "Given4 Family4 FM " in page_of(client, section, "IM")
    Player.objects.update(is_private=True)
    words = page_of(client, section, "IM")
    assert "norm 6 of 9 against 2450: 2575" in words
    assert re.findall("Private member (?:· )?[A-Z]{2,3}", words) == []


def test_the_list_in_force_on_the_first_day_counts(client):
    fide_list([2450] * 10, day=date(2024, 6, 1))
    words = page_of(client, round_robin(), "IM")
    assert "Linked to the FIDE list in force on May 4, 2024: 0 of 10 players" in words
    assert "No player clearly earned a norm for the IM title" in words
    assert "10 opponents" not in words
    assert "9 opponents aren’t on the FIDE list" in words


def test_who_is_not_linked_leaves_it_open(client):
    fide_list([2450] * 10)
    section = round_robin(linked=3)
    words = page_of(client, section, "IM")
    assert "We don’t know the others’ rating, title, or federation" in words
    assert "Titled opponents 2 ≥ 5 undecided" in words
    assert "7 opponents aren’t on the FIDE list" in words


def test_titles_of_women_are_for_those_the_list_calls_so(client):
    fide_list([2450] * 10, women=(0, 9))
    section = round_robin()
    words = page_of(client, section, "WIM")
    assert "Only players listed as women on the FIDE list are shown" in words
    assert "Given0 Family0" in words
    assert "Given9 Family9" in words
    assert "Given6 Family6" not in words


def test_who_has_the_title_needs_no_norm(client):
    fide_list([2450] * 10)
    section = round_robin()
    for title, shown in (("GM", ["3", "6"]), ("IM", ["6"])):
        words = page_of(client, section, title)
        found = [n for n in "136" if f"Given{n} Family{n}" in words]
        assert found == shown


def test_a_nil_score_of_an_unrated_player_is_left_out_of_a_round_robin(client):
    ratings = [2450] * 9 + [None]
    fide_list(ratings)
    rows = swiss_rows(10, 9)
    lost = " ".join(f"L{cell[1:]}" for cell in rows[9].split())
    rows = [*[row.replace("D10", "W10") for row in rows[:9]], lost]
    words = page_of(client, round_robin(rows=rows), "IM")
    assert "of 8 against 2450" in words
    assert "Games 8 ≥ 9 no" in words


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"time_control": "G/60;d5"}, "Norms require two hours for 60 moves"),
        (
            {"starts": date(2023, 12, 30)},
            "These rules apply from January 1, 2024",
        ),
        (
            {"rows": swiss_rows(10, 8)},
            "A norm requires 9 games. This section has fewer",
        ),
    ],
)
def test_where_no_norm_can_be_made_it_says_why(client, fields, sentence):
    assert sentence in page_of(client, round_robin(**fields))


def test_a_match_makes_no_norm(client):
    ada, bo = members(2)
    rows = ["W2W " * 9, "L1B " * 9]
    section = section_of([ada, bo], rows, kind_letter="M")
    assert "require a Swiss system or a round robin" in page_of(client, section)


def test_until_it_is_rated_nothing_is_told(client):
    td = make_td()
    report = section_report(members(), swiss_rows(10, 9), time_control="G/120;d5")
    event = accepted_event(td, event_report(td, [report]))
    section = event.sections.get()
    assert "when the section is rated" in page_of(client, section)


def test_a_title_that_there_is_not_is_answered_by_the_first(client):
    words = page_of(client, round_robin(), "FM")
    assert "There is no “FM” norm. This page shows GM norms." in words
    assert "No FIDE list has been imported yet." in words


def test_the_crosstable_leads_to_norms_where_there_may_be_some(client):
    long, short = round_robin(), round_robin(linked=0, rows=swiss_rows(10, 3))
    for section, leads in ((long, True), (short, False)):
        html = client.get(section.get_absolute_url()).content.decode()
        assert (f'href="{section.get_absolute_url()}norms/"' in html) is leads
    text_of(client, "/events/209912310001/1/norms/", 404)


@pytest.mark.parametrize("count", [10, 20])
def test_norms_take_the_same_queries_for_any_size(
    client, django_assert_num_queries, count
):
    fide_list([2450] * count, women=range(count))
    section = round_robin(count=count, linked=count, rows=swiss_rows(count, 9))
    address = f"{section.get_absolute_url()}norms/?title=WIM"
    client.get(address)
    with django_assert_num_queries(7):
        client.get(address)


@pytest.mark.parametrize(
    ("approved", "control", "days", "is_checked"),
    [
        (True, "G/45;+30", 5, True),
        (False, "G/45;+30", 5, False),
        (True, "G/45;d30", 5, False),  # a delay is no increment
        (True, "G/44;+30", 5, False),
        (True, "G/60;+30", 5, True),
        (True, "G/45;+30", 4, False),  # nine rounds are more than two a day
    ],
)
def test_approved_events_may_be_faster(
    client, monkeypatch, approved, control, days, is_checked
):
    monkeypatch.setattr(fide_formulas, "APPROVED_FROM", START)
    td, ends = make_td(), START + timedelta(days - 1)
    rows = swiss_rows(10, 9)
    report = section_report(members(), rows, time_control=control, kind_letter="R")
    event = rated_event(td, event_report(td, [report], starts=START, ends=ends))
    if approved:
        mark_fide_approval(
            event_id=event.event_id,
            actor=make_staff(),
            day=date(2024, 4, 1),
            reason="Letter of the commission.",
        )
    words = page_of(client, event.sections.get(), "IM")
    assert ("Norms require two hours" not in words) is is_checked
    assert ("approved this event on April 1, 2024" in words) is is_checked
    logged = AuditEntry.objects.filter(action="event.fide_approval")
    assert [entry.reason for entry in logged] == [
        "Letter of the commission."
    ] * approved


@pytest.mark.parametrize(("last", "is_checked"), [(6, True), (7, False)])
def test_a_schedule_may_have_two_rounds_a_day(client, monkeypatch, last, is_checked):
    monkeypatch.setattr(fide_formulas, "APPROVED_FROM", START)
    td, ends = make_td(), START + timedelta(5)
    report = section_report(
        members(), swiss_rows(10, 9), time_control="G/45;+30", kind_letter="R"
    )
    event = rated_event(td, event_report(td, [report], starts=START, ends=ends))
    Event.objects.update(fide_approved_on=START)
    Schedule.objects.create(
        section=event.sections.get(),
        place=1,
        time_control="G/45;+30",
        first_round=3,
        last_round=last,
        starts=START,
        ends=START + timedelta(1),
    )
    words = page_of(client, event.sections.get(), "IM")
    assert ("Norms require two hours" not in words) is is_checked


def test_mark_of_an_approval_can_be_removed(client):
    event = round_robin().event
    staff = make_staff()
    client.force_login(staff)
    address = f"/office/events/{event.event_id}/fide/"
    client.post(address, {"day": "2024-04-01", "reason": "Letter."})
    event.refresh_from_db()
    assert event.fide_approved_on == date(2024, 4, 1)
    client.post(address, {"day": "", "reason": "Wrong event."})
    event.refresh_from_db()
    assert event.fide_approved_on is None
