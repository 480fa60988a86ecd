"""Plausibility of reports: old days, colors, two places, duplicate reports."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.utils import timezone

from events.checks.queries.members import members_of
from events.checks.queries.plausibility import check_plausibility
from events.formats.report import ReportedEvent
from events.models import Submission
from events.reports.services.submissions import submit_report
from players.models import Player
from tests.factories import (
    END,
    START,
    accepted_event,
    event_report,
    make_player,
    make_td,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture
def td():
    return make_td()


def people(count: int) -> list[Player]:
    return [make_player(given_name=f"P{n}") for n in range(count)]


def messages_of(
    reported: ReportedEvent, submission: Submission | None = None
) -> list[tuple[str, str]]:
    """Return the messages, except for the one about old events."""
    members = members_of(reported)
    found = check_plausibility(reported, members, submission=submission)
    return [(f.severity.value, f.code) for f in found if f.code != "event.old"]


@pytest.mark.parametrize(("ago", "is_old"), [(300, False), (301, True)])
def test_event_of_last_year_may_have_a_mistyped_year(td, ago, is_old):
    ends = timezone.localdate() - ago * DAY
    report = event_report(td, [], starts=ends, ends=ends)
    found = [(f.severity.value, f.code) for f in check_plausibility(report, {})]
    assert found == ([("caution", "event.old")] if is_old else [])


# Colors


def colored(td, colors: str, **fields) -> ReportedEvent:
    """Return a player against a new opponent in each round, with these colors."""
    other = {"W": "B", "B": "W", "-": "-"}
    own = [f"D{n}{c}".rstrip("-") for n, c in enumerate(colors, start=2)]
    rows = [" ".join(own)]
    for place, color in enumerate(colors):
        cells = ["U0"] * len(colors)
        cells[place] = f"D1{other[color]}".rstrip("-")
        rows.append(" ".join(cells))
    section = section_report(people(len(rows)), rows, **fields)
    return event_report(td, [section])


@pytest.mark.parametrize(
    ("colors", "is_odd"),
    [
        ("WBWBW", False),
        ("WWBBW", False),
        ("WWBWBW", False),  # four to two
        ("WWBWW", True),  # four to one
        ("WWW", True),
        ("BBBWW", True),
        ("WWBWWBW", True),  # five to two
        ("WW-W", False),  # an unknown color
    ],
)
def test_colors_that_no_program_gives_are_one_note(td, colors, is_odd):
    expected = [("note", "section.colors_unusual")] if is_odd else []
    assert messages_of(colored(td, colors)) == expected


@pytest.mark.parametrize("kind", ["2", "R", "D", "M", "O"])
def test_colors_of_other_types_are_ignored(td, kind):
    assert messages_of(colored(td, "WWWW", kind_letter=kind)) == []


def test_double_games_coded_otherwise_are_left_alone(td):
    section = section_report(people(2), ["$2W $2W $2W", "L1B L1B L1B"])
    assert messages_of(event_report(td, [section])) == []


def test_long_list_of_colors_is_cut(td):
    rows = []
    for n in range(1, 21):
        other = n + 1 if n % 2 else n - 1
        rows.append(" ".join([f"D{other}{'W' if n % 2 else 'B'}"] * 3))
    report = event_report(td, [section_report(people(20), rows)])
    [finding] = [
        f
        for f in check_plausibility(report, members_of(report))
        if f.code == "section.colors_unusual"
    ]
    assert finding.message.endswith(": 1, 2, 3, 4, 5, 6, 7, 8 and 12 more.")


# Two places


def rated_elsewhere(td, players: list[Player], rounds: int = 2, **report) -> None:
    """Return an accepted event in another place, by default of two days."""
    where = {"city": report.pop("city", "Denver"), "state": report.pop("state", "CO")}
    online = report.pop("online", False)
    guests = [*players, *people(4 - len(players))]
    section = section_report(guests, swiss_rows(4, rounds), online=online)
    messages_of = replace(event_report(td, [section], name="Away", **report), **where)
    accepted_event(td, messages_of)


def report_here(td, players: list[Player], rounds: int = 2) -> ReportedEvent:
    guests = [*players, *people(4 - len(players))]
    return event_report(td, [section_report(guests, swiss_rows(4, rounds))])


@pytest.mark.parametrize(
    ("city", "state", "severity"),
    [
        ("Denver", "CO", "confirm"),
        ("Chicago", "IL", "note"),
        ("Madison", "WI", "caution"),
        ("springfield", "IL", None),
        ("", "CO", None),
    ],
)
def test_same_person_in_two_places_at_once(td, city, state, severity):
    anna = make_player(given_name="Anna")
    rated_elsewhere(td, [anna], city=city, state=state)
    expected = [(severity, "member.two_places")] if severity else []
    assert messages_of(report_here(td, [anna])) == expected


@pytest.mark.parametrize(
    ("away", "rounds_here"),
    [
        ({"starts": START - 2 * DAY, "ends": START - DAY}, 2),
        ({"starts": START - 20 * DAY, "ends": END}, 2),  # a month of Tuesdays
        ({"online": True}, 2),
        ({"rounds": 1}, 2),  # one game in two days
        ({}, 1),
    ],
)
def test_who_had_a_day_to_travel_is_not_in_two_places(td, away, rounds_here):
    anna = make_player(given_name="Anna")
    rated_elsewhere(td, [anna], **away)
    assert messages_of(report_here(td, [anna], rounds_here)) == []


def test_accepted_report_is_not_in_two_places_with_itself(td):
    event = accepted_event(td, report_here(td, []))
    report = ReportedEvent.from_json(event.submission.content)
    moved = replace(report, city="Denver", state="CO")
    assert messages_of(moved, event.submission) == []


# Duplicate reports


@pytest.mark.parametrize(
    ("is_sent", "severity"), [(True, "confirm"), (False, "caution")]
)
def test_same_games_under_other_files_are_told_of_the_later_one(td, is_sent, severity):
    players = people(6)
    report = event_report(td, [section_report(players, swiss_rows(6, 3))])
    first = upload(td, report)
    if is_sent:
        submit_report(submission_id=first.pk, actor=td)
    again = replace(report, name="Spring Open", program="another")
    second = upload(td, again)
    code = f"event.sent_before.{first.pk}"
    assert (severity, code) in messages_of(again, second)
    assert messages_of(report, first) == messages_of(replace(report, ends=END + DAY))


def test_other_results_of_the_same_players_are_another_event(td):
    players = people(6)
    first = event_report(td, [section_report(players, swiss_rows(6, 1))])
    upload(td, first)
    turned = [row.translate(str.maketrans("WL", "LW")) for row in swiss_rows(6, 1)]
    turned = [row[:-1] + ("B" if row[-1] == "L" else "W") for row in turned]
    report = event_report(td, [section_report(players, turned)], name="Other")
    assert messages_of(report) == []


def test_withdrawn_report_is_no_double(td):
    report = event_report(td, [section_report(people(6), swiss_rows(6, 3))])
    first = upload(td, report)
    Submission.objects.filter(pk=first.pk).update(state="withdrawn")
    assert [code for _, code in messages_of(report) if code.startswith("event.")] == []


@pytest.mark.parametrize(
    ("players", "days", "is_double"),
    [(8, 30, True), (8, 63, False), (6, 30, False)],
)
def test_same_games_under_other_dates(td, players, days, is_double):
    section = section_report(people(players), swiss_rows(players, 3))
    event = accepted_event(td, event_report(td, [section]))
    later = event_report(
        td, [section], starts=START + days * DAY, ends=END + days * DAY
    )
    codes = [code for _, code in messages_of(later) if code.startswith("event.")]
    expected = [f"event.same_results.{event.event_id}"] if is_double else []
    assert codes == expected


@pytest.mark.parametrize("size", [8, 40])
def test_plausibility_takes_the_same_queries_for_any_size(
    td, size, django_assert_num_queries
):
    players = people(size)
    accepted_event(td, event_report(td, [section_report(players, swiss_rows(size, 2))]))
    report = event_report(
        td,
        [section_report(players, swiss_rows(size, 3))],
        starts=date(2024, 5, 11),
        ends=date(2024, 5, 12),
    )
    members = members_of(report)
    with django_assert_num_queries(3):
        list(check_plausibility(report, members))
