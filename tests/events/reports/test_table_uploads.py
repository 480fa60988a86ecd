"""Tables and pasted wall charts: from the upload to a submitted report."""

import csv
import hashlib
import io
from dataclasses import replace
from datetime import date

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from events.checks.services import findings_of
from events.formats.report import format_cell
from events.formats.report_reader import read_report
from events.models import Submission
from events.records.exports import event_as_reported, export_crosstables
from events.reports.queries.report_defaults import report_defaults, with_report_defaults
from events.reports.services.submissions import reported_in
from events.review.services.acceptance import accept_report
from ratings_site.common.models import AuditEntry
from ratings_site.common.uploads.services import read_upload
from tests.factories import (
    accepted_event,
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    section_report,
    swiss_rows,
    upload,
)
from tests.hypothesis_settings import example_count

pytestmark = pytest.mark.django_db

UPLOAD = "/desk/upload/"


@pytest.fixture
def td():
    make_affiliate()
    return make_td("td")


@pytest.fixture
def signed_in(client, td):
    client.force_login(td)
    return client


@pytest.fixture
def four(db):
    """Four members of a quad."""
    names = [("Ana", "Reyes"), ("Levi", "Cohen"), ("Tolu", "Ade"), ("Petra", "Novak")]
    return [
        make_player(given_name=given, family_name=family) for given, family in names
    ]


RESULTS = (
    ("W4", "D3", "W2"),
    ("W3", "W4", "L1"),
    ("L2", "D1", "W4"),
    ("L1", "L2", "L3"),
)


def crosstable(players, heading="No,Member ID,Name,Rd 1,Rd 2,Rd 3") -> str:
    rows = [
        f'{number},{player.member_id},"{player.family_name}, {player.given_name}",'
        + ",".join(results)
        for number, (player, results) in enumerate(
            zip(players, RESULTS, strict=True), start=1
        )
    ]
    return "\r\n".join([heading, *rows]) + "\r\n"


def send(client, text: str, name: str = "quad.csv"):
    file = SimpleUploadedFile(name, text.encode())
    return client.post(UPLOAD, {"files": [file]})


def event_facts(td, submission) -> dict:
    return {
        "version": submission.version,
        "name": "Spring Quad",
        "starts": "2024-05-04",
        "ends": "2024-05-04",
        "affiliate_id": "A6000001",
        "chief_td_id": td.player.member_id,
        "city": "Dayton",
        "state": "OH",
        "total_sections": 1,
    }


def section_facts(submission) -> dict:
    return {
        "version": submission.version,
        "name": "Quad 1",
        "time_control": "G/60;d5",
        "kind_letter": "R",
        "rounds": 3,
        "last_pairing_number": 4,
    }


def fill_in_facts(client, td, response) -> Submission:
    """Follow the pages: the event's facts, the section's, the report."""
    submission = Submission.objects.get()
    event = reverse("events:edit_event", args=[submission.pk]) + "?facts=1"
    section = reverse("events:edit_section", args=[submission.pk, 1]) + "?facts=1"
    assert response.url == event
    assert (
        "Your files don’t have all of these details"
        in client.get(event).content.decode()
    )
    response = client.post(event, event_facts(td, submission))
    assert response.url == section
    submission.refresh_from_db()
    response = client.post(section, section_facts(submission))
    assert response.url == submission.get_absolute_url()
    submission.refresh_from_db()
    return submission


def test_what_files_leave_out_is_that_of_the_last_report(signed_in, td, four):
    """The place is used as a whole or not at all; the files' values stay."""
    first = fill_in_facts(signed_in, td, send(signed_in, crosstable(four)))
    signed_in.post(reverse("events:submit", args=[first.pk]))
    send(signed_in, crosstable(four[::-1]))
    latest = Submission.objects.latest("pk")
    told = reported_in(latest)
    assert (told.city, told.state, told.affiliate_id, told.chief_td_id) == (
        "Dayton",
        "OH",
        "A6000001",
        td.player.member_id,
    )
    said = [f.place.field for f in findings_of(latest) if f.code == "event.remembered"]
    assert sorted(said) == ["affiliate_id", "chief_td_id", "city"]

    elsewhere = event_report(td, [section_report(four, swiss_rows(4, 3))])
    named = replace(elsewhere, city="", affiliate_id="A6000002", chief_td_id="")
    with_own = reported_in(upload(td, named))
    assert (with_own.city, with_own.state) == ("", named.state)
    assert with_own.affiliate_id == "A6000002"
    assert with_own.chief_td_id == td.player.member_id


@pytest.mark.parametrize(
    ("state", "is_said"),
    [
        (Submission.State.OPEN, False),
        (Submission.State.RETURNED, False),
        (Submission.State.WITHDRAWN, False),
        (Submission.State.SUBMITTED, True),
        (Submission.State.ACCEPTED, True),
    ],
)
def test_only_submitted_reports_say_where_the_last_event_was(
    signed_in, td, four, state, *, is_said
):
    """Neither a new report nor its form uses values of a draft."""
    report = event_report(td, [section_report(four, swiss_rows(4, 3))])
    first = upload(td, replace(report, city="Dayton", state="OH", zip_code="45402"))
    Submission.objects.filter(pk=first.pk).update(
        state=state, decided_by=make_staff(), submitted_at=timezone.now()
    )
    send(signed_in, crosstable(four))
    told = reported_in(Submission.objects.latest("pk"))
    place = ("Dayton", "OH", "45402") if is_said else ("", "", "")
    assert (told.city, told.state, told.zip_code) == place
    assert told.affiliate_id == (report.affiliate_id if is_said else "")
    form = signed_in.get(reverse("events:type_in")).context["form"].initial
    assert (form["city"], form["state"], form["zip_code"]) == place


def test_city_may_be_edited_with_its_state(signed_in, td, four):
    report = event_report(td, [section_report(four, swiss_rows(4, 3))])
    submission = upload(td, replace(report, city="", state="", zip_code=""))
    facts = event_facts(td, submission) | {"city": "Springfield IL", "state": ""}
    signed_in.post(reverse("events:edit_event", args=[submission.pk]), facts)
    submission.refresh_from_db()
    told = reported_in(submission)
    assert (told.name, told.city, told.state) == ("Spring Quad", "Springfield", "IL")


@pytest.mark.parametrize("typed", ["Springfield IL 62701", "Springfield, Illinois"])
def test_city_of_an_older_report_is_taken_without_its_state(td, four, typed):
    report = event_report(td, [section_report(four, swiss_rows(4, 3))])
    first = upload(td, report)
    content = replace(report, city=typed, state="", zip_code="").to_json()
    Submission.objects.filter(pk=first.pk).update(
        content=content, state=Submission.State.SUBMITTED, submitted_at=timezone.now()
    )
    last = report_defaults(td)
    assert (last["city"], last["state"]) == ("Springfield", "IL")


def test_place_is_that_of_the_last_report_of_the_same_affiliate(td, four):
    report = event_report(td, [section_report(four, swiss_rows(4, 3))])
    places = [("Dayton", "A6000002"), ("Toledo", "A6000003")]
    for city, affiliate_id in places:
        make_affiliate(affiliate_id)
        named = replace(report, city=city, state="OH", affiliate_id=affiliate_id)
        first = upload(td, named)
        Submission.objects.filter(pk=first.pk).update(
            state=Submission.State.SUBMITTED, submitted_at=timezone.now()
        )
    blank = replace(report, city="", state="", zip_code="")
    found = [
        with_report_defaults(replace(blank, affiliate_id=one), td)[0].city
        for one in ("A6000002", "A6000003", "A6000004", "")
    ]
    assert found == ["Dayton", "Toledo", "", "Toledo"]


def submit_and_accept(client, submission, td) -> None:
    client.post(reverse("events:submit", args=[submission.pk]))
    submission.refresh_from_db()
    assert submission.state == Submission.State.SUBMITTED, [
        str(finding) for finding in findings_of(submission)
    ]
    event = accept_report(submission_id=submission.pk, actor=make_staff())
    assert event.sections.get().games.count() == 6


def test_crosstable_goes_from_the_form_to_the_records(signed_in, td, four):
    text = crosstable(four)
    submission = fill_in_facts(signed_in, td, send(signed_in, text))
    assert read_upload(submission.files.get().stored_as) == text.encode()
    assert submission.files.get().role == "TABLE"
    submit_and_accept(signed_in, submission, td)


def test_draft_with_missing_facts_is_kept_with_its_findings(signed_in, four):
    send(signed_in, crosstable(four))
    submission = Submission.objects.get()
    codes = {finding.code for finding in findings_of(submission)}
    assert {"event.name_missing", "section.time_control_missing"} <= codes
    page = signed_in.get(submission.get_absolute_url()).content.decode()
    assert "The event has no name." in page
    signed_in.post(reverse("events:submit", args=[submission.pk]))
    submission.refresh_from_db()
    assert submission.state == Submission.State.OPEN


def test_file_that_says_everything_leads_to_the_report(signed_in, td, four):
    facts = (
        "Event,Spring Quad\r\nFirst day,2024-05-04\r\nLast day,2024-05-04\r\n"
        f"Affiliate ID,A6000001\r\nChief TD,{td.player.member_id}\r\n"
        "Section,Quad 1\r\nTime control,G/60;d5\r\nType,round robin\r\n"
    )
    response = send(signed_in, facts + crosstable(four))
    submission = Submission.objects.get()
    assert response.url == submission.get_absolute_url()
    assert (submission.event_name, submission.ends) == ("Spring Quad", date(2024, 5, 4))
    submit_and_accept(signed_in, submission, td)


def test_pasted_chart_is_kept_byte_for_byte_and_recorded(signed_in, td, four):
    lines = [
        f" {number}  {player.family_name}, {player.given_name}   {player.member_id}   "
        + "  ".join(results)
        for number, (player, results) in enumerate(
            zip(four, RESULTS, strict=True), start=1
        )
    ]
    pasted = "  # Name\r\n" + "\r\n".join(lines) + "\r\n \r\n"
    response = signed_in.post(UPLOAD, {"pasted": pasted})
    submission = fill_in_facts(signed_in, td, response)
    file = submission.files.get()
    assert (file.name, read_upload(file.stored_as)) == ("pasted.txt", pasted.encode())
    assert file.sha256 == hashlib.sha256(pasted.encode()).hexdigest()
    submit_and_accept(signed_in, submission, td)


def test_pasted_text_without_a_chart_stays_in_the_form(signed_in):
    response = signed_in.post(UPLOAD, {"pasted": "It was <b>fun</b>."})
    assert response.status_code == 422
    page = response.content.decode()
    assert "has neither a crosstable nor a list of games" in page
    assert "It was &lt;b&gt;fun&lt;/b&gt;.</textarea>" in page
    assert not Submission.objects.exists()


STRANGE = "Nummer,Ausweis,Spieler,Runde A,Runde B,Runde C"


def columns_data(submission, *meanings, **more) -> dict:
    columns = {f"column_{n}": meaning for n, meaning in enumerate(meanings)}
    columns = {f"column_{n}": "-" for n in range(6)} | columns
    return {"version": submission.version, "headed": "on", **columns, **more}


MEANINGS = ("number", "member_id", "name", *["round_result"] * 3)


def test_unknown_headings_are_asked_for_and_the_file_is_kept(signed_in, td, four):
    text = crosstable(four, STRANGE).replace("W4", "W4")
    response = send(signed_in, text)
    submission = Submission.objects.get()
    columns = reverse("events:columns", args=[submission.pk])
    assert response.url == columns
    assert read_upload(submission.files.get().stored_as) == text.encode()
    page = signed_in.get(columns).content.decode()
    assert "Column 3: Spieler" in page
    assert "Reyes, Ana · Cohen, Levi · Ade, Tolu" in page
    report_page = signed_in.get(submission.get_absolute_url()).content.decode()
    assert f'href="{columns}"' in report_page
    response = signed_in.post(columns, columns_data(submission, *MEANINGS))
    submission = fill_in_facts(signed_in, td, response)
    assert not any("table." in f["code"] for f in submission.reader_findings)
    assert AuditEntry.objects.filter(action="submission.columns_told").exists()
    assert signed_in.get(columns).url == submission.get_absolute_url()
    submit_and_accept(signed_in, submission, td)


def test_event_facts_entered_before_the_columns_stay(signed_in, td, four):
    send(signed_in, crosstable(four, STRANGE))
    submission = Submission.objects.get()
    event = reverse("events:edit_event", args=[submission.pk])
    signed_in.post(event, event_facts(td, submission))
    submission.refresh_from_db()
    columns = reverse("events:columns", args=[submission.pk])
    signed_in.post(columns, columns_data(submission, *MEANINGS))
    submission.refresh_from_db()
    assert submission.event_name == "Spring Quad"
    assert submission.entry_count == 4


@pytest.mark.parametrize(
    ("meanings", "more", "status", "sentence"),
    [
        (("number",), {}, 422, "Choose a column for these: Name or member ID"),
        (("bogus",), {}, 422, "Select a valid choice"),
        (("",), {}, 422, "This field is required"),
        (MEANINGS, {"version": "99"}, 409, "The report has changed since"),
        (MEANINGS, {"version": "x"}, 422, "Enter a whole number"),
    ],
)
def test_answer_that_cannot_be_used_changes_nothing(
    signed_in, four, meanings, more, status, sentence
):
    send(signed_in, crosstable(four, STRANGE))
    submission = Submission.objects.get()
    columns = reverse("events:columns", args=[submission.pk])
    response = signed_in.post(columns, columns_data(submission, *meanings, **more))
    assert response.status_code == status
    assert sentence in response.content.decode()
    submission.refresh_from_db()
    assert (submission.version, submission.entry_count) == (1, 0)


def test_columns_of_another_tds_report_are_not_shown(client, signed_in, four):
    send(signed_in, crosstable(four, STRANGE))
    client.force_login(make_td("other"))
    columns = reverse("events:columns", args=[Submission.objects.get().pk])
    assert client.get(columns).status_code == 404


def test_what_a_table_holds_is_never_markup(signed_in):
    send(signed_in, "<b>x</b>,<i>y</i>,z\n<u>1</u>,2,3\n")
    columns = reverse("events:columns", args=[Submission.objects.get().pk])
    page = signed_in.get(columns).content.decode()
    assert "<b>x</b>" not in page
    assert "&lt;u&gt;1&lt;/u&gt;" in page


@pytest.mark.parametrize("players", [2, 40])
def test_columns_page_takes_the_same_queries_for_any_table(
    signed_in, django_assert_num_queries, players
):
    rows = "".join(f"{n},Player {n},B\n" for n in range(1, players + 1))
    send(signed_in, f"Nr.,Spieler,Erste\n{rows}")
    columns = reverse("events:columns", args=[Submission.objects.get().pk])
    signed_in.get(columns)
    with django_assert_num_queries(6):
        page = signed_in.get(columns).content.decode()
    assert page.count("<td>Player 1</td>") == 1


@pytest.mark.parametrize("name", ["crosstable", "games"])
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_templates_can_be_downloaded_and_sent_in(signed_in, name, ending):
    address = f"/desk/upload/templates/{name}.{ending}"
    assert f'href="{address}"' in signed_in.get(UPLOAD).content.decode()
    response = signed_in.get(address)
    assert f'filename="{name}.{ending}"' in response["Content-Disposition"]
    report = read_report([(f"t.{ending}", response.content)]).reported
    assert [len(section.entries) for section in report.sections] == [4]
    assert signed_in.get("/desk/upload/templates/other.csv").status_code == 404


def test_recorded_event_as_csv_gives_the_same_report(client, td, four):
    members = [make_player(given_name="Ö", family_name=f"Li{n}") for n in range(4)]
    sections = [
        section_report(four, swiss_rows(4, 3), name="A"),
        section_report(members, swiss_rows(4, 2), number=2, time_control="G/25;d3"),
    ]
    event = accepted_event(td, event_report(td, sections))
    link = reverse("events:export_csv", args=[event.event_id])
    page = client.get(reverse("events:event", args=[event.event_id]))
    assert f'href="{link}"' in page.content.decode()
    response = client.get(link)
    assert response.content == export_crosstables(event)
    back = read_report([("x.csv", response.content)])
    assert back.reported == event_as_reported(event)
    assert back.findings == []
    rows = list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"))))
    first = [
        format_cell(c) for c in event_as_reported(event).sections[0].entries[0].cells
    ]
    assert [four[0].member_id, *first] in [
        [row[1], *row[5:]] for row in rows if row[1:]
    ]


@settings(
    max_examples=example_count(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(pasted=st.text(max_size=80), table=st.text(max_size=80))
def test_no_text_is_an_error_of_the_office(signed_in, pasted, table):
    file = SimpleUploadedFile("x.csv", table.encode("utf-8", "replace"))
    text = pasted.encode("utf-8", "replace").decode()
    before = Submission.objects.count()
    response = signed_in.post(UPLOAD, {"files": [file], "pasted": text}, follow=True)
    made = Submission.objects.count() - before
    assert (response.status_code, made) in ((200, 1), (422, 0))
