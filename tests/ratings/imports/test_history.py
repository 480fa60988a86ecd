"""Imports of past events from archives of reports, outside the ledger."""

import struct
from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command

from events.checks.queries.office_records import check_against_records
from events.formats.archive import MAX_FILES_OF_REPORTS
from events.formats.findings import Severity
from events.formats.json.writer import write_json
from events.models import (
    Entry,
    Event,
    EventOfficial,
    Section,
    Submission,
    SubmissionFile,
)
from events.records.exceptions import NotPossible
from events.records.services.versions import first_version
from events.reports.services.submissions import receive_submission
from events.review.groups import OFFICE
from events.review.services.acceptance import accept_report
from players.imports.queries import last_options
from players.imports.services.actions import apply_intake
from players.models import Intake
from ratings.models import Calculation, PublishedRating, RatingChange, RerateMark
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Office
from ratings_site.common.uploads.services import read_upload
from tests.factories import (
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    open_rating,
    section_report,
)
from tests.players.imports.files import counts
from tests.ratings.imports.archives import (
    LONG_AGO,
    dbf_in,
    entered,
    mixed,
    received,
    report_of,
    undone,
    zipped,
)

pytestmark = pytest.mark.django_db


CSV = """No.,Member ID,Name,Rating,Rd 1,Rd 2
1,{0},Given0 Family0,1611,W2,D3
2,{1},Given1 Family1,1500,L1,W4
3,{2},Given2 Family2,unr.,W4,D1
4,{3},Given3 Family3,1400,L3,L2
"""


def codes(intake: Intake) -> list[tuple[int, str]]:
    rows = intake.rows.filter(kind="refused").order_by("line")
    return [(row.line, row.reason["code"]) for row in rows]


def test_reports_of_mixed_formats_are_shown_and_never_rated(staff, td, members):
    files = mixed(td, members)
    intake = entered(staff, files)
    assert (intake.state, counts(intake)) == (Intake.State.ENTERED, {"new": 3})
    events = Event.objects.order_by("ends")
    assert list(events.values_list("name", "ends", "sections__status")) == [
        ("Spring", LONG_AGO, "imported"),
        ("Summer", date(2003, 8, 3), "imported"),
        ("Autumn", date(2003, 11, 2), "imported"),
    ]
    printed = Entry.objects.filter(section__event=events[0])
    assert list(printed.values_list("pairing_number", "reported_rating")) == [
        (1, "1502"), (2, "1503"), (3, "1504"), (4, "1505"),
    ]  # fmt: skip
    kept = SubmissionFile.objects.filter(submission__event=events[2])
    assert [read_upload(one.stored_as) for one in kept] == [files["autumn.json"]]
    assert not Calculation.objects.exists()
    assert not RerateMark.objects.exists()


def test_an_archive_repeated_changes_nothing(staff, td, members):
    files = mixed(td, members)
    entered(staff, files)
    again = received(staff, files)
    assert counts(again) == {"unchanged": 3}
    assert Event.objects.count() == 3


def test_the_same_report_twice_in_one_archive_enters_once(staff, td, members):
    reported = report_of(td, members)
    intake = entered(staff, dbf_in("one", reported) | dbf_in("two", reported))
    assert codes(intake) == [(2, "report_twice")]
    assert Event.objects.count() == 1


def test_a_folder_around_all_of_it_does_not_matter(staff, td, members):
    files = {f"history/{name}": data for name, data in mixed(td, members).items()}
    assert counts(received(staff, files)) == {"new": 3}


def test_a_report_with_strangers_is_refused_and_names_them(staff, td, members):
    strangers = [
        members[0],
        replace_id(members[1], "29999999"),
        replace_id(members[2], ""),
        members[3],
    ]
    files = dbf_in("strangers", report_of(td, strangers))
    files |= dbf_in("known", report_of(td, members))
    intake = entered(staff, files)
    (row,) = intake.rows.filter(kind="refused")
    assert (row.reason["code"], row.reason["number"]) == ("players_unknown", "2")
    assert "29999999" in row.reason["players"]
    assert Event.objects.count() == 1


def test_only_ratings_are_taken_for_printed_ratings(staff, td, members):
    report = report_of(td, members)
    [section] = report.sections
    after = ["1234", "9" * 20, "٣٣٣", "0"]
    printed = map(
        lambda one, text: replace(one, rating_after=text), section.entries, after
    )
    section = replace(section, entries=tuple(printed))
    entered(staff, {"old.json": write_json(replace(report, sections=(section,)))})
    assert list(PublishedRating.objects.values_list("post_rating", flat=True)) == [1234]


# Sections with unknown players


@pytest.fixture
def two_sections(td, members):
    """A report whose second section has a player who is not a member yet."""
    strangers = [*members[:3], replace_id(members[3], "29999999")]
    first = report_of(td, members, name="Spring")
    [second] = report_of(td, strangers, name="Reserve", number=2).sections
    printed = [replace(one, rating_after="1234") for one in second.entries]
    second = replace(second, name="Reserve", entries=tuple(printed))
    return replace(first, sections=(*first.sections, second))


def add_member(member_id):
    make_player(member_id, "Given3", "Family3")


def numbers_of_sections() -> list[int]:
    return list(Section.objects.order_by("number").values_list("number", flat=True))


def test_a_section_with_an_unknown_player_is_left_out_and_named(
    client, staff, td, members, two_sections
):
    intake = entered(staff, {"spring.json": write_json(two_sections)})
    assert (counts(intake), intake.rows_read) == ({"new": 1, "refused": 1}, 1)
    assert numbers_of_sections() == [1]
    (row,) = intake.rows.filter(kind="refused")
    assert (row.line, row.values["cells"]) == (1, ["spring.json", "Spring", "Reserve"])
    assert row.reason == {
        "code": "section_players_unknown",
        "section": "Reserve",
        "players": "4. FAMILY3, GIVEN3 (29999999)",
        "number": "1",
    }
    client.force_login(staff)
    page = client.get(intake.get_absolute_url()).content.decode()
    assert "Section Reserve is left out." in page
    assert "Only section: 1" in page


def test_the_same_archive_adds_the_section_once_the_player_is_a_member(
    staff, td, members, two_sections
):
    files = {"spring.json": write_json(two_sections)}
    entered(staff, files)
    assert counts(received(staff, files)) == {"unchanged": 1, "refused": 1}
    add_member("29999999")
    intake = entered(staff, files)
    assert (counts(intake), intake.state) == ({"new": 1}, "entered")
    assert intake.totals["history"] == {"added": 1}
    assert Event.objects.count() == 1
    assert numbers_of_sections() == [1, 2]
    assert Entry.objects.count() == 8
    assert PublishedRating.objects.filter(entry__section__number=2).count() == 4
    assert {one.status for one in Section.objects.all()} == {"imported"}
    assert counts(received(staff, files)) == {"unchanged": 1}


def test_sections_are_undone_in_reverse(staff, td, members, two_sections):
    files = {"spring.json": write_json(two_sections)}
    first = entered(staff, files)
    add_member("29999999")
    second = entered(staff, files)
    assert undone(staff, first).problem["code"] == "record_rested_on"
    assert numbers_of_sections() == [1, 2]
    assert undone(staff, second).state == "undone"
    assert numbers_of_sections() == [1]
    assert undone(staff, first).state == "undone"
    assert not Event.objects.exists()
    assert counts(received(staff, files)) == {"new": 1}


def test_the_officials_of_a_section_come_and_go_with_it(
    staff, td, members, two_sections
):
    first, second = (
        replace(one, chief_td_id=td.player.member_id) for one in two_sections.sections
    )
    report = replace(two_sections, sections=(first, second))
    files = {"spring.json": write_json(report)}

    def of_sections() -> list[int]:
        rows = EventOfficial.objects.exclude(section_number=None)
        return list(rows.values_list("section_number", flat=True))

    entered(staff, files)
    event_wide = EventOfficial.objects.filter(section_number=None).count()
    assert of_sections() == [1]
    add_member("29999999")
    added = entered(staff, files)
    assert of_sections() == [1, 2]
    assert EventOfficial.objects.count() == event_wide + 2
    undone(staff, added)
    assert of_sections() == [1]


def test_a_corrected_report_does_not_enter_the_event_twice(
    staff, td, members, two_sections
):
    entered(staff, {"spring.json": write_json(two_sections)})
    corrected = replace(two_sections, city="Elsewhere")
    intake = received(staff, {"spring.json": write_json(corrected)})
    assert (1, "event_imported_in_part") in codes(intake)
    assert not intake.new
    add_member("29999999")
    entered(staff, {"spring.json": write_json(two_sections)})
    # All of it is there now; another event of that name and day is one of its own.
    assert counts(received(staff, {"x.json": write_json(corrected)})) == {"new": 1}


def test_another_file_of_the_event_in_the_archive_is_an_event_of_its_own(
    staff, td, members, two_sections
):
    other = report_of(td, members, name=two_sections.name)
    files = {"a.json": write_json(two_sections), "b.json": write_json(other)}
    intake = entered(staff, files)
    assert (counts(intake), intake.state) == ({"new": 2, "refused": 1}, "entered")
    assert Event.objects.count() == 2
    assert counts(received(staff, files)) == {"unchanged": 2, "refused": 1}


def test_the_section_enters_once_if_the_archive_has_it_twice(
    staff, td, members, two_sections
):
    files = {"spring.json": write_json(two_sections)}
    entered(staff, files)
    add_member("29999999")
    intake = entered(staff, files | {"again.json": files["spring.json"]})
    assert codes(intake) == [(2, "report_twice")]
    assert numbers_of_sections() == [1, 2]


def test_a_report_of_our_time_enters_the_queue_whole_or_not_at_all(
    staff, td, members, two_sections
):
    files = {"spring.json": write_json(two_sections)}
    intake = received(staff, files, ours_from=LONG_AGO.isoformat())
    assert codes(intake) == [(1, "players_unknown")]
    assert counts(intake) == {"refused": 1}


def replace_id(player, member_id):
    player = type(player).objects.get(pk=player.pk)
    player.member_id = member_id
    return player


def faulty(td, members):
    """A report in which the players' results disagree."""
    rows = ["W2W", "W1B", "W4W", "W3B"]
    return event_report(td, [section_report(members, rows)], name="Odd")


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda td, some: {"notes.txt": b"Round 1 was fun."}, "report_faulty"),
        (
            lambda td, some: dbf_in(
                "x", report_of(td, some).with_event(affiliate_id="")
            ),
            "report_without_affiliate",
        ),
        (
            lambda td, some: dbf_in(
                "x", report_of(td, some).with_event(affiliate_id="A6099999")
            ),
            "affiliate_unknown",
        ),
        (
            lambda td, some: dbf_in("x", report_of(td, some, ends=date(2099, 1, 2))),
            "event_to_come",
        ),
        (
            lambda td, some: dbf_in(
                "x", report_of(td, some).with_event(starts=None, ends=None)
            ),
            "report_has_faults",
        ),
        (
            lambda td, some: (
                {
                    f"x/{number}.csv": CSV.format(
                        *(one.member_id for one in some)
                    ).encode()
                    for number in range(11)
                }
                | {"y/z.zip": b""}
            ),
            "report_faulty",
        ),
        (lambda td, some: dbf_in("x", faulty(td, some)), "report_has_faults"),
    ],
)
def test_each_fault_has_its_code(staff, td, members, build, code):
    intake = received(staff, build(td, members))
    assert codes(intake)[0] == (1, code)


def test_what_only_a_report_of_today_needs_does_not_hold_history_up(staff, td, members):
    reported = report_of(td, members, time_control="").with_event(chief_td_id="")
    intake = entered(staff, dbf_in("x", reported))
    assert counts(intake) == {"new": 1}
    assert Section.objects.get().time_control == ""


def test_a_report_without_affiliate_gets_the_chosen_one(staff, td, members):
    make_affiliate("A6000009", name="The old federation")
    files = dbf_in("x", report_of(td, members).with_event(affiliate_id=""))
    entered(staff, files, affiliate="A6000009")
    assert Event.objects.get().affiliate.name == "The old federation"
    again = received(staff, files, affiliate="A6099998")
    assert (again.state, again.problem["code"]) == ("refused", "affiliate_unknown")


# Hostile archives


def with_name(name: str) -> bytes:
    return zipped({name: b"x" * 100})


def bomb() -> bytes:
    return zipped({"a/bomb.dbf": bytes(50_000_000)})


def many() -> bytes:
    return zipped({f"{number}.trf": b"" for number in range(20_001)})


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"not an archive", "zip.unreadable"),
        (b"PK\x05\x06" + bytes(18), ""),
        (with_name("../../etc/passwd"), "zip.unsafe_name"),
        (with_name("[Content_Types].xml"), "zip.unreadable"),
        (bomb(), "zip.too_large"),
        (zipped({"a.json": b"x" * 500})[:-30], "zip.unreadable"),
    ],
    ids=["no archive", "empty", "outside", "document", "bomb", "cut"],
)
def test_hostile_archives_are_not_taken(staff, content, code):
    intake = received(staff, content)
    assert intake.state == Intake.State.REFUSED
    finding = intake.problem.get("finding", "")
    assert f'"code": "{code}"' in finding if code else not finding


def many_declared_as_one() -> bytes:
    content = bytearray(many())
    struct.pack_into("<2H", content, len(content) - 14, 1, 1)
    return bytes(content)


@pytest.mark.parametrize("build", [many, many_declared_as_one])
def test_an_archive_of_too_many_files_is_not_taken(staff, build):
    intake = received(staff, build())
    assert intake.problem["code"] == "report_faulty"
    assert f'"max_members": {MAX_FILES_OF_REPORTS}' in intake.problem["finding"]


def test_a_bomb_in_an_archive_within_costs_that_report_only(staff, td, members):
    files = {"bomb.zip": bomb()} | dbf_in("good", report_of(td, members))
    intake = entered(staff, files)
    assert codes(intake) == [(1, "report_faulty")]
    assert Event.objects.get().name == "Old Open"


def test_a_day_whose_event_ids_are_all_taken_is_named(staff, td, members):
    entered(staff, dbf_in("x", report_of(td, members)))
    Event.objects.update(event_id=f"{LONG_AGO:%Y%m%d}9994")
    intake = entered(staff, dbf_in("y", report_of(td, members, "Another")))
    assert (intake.state, intake.problem["code"]) == ("ready", "report_not_entered")
    assert "event IDs" in intake.problem["refusal"]


def test_texts_longer_than_their_columns_are_cut(staff, td, members):
    """PostgreSQL refuses text that SQLite accepts."""
    reported = report_of(td, members, time_control="G/90;d5 " * 30, name="N" * 200)
    document = write_json(reported.with_event(name="E" * 300, city="C" * 300))
    entered(staff, {"long.json": document})
    section = Section.objects.get()
    assert (len(section.event.name), len(section.event.city)) == (80, 40)
    assert len(section.time_control) == 60


# From a day that the office chooses


def test_events_from_the_day_on_go_to_the_queue(staff, td, members):
    day = date(2003, 8, 3)
    intake = entered(staff, mixed(td, members), ours_from=day.isoformat())
    assert intake.totals["history"] == {"imported": 1, "queued": 2}
    assert list(Event.objects.values_list("name", flat=True)) == ["Spring"]
    queue = Submission.objects.filter(event=None).order_by("ends")
    states = list(queue.values_list("event_name", "state", "uploaded_by"))
    waiting = Submission.State.SUBMITTED
    assert [name for name, *_ in states] == ["Summer", "Autumn"]
    assert {state for _, state, _ in states} <= {waiting, Submission.State.OPEN}
    assert {by for *_, by in states} == {staff.pk}


@pytest.mark.parametrize("chosen", ["A6000009", ""])
def test_the_queue_gets_nothing_of_the_clerks_own_reports(td, members, chosen):
    """A clerk who reported an own event before imports other people's reports."""
    td.is_staff = True
    td.save()
    td.groups.add(Group.objects.get(name=OFFICE))
    own = report_of(td, members, "Own", date(2003, 1, 5)).with_event(city="Akron")
    mine = receive_submission(actor=td, files=[("own.json", write_json(own))])
    sent = {"state": Submission.State.SUBMITTED, "submitted_at": mine.received_at}
    Submission.objects.filter(pk=mine.pk).update(**sent)
    make_affiliate("A6000009")
    blank = dict.fromkeys(["chief_td_id", "city", "state", "zip_code"], "")
    report = report_of(td, members, ends=date(2024, 5, 5)).with_event(**blank)
    report = report.with_event(affiliate_id="" if chosen else "A6000009")
    files = {"old.json": write_json(report)}
    entered(td, files, affiliate=chosen, ours_from="2024-01-01")
    queued = Submission.objects.exclude(pk=mine.pk).get()
    assert queued.affiliate.affiliate_id == "A6000009"
    assert {name: queued.content[name] for name in blank} == blank


def test_a_report_in_the_queue_is_accepted_by_another_clerk_and_rated(
    staff, td, members
):
    files = dbf_in("x", report_of(td, members, ends=date(2024, 5, 5)))
    intake = entered(staff, files, ours_from="2024-01-01")
    report = Submission.objects.get()
    assert report.state == Submission.State.SUBMITTED
    with pytest.raises(NotPossible):
        accept_report(submission_id=report.pk, actor=staff)
    accept_report(submission_id=report.pk, actor=make_staff())
    run_due_jobs()
    assert Section.objects.get().status == Section.Status.RATED
    assert RatingChange.objects.count() == 4
    intake = undone(staff, intake)
    assert (intake.state, intake.problem["code"]) == ("entered", "record_rested_on")


def test_neither_who_sent_nor_who_entered_accepts(staff, td, members):
    files = dbf_in("x", report_of(td, members, ends=date(2024, 5, 5)))
    intake = received(staff, files, ours_from="2024-01-01")
    decider = make_staff()
    apply_intake(intake_id=intake.pk, actor=decider, reason="The books of before.")
    run_due_jobs()
    report = Submission.objects.get()
    assert report.state == Submission.State.SUBMITTED
    for actor in (staff, decider):
        with pytest.raises(NotPossible):
            accept_report(submission_id=report.pk, actor=actor)
    event = accept_report(submission_id=report.pk, actor=make_staff())
    assert event.submission == report


def test_an_imported_rating_that_includes_the_event_is_named(staff, td, members):
    open_rating(members[0], "OTBR", 1700.0, 30, as_of=LONG_AGO)
    open_rating(members[1], "OTBR", 1700.0, 30, as_of=LONG_AGO - timedelta(days=1))
    files = dbf_in("x", report_of(td, members))
    intake = received(staff, files, ours_from=LONG_AGO.isoformat())
    (row,) = intake.rows.all()
    assert '"section.in_rating_taken_over"' in row.reason["finding"]
    assert "FAMILY0" in row.reason["finding"]
    assert "FAMILY1" not in row.reason["finding"]
    later = (LONG_AGO + timedelta(days=1)).isoformat()
    assert counts(received(staff, files, ours_from=later)) == {"new": 1}


def test_ratings_imported_while_a_report_is_pending_block_it(staff, td, members):
    files = dbf_in("x", report_of(td, members, ends=date(2024, 5, 5)))
    entered(staff, files, ours_from="2024-01-02")
    report = Submission.objects.get(state=Submission.State.SUBMITTED)
    open_rating(members[0], "OTBR", 1700.0, 30, as_of=date(2024, 6, 1))
    with pytest.raises(NotPossible) as refused:
        accept_report(submission_id=report.pk, actor=make_staff())
    found = [one.code for one in refused.value.findings]
    assert "section.in_rating_taken_over" in found
    assert not Event.objects.exists()


def test_an_imported_event_is_not_reported_and_rated_again(staff, td, members):
    reported = report_of(td, members, ends=date(2024, 5, 5))
    entered(staff, {"a.json": write_json(reported)})
    event = Event.objects.get()
    again = [(one.code, one.severity) for one in check_against_records(reported)]
    assert (f"event.received_before.{event.event_id}", Severity.ERROR) in again


def test_after_a_ratings_import_the_day_is_required(staff, td, members):
    files = dbf_in("x", report_of(td, members, ends=date(2024, 5, 5)))
    open_rating(members[0], "OTBR", 1700.0, 30, as_of=date(2024, 5, 4))
    assert codes(received(staff, files)) == [(1, "event_of_our_time")]
    stated = received(staff, files, ours_from="2024-06-01")
    assert stated.totals["history"] == {"imported": 1}


def test_after_the_first_rated_section_the_day_is_to_be_stated(staff, td, members):
    first = dbf_in("x", report_of(td, members, ends=date(2024, 5, 5)))
    entered(staff, first, ours_from="2024-01-01")
    accept_report(submission_id=Submission.objects.get().pk, actor=make_staff())
    run_due_jobs()
    days = [("Before", date(2024, 5, 5)), ("After", date(2024, 5, 6))]
    files = [dbf_in(name, report_of(td, members, name, day)) for name, day in days]
    intake = received(staff, files[0] | files[1])
    assert codes(intake) == [(2, "event_of_our_time")]


def test_the_day_proposed_is_the_last_one_stated(staff, td, members):
    entered(staff, dbf_in("x", report_of(td, members)), ours_from="2024-01-01")
    entered(staff, dbf_in("y", report_of(td, members, "Second")))
    assert last_options()["ours_from"] == "2024-01-01"


def test_the_day_of_the_office_goes_before_the_last_one_stated(staff, td, members):
    entered(staff, dbf_in("x", report_of(td, members)), ours_from="2024-01-01")
    day = date(2023, 7, 1)
    Office.objects.create(pk=Office.SINGLETON_ID, name="Ruritania", ours_from=day)
    assert last_options()["ours_from"] == "2023-07-01"


# Undoing


def test_an_archive_is_undone_and_can_be_sent_again(staff, td, members):
    files = mixed(td, members)
    intake = entered(staff, files, ours_from="2003-11-02")
    assert undone(staff, intake).state == Intake.State.UNDONE
    assert not Event.objects.exists()
    assert not Entry.objects.exists()
    states = set(Submission.objects.values_list("state", flat=True))
    assert states == {Submission.State.WITHDRAWN}
    assert SubmissionFile.objects.count() == 5
    assert counts(received(staff, files)) == {"new": 3}


def test_nothing_is_undone_once_something_rests_on_it(staff, td, members):
    intake = entered(staff, mixed(td, members))
    first_version(Section.objects.first())
    intake = undone(staff, intake)
    assert intake.state == Intake.State.ENTERED
    assert intake.problem["code"] == "record_rested_on"
    assert Event.objects.count() == 3


def test_members_who_have_come_and_gone_since_are_noticed(staff, td, members):
    intake = received(staff, dbf_in("x", report_of(td, members)))
    type(members[0]).objects.filter(pk=members[0].pk).update(member_id="29999998")
    apply_intake(intake_id=intake.pk, actor=staff, reason="Now.")
    run_due_jobs()
    intake.refresh_from_db()
    assert intake.problem["code"] == "record_changed_since"
    assert not Event.objects.exists()


# The command


def test_the_command_says_and_enters(staff, td, members, tmp_path, capsys):
    file = tmp_path / "old.zip"
    file.write_bytes(zipped(mixed(td, members)))
    call_command("import_history", file)
    told = capsys.readouterr().out
    assert "3 rows: 3 new" in told
    assert "3 imported: shown but not rated" in told
    with pytest.raises(CommandError, match="--by"):
        call_command("import_history", file, "--apply")
    call_command(
        "import_history",
        file,
        "--apply",
        "--by",
        staff.username,
        "--ours-from",
        "2003-11-02",
    )
    assert Event.objects.count() == 2


def test_the_command_takes_the_day_of_the_office(staff, td, members, tmp_path):
    file = tmp_path / "old.zip"
    file.write_bytes(zipped(mixed(td, members)))
    day = date(2003, 11, 2)
    Office.objects.create(pk=Office.SINGLETON_ID, name="Ruritania", ours_from=day)
    call_command("import_history", file, "--apply", "--by", staff.username)
    assert sorted(Event.objects.values_list("name", flat=True)) == ["Spring", "Summer"]


def test_an_archive_of_which_all_is_refused_asks_for_no_columns(client, staff):
    intake = received(staff, {"a/notes.txt": b"Fun.", "b/notes.txt": b"More fun."})
    assert (intake.state, intake.refused) == ("ready", 2)
    client.force_login(staff)
    page = client.get(intake.get_absolute_url())
    assert "Match columns" not in page.content.decode()
    asked = client.get(f"{intake.get_absolute_url()}columns/")
    assert asked["Location"] == intake.get_absolute_url()


# Several reports where one is expected


def as_csv(name: str, ends: date, members) -> bytes:
    facts = f"Event,{name}\nFirst day,{ends}\nLast day,{ends}\nSection,Open\n\n"
    return (facts + CSV.format(*(one.member_id for one in members))).encode()


def two_reports(kind: str, td, members) -> dict[str, bytes]:
    events = [("Spring", date(2003, 5, 4)), ("Autumn Open", date(2003, 11, 2))]
    if kind == "json":
        write = [write_json(report_of(td, members, *event)) for event in events]
    else:
        write = [as_csv(*event, members) for event in events]
    return {f"{number}.{kind}": data for number, data in enumerate(write)}


@pytest.mark.parametrize("kind", ["json", "csv"])
@pytest.mark.parametrize("inner", [False, True])
def test_two_reports_in_one_folder_or_archive_are_refused(
    staff, td, members, kind, inner
):
    make_affiliate("A6000009")
    files = two_reports(kind, td, members)
    bundle = {f"opens/{name}": data for name, data in files.items()}
    if inner:
        bundle = {"2003.zip": zipped(files)}
    bundle["good.json"] = write_json(report_of(td, members, "Good"))
    intake = entered(staff, bundle, affiliate="A6000009")
    assert [line for line, _ in codes(intake)] == [1]
    said = intake.rows.get(kind="refused").reason["finding"]
    assert "file.ignored" in said or "file.other_event" in said
    assert [one.name for one in Event.objects.all()] == ["Good"]


def test_tables_that_state_one_event_are_one_report(staff, td, members):
    make_affiliate("A6000009")
    other = [make_player(f"1800020{number}", "Gil", f"No{number}") for number in "0123"]
    files = {
        "x/a.csv": as_csv("Spring", LONG_AGO, members),
        "x/b.csv": as_csv("Spring", LONG_AGO, other),
        "good.json": write_json(report_of(td, members, "Good")),
    }
    intake = entered(staff, files, affiliate="A6000009")
    assert counts(intake) == {"new": 2}
    assert Event.objects.get(name="Spring").sections.count() == 2
