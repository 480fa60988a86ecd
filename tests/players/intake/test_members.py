"""A file of members: what the dry run says, what entering does, and its undoing."""

import csv
from datetime import date, timedelta

import pytest
from django.utils import timezone

from events.models import Official
from players.importers.sheets import write_sheet
from players.intake.kinds import NotTaken
from players.intake.services import staging
from players.intake.services.receiving import enter_intake, path_of
from players.models import (
    Guardian,
    Intake,
    IntakeRow,
    Membership,
    MembershipType,
    Player,
)
from ratings.models import RerateMark
from ratings_site.common.jobs.services import work_off
from ratings_site.common.models import AuditEntry
from tests.events.importers.samples import rezipped
from tests.factories import make_player, rated_section
from tests.players.intake.files import (
    ADA,
    BEN,
    HEADINGS,
    as_csv,
    as_xlsx,
    counts,
    entered,
    everybody,
    received,
    undone,
)

pytestmark = pytest.mark.django_db


def reasons(intake: Intake) -> list[tuple[int, str]]:
    rows = intake.rows.filter(kind=IntakeRow.Kind.REFUSED)
    return [(row.line, row.reason["code"]) for row in rows]


def test_the_dry_run_changes_nothing_and_keeps_the_file(settings):
    intake = received(ADA, BEN)
    assert (intake.state, counts(intake)) == (Intake.State.READY, {"new": 2})
    assert not Player.objects.exists()
    assert path_of(intake).read_text() == f"{HEADINGS}\n{ADA}\n{BEN}\n"


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


def test_a_file_repeated_changes_nothing():
    entered(ADA, BEN)
    before = everybody()
    again = received(ADA, BEN)
    assert counts(again) == {"unchanged": 2}
    with pytest.raises(NotTaken):
        enter_intake(intake_id=again.pk, actor=None, reason="Once more.")
    assert everybody() == before


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
    before = everybody()
    intake = received("20000001,Adams", headings="ID,Last name")
    assert counts(intake) == {"unchanged": 1}
    assert everybody() == before


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_two_rows_with_one_id_or_fide_id_are_not_both_taken(write):
    carl = BEN.replace("20000002", "20000003").replace("Ben,Baker", "Carl,Cole")
    intake = received(ADA, ADA.replace("Ada", "Eva"), BEN, carl, write=write)
    assert counts(intake) == {"new": 2, "refused": 2}
    assert reasons(intake) == [(3, "member_id_twice"), (5, "fide_id_twice")]


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
        # still running: prolonged, and shortened
        (30, 400, [(-300, 400)]),
        (30, -10, [(-300, -10)]),
        # ended, and taken up again
        (-40, 300, [(-300, -40), (0, 300)]),
        # ended, and told late that it ran on for a while
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
    before = everybody()
    text = f"20000001,{day(expires).isoformat()}"
    intake = received(text, headings="ID,Expires")
    if intake.changed:
        intake = entered(text, headings="ID,Expires")
    found = player.memberships.order_by("starts").values_list("starts", "expires")
    assert list(found) == [(day(a), day(b)) for a, b in stretches]
    if intake.changed:
        undone(intake)
        assert everybody() == before


def test_types_are_told_apart_without_regard_to_case():
    MembershipType.objects.create(name="Youth")
    entered(ADA.replace("Youth", "YOUTH"))
    assert Membership.objects.get().type.name == "Youth"


def test_undoing_gives_back_what_was():
    entered(ADA)
    before = everybody()
    intake = entered(ADA.replace("TX", "OK").replace("mum@", "dad@"), BEN)
    assert Guardian.objects.get().email == "dad@example.org"
    undone(intake)
    assert intake.state == Intake.State.UNDONE
    assert everybody() == before


def test_an_intake_with_a_member_who_directs_cannot_be_undone():
    intake = entered(ADA, BEN)
    Official.objects.create(
        player=Player.objects.get(member_id="20000001"),
        level=Official.Level.CLUB,
        certified_until=date(2027, 1, 1),
    )
    before = everybody()
    undone(intake)
    assert intake.state == Intake.State.ENTERED
    assert intake.problem["code"] == "rested_on"
    assert intake.problem["member_id"] == "20000001"
    assert everybody() == before


def test_an_intake_whose_member_was_changed_since_cannot_be_undone():
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
    enter_intake(intake_id=intake.pk, actor=None, reason="Moving in.")
    work_off()
    intake.refresh_from_db()
    assert (intake.state, intake.problem["code"]) == ("ready", "changed_since")
    assert not Player.objects.filter(member_id="20000002").exists()


def test_a_file_that_changes_most_members_needs_a_yes():
    people = [
        f"{20000100 + number},Given,Family,,TX,,,,,,".replace("Family", name)
        for number, name in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    ]
    entered(*people)
    moved = [row.replace("TX", "OK") for row in people]
    with pytest.raises(NotTaken):
        entered(*moved)
    assert not Player.objects.filter(state="OK").exists()
    assert entered(*moved, yes=True).state == Intake.State.ENTERED
    assert Player.objects.filter(state="OK").count() == len(people)


def test_a_file_that_is_no_table_is_kept_and_refused():
    intake = received("\x00", headings="Last name")
    assert intake.state == Intake.State.REFUSED
    assert intake.problem["code"] == "file_is_no_text"
    assert path_of(intake).exists()


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


def test_a_birth_date_that_ratings_rest_on_leaves_a_mark():
    section = rated_section(players=2)
    player = section.entries.first().player
    text = f"{player.member_id},1991-01-01"
    entered(text, headings="ID,Birth date")
    assert RerateMark.objects.get().player == player


def test_of_many_sheets_not_read_a_hundred_are_named():
    named = "".join(f'<sheet name="S{n}" r:id="rId1"/>' for n in range(300))
    book = f'<workbook xmlns:r="x"><sheets>{named}</sheets></workbook>'

    def as_xlsx(lines) -> bytes:
        return rezipped(
            write_sheet(list(csv.reader(lines))), "xl/workbook.xml", book.encode()
        )

    intake = received(ADA, write=as_xlsx)
    assert intake.sheet["read"] == "S0"
    assert intake.sheet["others"] == [f"S{n}" for n in range(1, 101)]
