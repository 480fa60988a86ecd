"""Merged schedules: the slowest control decides, each game keeps its own."""

from dataclasses import replace
from datetime import date

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from events.checks.services import findings_of
from events.corrections.services.requests import ask_for_correction
from events.formats.checks.report import check_report
from events.formats.json.writer import write_json
from events.formats.report import ReportedEvent, ReportedSchedule, ReportedSection
from events.formats.report_reader import read_report
from events.formats.schedule_text import (
    format_numbers,
    format_schedule,
    parse_numbers,
    parse_schedule,
)
from events.formats.tables.writer import write_crosstables
from events.models import Event, Schedule, Submission
from events.records.exceptions import NotPossible
from events.records.exports import event_as_reported, export_event
from events.records.schedules import controls_of, deciding_control
from events.records.section_rater import section_rater
from events.records.services.packing import pack_section
from events.records.services.versions import document_of
from events.reports.services.schedules import set_schedules
from events.reports.services.submissions import reported_in, submit_report
from events.review.services.acceptance import accept_report
from players.models import Player
from ratings.models import Calculation
from ratings_site.common.audit.services import entries_about
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import (
    END,
    START,
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    section_report,
    upload,
)

# Two pairs play separate schedules, then all meet.
ROWS = ["W2W W3W", "L1B L4B", "W4W L1B", "L3B W2W"]
TWO_DAY = ReportedSchedule("2-day", "G/60;d5", 1, 1, END, END, entries=(3, 4))


@pytest.fixture
def td(db):
    return make_td()


@pytest.fixture
def players(db) -> list[Player]:
    return [
        make_player(given_name=f"Given{n}", family_name=f"Family{n}") for n in range(4)
    ]


def merged(
    td, players: list[Player], *schedules: ReportedSchedule, control: str = "G/90;d5"
) -> ReportedEvent:
    section = section_report(players, ROWS, time_control=control)
    return event_report(td, [replace(section, schedules=schedules)])


def codes(reported: ReportedEvent) -> list[tuple[str, str]]:
    found = [f for f in check_report(reported) if f.code.startswith("schedule.")]
    return [(f.severity.value, f.code) for f in found]


def entered(td, reported: ReportedEvent) -> Submission:
    """Upload the report and enter its schedules."""
    [section] = reported.sections
    bare = replace(reported, sections=(replace(section, schedules=()),))
    submission = upload(td, bare)
    return set_schedules(
        submission_id=submission.pk,
        actor=td,
        version=submission.version,
        section_number=1,
        schedules=section.schedules,
    )


def accepted(td, reported: ReportedEvent) -> Event:
    submission = entered(td, reported)
    submit_report(submission_id=submission.pk, actor=td)
    event = accept_report(submission_id=submission.pk, actor=make_staff())
    run_due_jobs()
    return event


def all_codes(td, reported: ReportedEvent) -> set[tuple[str, str]]:
    """Return all findings' codes, including those of the section rater."""
    return {
        (f.severity.value, f.code)
        for f in findings_of(entered(td, reported))
        if f.code.startswith("schedule.")
    }


# Data and texts


def test_schedules_go_to_json_and_back():
    report = ReportedEvent(sections=(ReportedSection(1, schedules=(TWO_DAY,)),))
    assert ReportedEvent.from_json(report.to_json()) == report


def test_report_from_before_there_were_schedules_is_read_and_reads_the_same():
    old = ReportedSection(1, name="Open").to_json()
    assert "schedules" not in old
    assert ReportedSection.from_json(old) == ReportedSection(1, name="Open")


def test_line_of_a_table_holds_a_whole_schedule():
    assert format_schedule(TWO_DAY) == (
        "2-day · G/60;d5 · rounds 1-1 · 2024-05-05 · 2024-05-05 · 3-4"
    )
    assert parse_schedule(format_schedule(TWO_DAY)) == TWO_DAY
    assert parse_schedule(" · 40/90,SD/30 · Round 2") == ReportedSchedule(
        "", "40/90,SD/30", 2, 2
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2-day",
        "2-day · G/60 · soon",
        "2-day · · rounds 1-2",
        "2-day · G/60 · rounds 3-2",
        "2-day · G/60 · rounds 0-2",
        "2-day · G/60 · rounds 1-2 · yesterday",
        "2-day · G/60 · rounds 1-2 · · · one",
        "a·b·c·d·e·f·g",
    ],
)
def test_line_that_is_no_schedule_is_refused(text):
    with pytest.raises(ValueError, match=r".+"):
        parse_schedule(text)


def test_pairing_numbers_are_read_as_people_write_them():
    assert parse_numbers("9; 1 – 3, 2") == (1, 2, 3, 9)
    assert format_numbers((9, 1, 2, 3)) == "1-3, 9"
    assert (parse_numbers(""), format_numbers(())) == ((), "")


@pytest.mark.parametrize("text", ["1-", "3-1", "0", "1..4", "12345", "²"])
def test_what_is_no_pairing_number_is_refused(text):
    with pytest.raises(ValueError, match=r"pairing number|count upward"):
        parse_numbers(text)


# Which control decides


@pytest.mark.parametrize(
    ("controls", "slowest"),
    [
        (["G/60;d5", "G/90;d5"], "G/90;d5"),
        (["G/90;d5", "G/60;d5"], "G/90;d5"),
        (["40/90,SD/30;d10", "G/120;d5"], "40/90,SD/30;d10"),
        (["G/60;d4", "G/50;+30"], "G/50;+30"),  # minutes and seconds count
        (["soon", "G/30;d5"], "G/30;d5"),
        (["soon"], "soon"),
        ([], ""),
    ],
)
def test_slowest_control_decides(controls, slowest):
    assert section_rater().deciding_control(controls) == slowest


def test_section_s_own_control_decides_only_if_a_game_was_played_at_it(td, players):
    slow = merged(td, players, replace(TWO_DAY, entries=()), control="G/120;d5")
    assert deciding_control(slow.sections[0]) == "G/120;d5"
    everywhere = replace(TWO_DAY, entries=(), last_round=2)
    fast = merged(td, players, everywhere, control="G/120;d5")
    assert controls_of(fast.sections[0]) == ["G/60;d5"]
    assert deciding_control(fast.sections[0]) == "G/60;d5"


# Errors in schedules


def test_good_schedules_have_no_finding(td, players):
    three_day = ReportedSchedule("3-day", "G/90;d5", 1, 1, START, END, entries=(1, 2))
    assert codes(merged(td, players, TWO_DAY, three_day)) == []


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"first_round": 0}, ["schedule.rounds"]),
        ({"first_round": 2}, ["schedule.rounds"]),
        ({"last_round": 3}, ["schedule.rounds", "schedule.split_game"]),
        ({"time_control": " "}, ["schedule.time_control_missing"]),
        ({"starts": date(2024, 5, 6)}, ["schedule.dates"]),
        ({"ends": date(2024, 5, 6)}, ["schedule.dates"]),
        ({"entries": (3, 4, 9)}, ["schedule.entries_unknown"]),
        ({"entries": (3,)}, ["schedule.split_game"]),
    ],
)
def test_fault_of_a_schedule_is_found(td, players, changes, found):
    report = merged(td, players, replace(TWO_DAY, **changes))
    assert list(dict.fromkeys(code for _, code in codes(report))) == found


def test_player_has_one_schedule_in_a_round(td, players):
    again = replace(TWO_DAY, name="also", entries=(1, 2, 3))
    report = merged(td, players, TWO_DAY, again)
    assert ("error", "schedule.overlap") in codes(report)
    later = replace(TWO_DAY, first_round=2, last_round=2, entries=())
    assert codes(merged(td, players, TWO_DAY, later)) == []


@pytest.mark.parametrize(
    ("own", "schedule", "found"),
    [
        # Regular: a dual-rated schedule counts, a quick one does not.
        ("G/90;d5", "G/60;d5", set()),
        ("G/90;d5", "G/25;d5", set()),
        ("G/90;d5", "G/24;d5", {("error", "schedule.too_fast")}),
        # Dual: a quick-only schedule would remove the regular rating.
        ("G/60;d5", "G/30;d5", set()),
        ("G/60;d5", "G/24;d5", {("error", "schedule.too_fast")}),
        # Quick and blitz.
        ("G/20;d5", "G/10;d5", set()),
        ("G/20;d5", "G/5;d0", {("error", "schedule.too_fast")}),
        # The schedule may be the slower one.
        ("G/60;d5", "G/90;d5", {("note", "schedule.decides")}),
        ("G/24;d5", "G/90;d5", {("error", "schedule.too_fast")}),
        ("G/90;d5", "soon", {("error", "schedule.time_control.1")}),
        ("G/90;d5", "G/" + "9" * 90, {("error", "schedule.time_control.1")}),
    ],
)
def test_every_game_must_be_rated_as_the_slowest_ones_are(
    td, players, own, schedule, found
):
    report = merged(td, players, replace(TWO_DAY, time_control=schedule), control=own)
    assert all_codes(td, report) == found


# Accepted sections


@pytest.mark.parametrize(
    ("own", "schedule", "systems", "kept"),
    [
        ("G/90;d5", "G/60;d5", {"OTBR"}, [("2-day", "G/60;d5", [3, 4])]),
        (
            "G/60;d5",
            "G/90;d5",
            {"OTBR"},
            [("2-day", "G/90;d5", [3, 4]), ("", "G/60;d5", [])],
        ),
        ("G/60;d5", "G/30;d5", {"OTBR", "OTBQ"}, [("2-day", "G/30;d5", [3, 4])]),
    ],
)
def test_section_is_rated_by_the_slowest_control_and_games_keep_theirs(
    td, players, own, schedule, systems, kept
):
    report = merged(td, players, replace(TWO_DAY, time_control=schedule), control=own)
    section = accepted(td, report).sections.get()
    assert section.time_control == max(own, schedule, key=lambda text: int(text[2:4]))
    assert set(Calculation.objects.values_list("system", flat=True)) == systems
    assert [
        (one.name, one.time_control, one.pairing_numbers)
        for one in section.schedules.all()
    ] == kept


def test_schedules_leave_what_ratings_are_computed_from_as_it_was(td, players):
    section = accepted_event(td, merged(td, players)).sections.get()
    before = pack_section(section).digest, document_of(section).digest
    Schedule.objects.create(
        section=section, place=1, time_control="G/60;d5", first_round=1, last_round=1
    )
    assert (pack_section(section).digest, document_of(section).digest) == before


def test_recorded_event_exports_its_schedules(td, players):
    event = accepted(td, merged(td, players, TWO_DAY))
    assert event_as_reported(event).sections[0].schedules == (TWO_DAY,)


def test_event_whose_schedule_decided_can_be_reported_again(td, players):
    event = accepted(td, merged(td, players, TWO_DAY, control="G/50;d5"))
    again = event_as_reported(event)
    assert [one.time_control for one in again.sections[0].schedules] == [
        "G/60;d5",
        "G/50;d5",
    ]
    assert codes(again) == []


def test_schedule_that_puts_the_section_into_another_system_is_confirmed(td, players):
    quick = ReportedSchedule("", "G/25;d5", 1, 2)
    found = all_codes(td, merged(td, players, quick))
    assert found == {("confirm", "schedule.replaces")}


def test_correction_cannot_make_a_section_faster_than_its_schedule(td, players):
    section = accepted(td, merged(td, players, TWO_DAY)).sections.get()
    with pytest.raises(NotPossible, match=r"a schedule at G/60;d5\. That slower time"):
        ask_for_correction(
            section=section,
            kind="time_control",
            change={"time_control": "G/30;d5", "is_online": False},
            text="It was quicker.",
            version=section.version,
            actor=td,
        )


def test_table_of_the_event_gives_the_schedules_back(td, players):
    three_day = ReportedSchedule("3-day", "G/90;d5", 1, 1, entries=(1, 2))
    report = merged(td, players, TWO_DAY, three_day)
    read = read_report([("table.csv", write_crosstables(report))]).reported
    assert read is not None
    assert read.sections[0].schedules == (TWO_DAY, three_day)


def test_document_in_json_gives_the_schedules_back(td, players):
    report = merged(td, players, TWO_DAY)
    read = read_report([("report.json", write_json(report))]).reported
    assert read is not None
    assert read.sections[0].schedules == (TWO_DAY,)


def test_files_of_programs_hold_the_control_that_decides(td, players):
    event = accepted(td, merged(td, players, TWO_DAY, control="G/50;d5"))
    files = read_report([("report.zip", export_event(event))]).reported
    assert files is not None
    assert files.sections[0].time_control == "G/60;d5"
    assert files.sections[0].schedules == ()


@pytest.mark.parametrize("entries", [(), (3, 4)])
def test_public_pages_tell_the_schedules(client, td, players, entries):
    event = accepted(td, merged(td, players, replace(TWO_DAY, entries=entries)))
    section = event.sections.get()
    for address in (event.get_absolute_url(), section.get_absolute_url()):
        shown = " ".join(strip_tags(client.get(address).content.decode()).split())
        assert "2-day, round 1: G/60;d5." in shown


def test_section_without_schedules_says_nothing_of_them(client, td, players):
    event = accepted_event(td, merged(td, players))
    section = event.sections.get()
    for address in (event.get_absolute_url(), section.get_absolute_url()):
        assert b"round 1:" not in client.get(address).content


# Report pages


@pytest.fixture
def submission(td, players) -> Submission:
    return upload(td, merged(td, players))


def address(submission: Submission, number: int = 1) -> str:
    return reverse("events:schedules", args=[submission.pk, number])


def typed(submission: Submission, *rows: dict, initial: int = 0) -> dict:
    data = {
        "version": submission.version,
        "form-TOTAL_FORMS": len(rows),
        "form-INITIAL_FORMS": initial,
    }
    for place, row in enumerate(rows):
        data |= {f"form-{place}-{name}": value for name, value in row.items()}
    return data


ROW = {
    "name": "2-day",
    "time_control": "G/60;d5",
    "first_round": "1",
    "last_round": "1",
    "starts": "2024-05-05",
    "ends": "2024-05-05",
    "entries": "3-4",
}


def test_td_enters_changes_and_removes_schedules(client, td, submission):
    client.force_login(td)
    answer = client.post(address(submission), typed(submission, ROW, {}))
    assert answer.url == f"{submission.get_absolute_url()}#s1"
    submission.refresh_from_db()
    assert reported_in(submission).sections[0].schedules == (TWO_DAY,)

    page = client.get(address(submission)).content.decode()
    assert 'value="3-4"' in page
    changed = {**ROW, "last_round": "2", "entries": ""}
    client.post(address(submission), typed(submission, changed, initial=1))
    submission.refresh_from_db()
    expected = replace(TWO_DAY, last_round=2, entries=())
    assert reported_in(submission).sections[0].schedules == (expected,)

    gone = {**changed, "DELETE": "on"}
    client.post(address(submission), typed(submission, gone, initial=1))
    submission.refresh_from_db()
    assert reported_in(submission).sections[0].schedules == ()
    facts = [entry.facts for entry in entries_about(submission)]
    assert [one["schedules"] for one in facts if "schedules" in one] == [
        "none",
        "2-day rounds 1 to 2 G/60;d5",
        "2-day rounds 1 to 1 G/60;d5",
    ]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"time_control": ""}, "This field is required."),
        ({"first_round": "x"}, "Enter a whole number, using the digits 0 to 9."),
        ({"first_round": "3"}, "The last round is before the first round."),
        ({"last_round": "500"}, "less than or equal to 99"),
        ({"ends": "2024-05-04"}, "The last day is before the first day."),
        ({"starts": "soon"}, "Enter a date such as 2024-05-04."),
        ({"entries": "4-3"}, "Enter pairing numbers such as 1-4, 9, with"),
        ({"entries": "1, " * 700}, "This list is too long. Use ranges, such as 1-4"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(
    client, td, submission, changes, sentence
):
    client.force_login(td)
    answer = client.post(address(submission), typed(submission, {**ROW, **changes}))
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    submission.refresh_from_db()
    assert (submission.version, reported_in(submission).sections[0].schedules) == (
        1,
        (),
    )


def test_request_without_its_forms_or_version_is_refused(client, td, submission):
    client.force_login(td)
    for data in ({}, {"version": 1}, {**typed(submission, ROW), "version": "x"}):
        assert client.post(address(submission), data).status_code == 422
    many = {**typed(submission, ROW), "form-TOTAL_FORMS": "1000"}
    assert client.post(address(submission), many).status_code == 422
    submission.refresh_from_db()
    assert submission.version == 1


def test_older_page_does_not_overwrite_a_newer_report(client, td, submission):
    client.force_login(td)
    sent = typed(submission, ROW)
    client.post(address(submission), sent)
    answer = client.post(address(submission), sent)
    assert answer.status_code == 409
    assert "The report has changed since you opened this page" in (
        answer.content.decode()
    )


def test_schedules_belong_to_a_section_of_a_report_with_its_td(client, td, submission):
    client.force_login(td)
    assert client.get(address(submission, 2)).status_code == 404
    client.force_login(make_td())
    assert client.get(address(submission)).status_code == 404
    client.force_login(td)
    submit_report(submission_id=submission.pk, actor=td)
    answer = client.post(address(submission), typed(submission, ROW))
    assert answer.status_code == 409
    submission.refresh_from_db()
    assert reported_in(submission).sections[0].schedules == ()


def test_report_leads_to_the_schedules_of_its_sections(client, td, submission):
    client.force_login(td)
    page = client.get(submission.get_absolute_url()).content.decode()
    assert f'href="{address(submission)}"' in page
