"""The office's pages for imports."""

import csv
import io

import openpyxl
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from players.imports import tasks
from players.imports.services import answers, staging
from players.imports.services.actions import apply_intake, set_answers
from players.imports.services.answers import (
    answers_to,
    fixes_and_words,
    questions_of,
)
from players.models import ImportWord, Intake, Player
from ratings_site.common.jobs import services
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry
from tests.factories import make_staff, make_td
from tests.players.imports.files import ADA, BEN, HEADINGS, counts, entered, received

pytestmark = pytest.mark.django_db

INTAKES = "/office/intake/"


@pytest.fixture
def staff(client):
    user = make_staff()
    client.force_login(user)
    return user


def send(client, *rows: str):
    content = "\n".join([HEADINGS, *rows]).encode()
    file = SimpleUploadedFile("members.csv", content)
    return client.post(INTAKES, {"kind": "members", "file": file})


def page_of(client, address: str) -> str:
    return client.get(address).content.decode()


def test_a_file_is_sent_looked_at_entered_and_undone(client, staff):
    address = send(client, ADA, BEN, "bad,row")["Location"]
    intake = Intake.objects.get()
    assert (address, intake.received_by) == (f"{INTAKES}{intake.pk}/", staff)
    assert "Waiting to start" in page_of(client, address)
    run_due_jobs()
    assert client.get(f"{address}progress/")["HX-Redirect"] == address
    page = page_of(client, address)
    assert "Ada Adams" in page
    assert "“bad” isn’t a member ID" in page
    assert client.post(f"{address}enter/", {"reason": ""}).status_code == 422

    client.post(f"{address}enter/", {"reason": "The year begins."})
    run_due_jobs()
    assert Player.objects.count() == 2
    assert "The year begins." in page_of(client, address)
    client.post(f"{address}undo/", {"reason": "The wrong year."})
    run_due_jobs()
    assert not Player.objects.exists()
    assert "The wrong year." in page_of(client, address)


def test_refused_rows_come_back_as_they_stood_with_the_reason(client, staff):
    intake = received("=1+1,Ada,Adams,1899-01-01", BEN)
    answer = client.get(f"{INTAKES}{intake.pk}/refused.csv")
    text = b"".join(answer.streaming_content).decode()
    headings, row = csv.reader(io.StringIO(text))
    assert headings == [*HEADINGS.split(","), "Line", "Reason"]
    assert row[:3] == ["'=1+1", "Ada", "Adams"]
    assert row[-2:] == [
        "2",
        "“=1+1” isn’t a member ID. Enter eight digits that don’t start with 0. "
        "The birth date 1899-01-01 is too early; some programs write it for "
        "“unknown.” Leave the cell blank.",
    ]


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_the_template_can_be_sent_as_it_is(client, staff, ending):
    answer = client.get(f"{INTAKES}template/members.{ending}")
    file = SimpleUploadedFile(f"template.{ending}", answer.content)
    client.post(INTAKES, {"kind": "members", "file": file})
    run_due_jobs()
    intake = Intake.objects.get()
    assert (intake.new, intake.refused, intake.passed_over) == (1, 0, [])


def test_columns_are_named_where_the_headings_do_not_tell(client, staff):
    intake = received("20000001,Adams", "20000002,Baker", headings="Nummer,Nachname")
    address = intake.get_absolute_url()
    assert f"{address}columns/" in page_of(client, address)
    page = page_of(client, f"{address}columns/")
    assert "20000001 · 20000002" in page
    nothing = {"column_0": "-", "column_1": "family_name", "headed": "on"}
    answer = client.post(f"{address}columns/", nothing)
    assert "Choose a column for: Member ID." in answer.content.decode()
    both = {**nothing, "column_0": "member_id", "column_1": "member_id"}
    answer = client.post(f"{address}columns/", both)
    assert "Two columns have the same type." in answer.content.decode()

    client.post(f"{address}columns/", {**nothing, "column_0": "member_id"})
    run_due_jobs()
    intake.refresh_from_db()
    assert (counts(intake), intake.problem) == ({"new": 2}, {})
    assert AuditEntry.objects.filter(action="intake.columns_named").count() == 1
    page = page_of(client, f"{address}columns/")
    assert '<option value="family_name" selected>' in page
    # Checking again uses the chosen mapping.
    client.post(f"{address}again/")
    run_due_jobs()
    intake.refresh_from_db()
    assert counts(intake) == {"new": 2}


def test_month_or_day_first_is_asked_where_the_file_does_not_tell(client, staff):
    rows = ["20000001,Adams,03/05/2007", "20000002,Baker,04/06/2008"]
    intake = received(*rows, headings="ID,Last name,DOB")
    assert (intake.state, counts(intake)) == (Intake.State.READY, {})
    address = intake.get_absolute_url()
    page = page_of(client, address)
    assert "Birth date: what does “03/05/2007” mean?" in page
    assert "March 5, 2007: the month comes first" in page
    assert "May 3, 2007: the day comes first" in page
    answer = client.post(f"{address}days/", {})
    assert "Choose one of these." in answer.content.decode()
    client.post(f"{address}days/", {"birth_date": "day_first"})
    run_due_jobs()
    intake.refresh_from_db()
    assert (counts(intake), intake.problem) == ({"new": 2}, {})
    born = intake.rows.values_list("values__birth_date", flat=True)
    assert list(born) == ["2007-05-03", "2008-06-04"]
    entry = AuditEntry.objects.get(action="intake.day_orders_stated")
    assert entry.facts == {"orders": ["birth_date: day_first"]}
    # Checking again uses the answer, so the question is gone.
    client.post(f"{address}again/")
    run_due_jobs()
    intake.refresh_from_db()
    assert counts(intake) == {"new": 2}
    assert client.get(f"{address}days/")["Location"] == address


def test_the_order_of_six_digits_is_asked_too(client, staff):
    rows = ["20000001,Adams,070503", "20000002,Baker,130725"]
    intake = received(*rows, headings="ID,Last name,DOB")
    address = intake.get_absolute_url()
    page = page_of(client, address)
    assert "May 3, 07: the year comes first" in page
    assert "May 7, 03: the day comes first" in page
    assert "July 5, 03" not in page  # there is no 13th month
    client.post(f"{address}days/", {"birth_date": "year_first"})
    run_due_jobs()
    intake.refresh_from_db()
    born = intake.rows.values_list("values__birth_date", flat=True)
    assert list(born) == ["2007-05-03", "2013-07-25"]
    year = timezone.localdate().year
    assert f"read as {year - 99} to {year}" in page_of(client, address)


def test_a_column_of_days_that_contradicts_itself_refuses_the_file(client, staff):
    rows = ["20000001,Adams,13/05/2007", "20000002,Baker,04/16/2008"]
    intake = received(*rows, headings="ID,Last name,DOB")
    assert (intake.state, intake.rows.count()) == (Intake.State.REFUSED, 0)
    page = page_of(client, intake.get_absolute_url())
    assert "“04/16/2008” in line 3" in page
    assert "“13/05/2007” in line 2" in page
    entry = AuditEntry.objects.get(action="intake.refused")
    assert "2007" not in str(entry.facts)


def test_a_question_about_days_leaves_nothing_of_an_earlier_reading(client, staff):
    intake = received("20000001,Adams,03/05/2007", headings="ID,Last name,Day")
    assert counts(intake) == {"new": 1}
    columns = {
        f"column_{n}": name
        for n, name in enumerate(("member_id", "family_name", "birth_date"))
    }
    client.post(f"{intake.get_absolute_url()}columns/", columns | {"headed": "on"})
    run_due_jobs()
    intake.refresh_from_db()
    assert intake.problem["code"] == "day_order_unclear"
    assert (counts(intake), intake.rows.count()) == ({}, 0)


def test_columns_are_not_named_after_the_decision(client, staff):
    address = entered(ADA).get_absolute_url()
    assert client.get(f"{address}columns/")["Location"] == address


def test_the_sheet_that_was_read_is_named(client, staff):
    book, data = openpyxl.Workbook(), io.BytesIO()
    book.active.title = "Members"
    for row in (["ID", "Last name"], [20000001, "Adams"]):
        book.active.append(row)
    book.create_sheet("Notes").append(["not read"])
    book.save(data)
    file = SimpleUploadedFile("members.xlsx", data.getvalue())
    client.post(INTAKES, {"kind": "members", "file": file})
    run_due_jobs()
    page = page_of(client, Intake.objects.get().get_absolute_url())
    assert "We read only the sheet “Members.” Not read: Notes." in page


def test_a_file_set_aside_leaves_no_rows(client, staff):
    intake = received(ADA)
    client.post(f"{INTAKES}{intake.pk}/set-aside/", {"reason": "An old export."})
    intake.refresh_from_db()
    assert (intake.state, intake.rows.count()) == (Intake.State.REFUSED, 0)
    answer = client.post(f"{INTAKES}{intake.pk}/enter/", {"reason": "Still."})
    assert "You can’t do this now." in answer.content.decode()


def test_what_changed_meanwhile_is_read_again(client, staff):
    entered(ADA)
    intake = received(ADA.replace("TX", "OK"))
    Player.objects.update(state="NM")
    client.post(f"{INTAKES}{intake.pk}/enter/", {"reason": "A move."})
    run_due_jobs()
    assert "has changed since" in page_of(client, intake.get_absolute_url())
    client.post(f"{INTAKES}{intake.pk}/again/")
    run_due_jobs()
    page = page_of(client, intake.get_absolute_url())
    assert "NM → OK" in page


def test_directors_do_not_see_the_files(client):
    client.force_login(make_td())
    assert client.get(INTAKES).status_code == 403
    assert client.get(f"{INTAKES}{received(ADA).pk}/refused.csv").status_code == 403


@pytest.mark.parametrize("files", [2, 12])
def test_the_list_takes_the_same_queries_for_any_size(
    client, staff, files, django_assert_num_queries
):
    for _ in range(files):
        received(ADA)
    client.get(INTAKES)
    with django_assert_num_queries(10):
        page = page_of(client, INTAKES)
    assert page.count("members.csv</a>") == files


@pytest.mark.parametrize("rows", [2, 12])
def test_the_dry_run_takes_the_same_queries_for_any_size(
    client, staff, rows, django_assert_num_queries
):
    people = [f"{20000100 + number},Given,Family,,TX,,,,,," for number in range(rows)]
    intake = received(*people)
    client.get(INTAKES)
    with django_assert_num_queries(10):
        page = page_of(client, intake.get_absolute_url())
    assert page.count("Given Family") == rows


def test_a_file_that_stops_the_work_comes_back_to_the_office(monkeypatch):
    """Otherwise it would stay in progress forever and could not be rejected."""
    intake = received(ADA)

    def break_down(*args):
        raise ZeroDivisionError

    monkeypatch.setattr(services, "MAX_ATTEMPTS", 1)
    monkeypatch.setattr(tasks, "MAX_ATTEMPTS", 1)
    monkeypatch.setattr(tasks.runner, "apply", break_down)
    apply_intake(intake_id=intake.pk, actor=None, reason="Moving in.")
    run_due_jobs()
    intake.refresh_from_db()
    assert (intake.state, intake.problem["code"]) == ("ready", "could_not_be_handled")


def test_the_ending_of_a_name_is_kept_short(client, staff):
    file = SimpleUploadedFile(f"x.{'a' * 190}", f"{HEADINGS}\n{ADA}".encode())
    client.post(INTAKES, {"kind": "members", "file": file})
    assert Intake.objects.get().stored_as.endswith(".aaaaaaaaa")


def test_a_cell_that_no_database_takes_is_refused(client, staff):
    content = f"{HEADINGS}\n{ADA.replace('Ada', 'A' + chr(0))}\n{BEN}".encode("utf-16")
    file = SimpleUploadedFile("members.csv", content)
    client.post(INTAKES, {"kind": "members", "file": file})
    run_due_jobs()
    assert counts(Intake.objects.get()) == {"new": 1, "refused": 1}


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite does not ask.")
def test_the_database_counts_its_rows_after_a_large_file(monkeypatch):
    """The ANALYZE is replaced: real statistics would affect later tests."""
    asked = []

    def note(execute, sql, *args):
        return asked.append(sql) if sql == "ANALYZE" else execute(sql, *args)

    monkeypatch.setattr(tasks, "ANALYZE_THRESHOLD", 2)
    with connection.execute_wrapper(note):
        entered(ADA)
        assert not asked
        entered(ADA, BEN.replace("Baker", "Baxter"), "20000003,Cy,Clark,,TX,,,,,,")
    assert asked == ["ANALYZE"]


FAULTS = {
    "name_says_deceased": ["Name=Adams, Ada (deceased)"],
    "name_says_duplicate": ["Name=Adams, Ada DUP OF 20000002"],
    "name_without_comma": ["Name=Ada Adams", "Name=Adams"],
    "no_member_id:guardian_id": ["Guardian ID=mum"],
    "no_day": ["DOB=soon", "Starts=soon", "Expires=soon"],
    "year_of_two_digits": ["Expires=12/31/99", "Expires=31-Dec-99"],
    "birth_date_too_early": ["DOB=1899-12-31"],
    "birth_date_to_come": ["DOB=2099-01-01"],
    "birth_year_impossible": ["Birth year=1850"],
    "membership_without_end": ["Membership=Adult"],
    "membership_ends_before_it_starts": ["Starts=2026-01-01;Expires=2025-12-31"],
    "no_country": ["Country=Atlantis", "Federation=Atlantis"],
    "state_unknown": ["State=ZZ"],
    "no_fide_id": ["FIDE ID=2O16"],
    "status_unknown": ["Status=Lapsed"],
}


def answered(intake, said):
    """Answer questions as the page does, and check the file again."""
    fixes, words = fixes_and_words(said)
    set_answers(intake_id=intake.pk, actor=None, fixes=fixes, words=words)
    run_due_jobs()
    intake.refresh_from_db()
    return intake


@pytest.mark.parametrize("kind", FAULTS)
def test_each_answer_on_the_page_imports_the_row(kind):
    for cells in FAULTS[kind]:
        row = {"ID": "20000001", "Name": "Adams, Ada"}
        row |= dict(cell.split("=") for cell in cells.split(";"))
        texts = [",".join(f'"{text}"' for text in row.values())]
        intake = received(*texts, headings=",".join(row))
        [asked] = questions_of(intake)
        assert asked.startswith(kind)
        for answer in answers_to(asked):
            intake = received(*texts, headings=",".join(row))
            assert counts(intake) == {"refused": 1}
            assert counts(answered(intake, {asked: answer})) == {"new": 1}
            ImportWord.objects.all().delete()


def test_each_kind_with_an_answer_is_tried():
    assert {*FAULTS} == {*answers.ANSWERS, "status_unknown"}


def test_an_end_before_a_membership_on_record_can_be_left_blank():
    entered(ADA)
    row = "20000001,Adams,2025-06-30"
    intake = received(row, headings="ID,Last name,Expires")
    assert counts(intake) == {"refused": 1}
    [asked] = questions_of(intake)
    assert counts(answered(intake, {asked: "blank"})) == {"unchanged": 1}
    assert intake.faults[f"{asked}|blank"]["count"] == 1


def test_more_words_than_kinds_are_asked_about_in_turn(monkeypatch):
    """A question without its word would set the status of every blank cell."""
    monkeypatch.setattr(staging, "MOST_KINDS", 2)
    texts = ["Lapsed", "Grace", "Paid", "Due", ""]
    rows = [f"{20000001 + n},Adams,{text},TX" for n, text in enumerate(texts)]
    intake = received(*rows, "20000009,Bo,,ZZ", headings="ID,Last name,Status,State")
    assert [*questions_of(intake)] == [
        "state_unknown",
        "status_unknown:GRACE",
        "status_unknown:LAPSED",
    ]
    assert intake.faults["status_unknown"]["count"] == 2
    assert not answers_to("status_unknown")


def test_only_files_of_members_have_questions(client, staff):
    intake = received(
        "A6012345,Castle Club,ZZ,2026-12-31",
        headings="Affiliate ID,Name,State,Expires",
        kind="affiliates",
    )
    assert intake.faults["state_unknown"]["count"] == 1
    address = intake.get_absolute_url()
    assert "Choose what to do" not in page_of(client, address)
    assert client.get(f"{address}faults/")["Location"] == address


def test_a_wrong_meaning_of_a_word_is_deleted_and_asked_about_again(client, staff):
    heads, row = "ID,Last name,Status", "20000001,Adams,Lapsed"
    answered(received(row, headings=heads), {"status_unknown:LAPSED": "deceased"})
    word = ImportWord.objects.get()
    page = reverse("admin:players_importword_delete", args=[word.pk])
    assert client.post(page, {"post": "yes"}).status_code == 302
    assert [*questions_of(received(row, headings=heads))] == ["status_unknown:LAPSED"]
    entry = AuditEntry.objects.get(action="importword.deleted")
    assert (entry.actor, entry.facts) == (
        staff,
        {"word": "LAPSED", "meaning": "deceased"},
    )


def test_problems_are_answered_by_kind_and_words_are_remembered(client, staff):
    heads = "ID,Last name,Status,Email"
    intake = received(
        "20000001,Adams,Lapsed,nobody", "20000002,Bo,Lapsed,", headings=heads
    )
    assert counts(intake) == {"refused": 2}
    address = intake.get_absolute_url()
    page = page_of(client, address)
    assert "Status: “Lapsed” isn’t valid" in page
    assert "2, 3" in page
    form = page_of(client, f"{address}faults/")
    assert "2 rows" in form
    client.post(f"{address}faults/", {"status_unknown:LAPSED": "gone"})
    assert not ImportWord.objects.exists()

    client.post(f"{address}faults/", {"status_unknown:LAPSED": "inactive"})
    run_due_jobs()
    intake.refresh_from_db()
    assert counts(intake) == {"new": 2}
    assert intake.faults["no_email:email|blank"]["count"] == 1
    assert "imported; check this field" in page_of(client, address)
    [word] = ImportWord.objects.all()
    assert (word.word, word.meaning, word.decided_by) == ("LAPSED", "inactive", staff)
    entry = AuditEntry.objects.get(action="intake.faults_answered")
    assert entry.facts["words"] == {"LAPSED": "inactive"}
    assert counts(received("20000003,Cruz,lapsed,", headings=heads)) == {"new": 1}
