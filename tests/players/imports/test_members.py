"""A file of members: dry run, import, and undo."""

import csv
from datetime import date, timedelta

import pytest
from django.utils import timezone

from events.models import Official
from players.formats.xlsx_writer import write_xlsx
from players.imports.kinds import ImportRefused
from players.imports.services import staging
from players.imports.services.actions import apply_intake
from players.models import (
    Guardian,
    Intake,
    IntakeRow,
    Membership,
    MembershipType,
    Player,
)
from ratings.models import RerateMark
from ratings_site.common.jobs.services import ClaimedJob, run_due_jobs
from ratings_site.common.models import AuditEntry
from ratings_site.common.uploads.services import read_upload
from tests.events.formats.samples import rezipped
from tests.factories import make_player, rated_section
from tests.players.imports.files import (
    ADA,
    BEN,
    HEADINGS,
    all_players,
    as_csv,
    as_xlsx,
    counts,
    entered,
    received,
    undone,
)

pytestmark = pytest.mark.django_db


def reasons(intake: Intake) -> list[tuple[int, str]]:
    rows = intake.rows.filter(kind=IntakeRow.Kind.REFUSED)
    return [(row.line, row.reason["code"]) for row in rows]


def test_the_dry_run_changes_nothing_and_keeps_the_file():
    intake = received(ADA, BEN)
    assert (intake.state, counts(intake)) == (Intake.State.READY, {"new": 2})
    assert not Player.objects.exists()
    assert read_upload(intake.stored_as) == f"{HEADINGS}\n{ADA}\n{BEN}\n".encode()


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_members_enter_with_all_that_the_file_says(write):
    intake = entered(ADA, BEN, write=write)
    assert intake.state == Intake.State.ENTERED
    ada = Player.objects.get(member_id="20000001")
    assert (ada.name, ada.birth_date) == ("Ada Adams", date(2011, 2, 13))
    assert (ada.state, ada.residence, ada.status) == ("TX", "USA", "active")
    assert ada.guardian.email == "mum@example.org"
    assert ada.was_member_on(date(2026, 12, 31))
    as_saved = Player(given_name="Ada", family_name="Adams")
    as_saved.set_search_names()
    assert ada.search_sound == as_saved.search_sound
    assert Player.objects.get(fide_id="2000016").name == "Ben Baker"
    entry = AuditEntry.objects.get(action="intake.entered")
    assert entry.facts == {"new": 2, "changed": 0, "types": ["Youth", "Regular"]}


def test_the_job_hears_how_many_rows_are_applied_and_undone(monkeypatch):
    monkeypatch.setattr(staging, "CHUNK", 1)
    heard = []
    monkeypatch.setattr(ClaimedJob, "report", lambda _job, *steps: heard.append(steps))
    intake = entered(ADA, BEN)
    assert heard == [(1, 2), (2, 2)]
    heard.clear()
    undone(intake)
    assert heard == [(1, 2), (2, 2)]


def test_a_file_repeated_changes_nothing():
    entered(ADA, BEN)
    before = all_players()
    again = received(ADA, BEN)
    assert counts(again) == {"unchanged": 2}
    with pytest.raises(ImportRefused):
        apply_intake(intake_id=again.pk, actor=None, reason="Once more.")
    assert all_players() == before


def test_a_changed_row_says_each_field_as_it_was_and_will_be():
    entered(ADA, BEN)
    moved = ADA.replace("TX", "OK").replace("2026-12-31", "2027-12-31")
    intake = entered(moved, BEN)
    [row] = intake.rows.all()
    youth = {"type": "Youth", "starts": "2026-01-01"}
    assert row.values == {
        "state": ["TX", "OK"],
        "membership": [
            {**youth, "expires": "2026-12-31"},
            {**youth, "expires": "2027-12-31"},
        ],
    }
    assert Player.objects.get(member_id="20000001").state == "OK"
    assert Membership.objects.get(player__member_id="20000001").expires.year == 2027


def test_what_a_row_leaves_out_stays_as_it_is():
    entered(ADA)
    before = all_players()
    intake = received("20000001,Adams", headings="ID,Last name")
    assert counts(intake) == {"unchanged": 1}
    assert all_players() == before


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_of_two_members_with_one_fide_id_the_second_is_refused(write):
    carl = BEN.replace("20000002", "20000003").replace("Ben,Baker", "Carl,Cole")
    intake = received(ADA, BEN, carl, write=write)
    assert counts(intake) == {"new": 2, "refused": 1}
    assert reasons(intake) == [(4, "fide_id_twice")]


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
@pytest.mark.parametrize("other", ["Eva,Adams,2011-02-13", "Ada,Adams,2012-02-13"])
def test_rows_of_one_member_that_contradict_each_other_are_all_refused(write, other):
    again = ADA.replace("Ada,Adams,2011-02-13", other)
    intake = received(ADA, BEN, again, write=write)
    assert counts(intake) == {"new": 1, "refused": 2}
    assert reasons(intake) == [(2, "rows_contradict"), (4, "rows_contradict")]
    assert intake.rows_read == 3


# The unsorted history of a member, with a row of another member in between.
HISTORY = [
    ADA.replace("2026", "2025"),
    ADA.replace("ADA", "Ada").replace("TX", "OK").replace("2026", "2027"),
    BEN,
    ADA.replace("Ada,Adams", "ADA,").replace("2026", "2023"),
    ADA,
]


def terms_of_ada() -> list[tuple[int, int]]:
    terms = Membership.objects.filter(player__member_id="20000001").order_by("starts")
    return [(one.starts.year, one.expires.year) for one in terms]


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_several_rows_of_a_member_are_a_history_and_the_last_one_counts(write):
    intake = entered(*HISTORY, write=write)
    assert (counts(intake), intake.rows_read) == ({"new": 2}, 5)
    assert terms_of_ada() == [(2023, 2023), (2025, 2025), (2026, 2026), (2027, 2027)]
    assert Player.objects.get(member_id="20000001").state == "OK"
    assert counts(received(*HISTORY, write=write)) == {"unchanged": 2}
    undone(intake)
    assert not Player.objects.exists()


def test_a_history_completes_a_member_on_record_and_is_undone():
    entered(ADA.replace("2026-12-31", "2026-06-30"), BEN)
    before = all_players()
    intake = entered(*HISTORY)
    [row] = intake.rows.all()
    assert terms_of_ada() == [(2023, 2023), (2025, 2025), (2026, 2026), (2027, 2027)]
    youth = {"type": "Youth", "starts": "2026-01-01"}
    assert [
        {**youth, "expires": "2026-06-30"},
        {**youth, "expires": "2026-12-31"},
    ] in row.values["memberships"]
    undone(intake)
    assert all_players() == before


def test_last_days_without_first_days_are_no_history():
    text = "ID,Last name,Expires"
    rows = [f"20000001,Adams,{year}-12-31" for year in (2027, 2025, 2026, 2027)]
    intake = entered(*rows, headings=text)
    assert reasons(intake) == [
        (3, "history_without_first_day"),
        (4, "history_without_first_day"),
    ]
    [term] = Membership.objects.all()
    assert (term.expires, term.starts) == (date(2027, 12, 31), timezone.localdate())


def test_two_last_days_for_one_first_day_contradict_each_other():
    intake = received(ADA, ADA.replace("2026-12-31", "2027-12-31"))
    assert reasons(intake) == [(2, "rows_contradict"), (3, "rows_contradict")]
    assert intake.rows.first().reason["column"] == "expires"


def test_a_row_of_a_history_that_cannot_be_read_is_refused_alone():
    intake = received(ADA, ADA.replace("2026", "2025").replace("TX", "ZZ"), BEN)
    assert counts(intake) == {"new": 2, "refused": 1}
    assert reasons(intake) == [(3, "state_unknown")]


@pytest.mark.parametrize("rows", [2, 40])
def test_a_history_takes_the_same_queries_for_any_length(
    django_assert_max_num_queries, rows
):
    years = [ADA.replace("2026", str(2020 + n)) for n in range(rows)]
    intake = received(*years)
    apply_intake(intake_id=intake.pk, actor=None, reason="Moving in.")
    with django_assert_max_num_queries(60):
        run_due_jobs()
    assert Membership.objects.count() == rows


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_two_numbers_of_one_person_are_suspected(write):
    make_player("20000009", "Ben", "Baker", birth_date=date(1980, 5, 6))
    other = BEN.replace("20000002", "20000003").replace("2000016", "2000017")
    again = ADA.replace("20000001", "20000004")
    intake = received(ADA, again, BEN, other, write=write)
    assert counts(intake) == {"new": 4, "suspected": 3}
    twins = {row.line: row.twin for row in intake.rows.all()}
    assert twins == {2: "", 3: ":2", 4: "20000009", 5: ":4"}


def test_rows_against_the_records_are_refused():
    entered(ADA, BEN)
    kept, merged = make_player("20000007"), make_player("20000008", "Al", "Abel")
    Player.objects.filter(pk=merged.pk).update(merged_into=kept, status="duplicate")
    intake = received(
        "20000002,Ben,Baker,,,,,,2000024,,",
        "20000007,,,,,,,,2000016,,",
        "20000008,Al,Abel,,,,,,,,",
        "20000011,Nameless,,,,,,,,,",
        "20000001,,,2010,,,,,,,",
    )
    assert reasons(intake) == [
        (2, "fide_id_differs"),
        (3, "fide_id_of_another"),
        (4, "member_is_merged"),
        (5, "new_without_name"),
        (6, "birth_year_differs"),
    ]


@pytest.mark.parametrize(
    ("held_until", "expires", "stretches"),
    [
        # still current: extended, and shortened
        (30, 400, [(-300, 400)]),
        (30, -10, [(-300, -10)]),
        # ended, and renewed
        (-40, 300, [(-300, -40), (0, 300)]),
        # ended, with a later last day reported afterward
        (-40, -10, [(-300, -10)]),
        (-40, -40, [(-300, -40)]),
    ],
)
def test_a_row_without_a_first_day_is_about_the_last_membership(
    held_until, expires, stretches
):
    today = timezone.localdate()

    def day(number: int) -> date:
        return today + timedelta(days=number)

    player = make_player(
        "20000001", member_from=day(-300), member_until=day(held_until)
    )
    before = all_players()
    text = f"20000001,{day(expires).isoformat()}"
    intake = received(text, headings="ID,Expires")
    if intake.changed:
        intake = entered(text, headings="ID,Expires")
    found = player.memberships.order_by("starts").values_list("starts", "expires")
    assert list(found) == [(day(a), day(b)) for a, b in stretches]
    if intake.changed:
        undone(intake)
        assert all_players() == before


def test_types_are_told_apart_without_regard_to_case():
    MembershipType.objects.create(name="Youth")
    entered(ADA.replace("Youth", "YOUTH"))
    assert Membership.objects.get().type.name == "Youth"


def test_undoing_gives_back_what_was():
    entered(ADA)
    before = all_players()
    intake = entered(ADA.replace("TX", "OK").replace("mum@", "dad@"), BEN)
    assert Guardian.objects.get().email == "dad@example.org"
    undone(intake)
    assert intake.state == Intake.State.UNDONE
    assert all_players() == before


def test_an_import_with_a_director_cannot_be_undone():
    intake = entered(ADA, BEN)
    Official.objects.create(
        player=Player.objects.get(member_id="20000001"),
        level=Official.Level.CLUB,
        certified_until=date(2027, 1, 1),
    )
    before = all_players()
    undone(intake)
    assert intake.state == Intake.State.ENTERED
    assert intake.problem["code"] == "rested_on"
    assert intake.problem["member_id"] == "20000001"
    assert all_players() == before


def test_an_import_with_a_later_change_cannot_be_undone():
    intake = entered(ADA, BEN)
    Player.objects.filter(member_id="20000002").update(state="NJ")
    undone(intake)
    assert (intake.state, intake.problem["code"]) == (
        Intake.State.ENTERED,
        "changed_since",
    )
    assert Player.objects.count() == 2


def test_what_changed_since_the_dry_run_is_not_entered_half():
    entered(ADA)
    intake = received(BEN, ADA.replace("TX", "OK"))
    Player.objects.filter(member_id="20000001").update(state="NM")
    apply_intake(intake_id=intake.pk, actor=None, reason="Moving in.")
    run_due_jobs()
    intake.refresh_from_db()
    assert (intake.state, intake.problem["code"]) == ("ready", "changed_since")
    assert not Player.objects.filter(member_id="20000002").exists()


def test_a_file_that_is_no_table_is_kept_and_refused():
    intake = received("\x00", headings="Last name")
    assert intake.state == Intake.State.REFUSED
    assert intake.problem["code"] == "file_is_no_text"
    assert read_upload(intake.stored_as) == b"Last name\n\x00\n"


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_a_file_whose_columns_are_shifted_asks_which_is_which(write):
    rows = ["Ada,20000001,Adams", "Ben,20000002,Baker"]
    intake = received(*rows, headings="ID,First name,Last name", write=write)
    assert (intake.state, counts(intake)) == (Intake.State.READY, {"refused": 2})
    assert reasons(intake) == [(2, "no_member_id"), (3, "no_member_id")]
    assert intake.problem["code"] == "all_rows_refused"


def test_reading_again_after_a_dead_worker_counts_nothing_twice(monkeypatch):
    monkeypatch.setattr(staging, "CHUNK", 1)
    intake = received(ADA, BEN)
    assert counts(intake) == {"new": 2}
    assert intake.rows.count() == 2


def test_a_birth_date_used_in_ratings_creates_a_pending_rerate():
    section = rated_section(players=2)
    player = section.entries.first().player
    text = f"{player.member_id},1991-01-01"
    entered(text, headings="ID,Birth date")
    assert RerateMark.objects.get().player == player


YEARS = "ID,Given name,Family name,Birth date,Birth year"


def test_a_birth_year_enters_and_goes_back():
    ada = make_player("20000001", birth_date=None)
    row = "20000001,Ada,Adams,,2011"
    first = entered(row, "20000002,Ben,Baker,1980-05-06,1980", headings=YEARS)
    known = Player.objects.order_by("member_id").values_list("birth_date", "birth_year")
    assert list(known) == [(None, 2011), (date(1980, 5, 6), None)]
    assert counts(received(row, headings=YEARS)) == {"unchanged": 1}
    undone(first)
    ada.refresh_from_db()
    assert (ada.birth_date, ada.birth_year) == (None, None)


@pytest.mark.parametrize(
    ("on_record", "cells", "code"),
    [
        ({"birth_date": None}, "2011-02-13,2012", "birth_year_contradicts"),
        ({"birth_date": None}, "2011,2012", "birth_year_contradicts"),
        ({"birth_date": date(2010, 5, 5)}, ",2011", "birth_year_differs"),
        (
            {"birth_date": None, "birth_year": 2010},
            "2011-02-13,",
            "birth_date_differs",
        ),
    ],
)
def test_a_birth_year_that_contradicts_a_birth_date_is_refused(on_record, cells, code):
    make_player("20000001", **on_record)
    intake = received(f"20000001,Ada,Adams,{cells}", headings=YEARS)
    assert reasons(intake) == [(2, code)]


@pytest.mark.parametrize(
    ("on_record", "cells", "stored"),
    [
        ({"birth_year": 2011}, "2011-02-13,", (date(2011, 2, 13), None)),
        (
            {"birth_date": date(2011, 2, 13), "birth_year": 2011},
            "2010-02-13,",
            (date(2010, 2, 13), None),
        ),
        ({"birth_year": 2011}, ",2012", (None, 2012)),
    ],
)
def test_a_birth_date_wins_over_a_year(on_record, cells, stored):
    ada = make_player("20000001", **{"birth_date": None} | on_record)
    entered(f"20000001,Ada,Adams,{cells}", headings=YEARS)
    ada.refresh_from_db()
    assert (ada.birth_date, ada.birth_year) == stored


def test_the_year_of_a_birth_date_on_record_is_nothing_new():
    make_player("20000001", birth_date=date(2011, 2, 13))
    intake = received("20000001,Ada,Adams,,2011", headings=YEARS)
    assert counts(intake) == {"unchanged": 1}


def test_of_many_sheets_not_read_a_hundred_are_named():
    named = "".join(f'<sheet name="S{n}" r:id="rId1"/>' for n in range(300))
    book = f'<workbook xmlns:r="x"><sheets>{named}</sheets></workbook>'

    def as_xlsx(lines) -> bytes:
        return rezipped(
            write_xlsx(list(csv.reader(lines))), "xl/workbook.xml", book.encode()
        )

    intake = received(ADA, write=as_xlsx)
    assert intake.sheet["read"] == "S0"
    assert intake.sheet["others"] == [f"S{n}" for n in range(1, 101)]
