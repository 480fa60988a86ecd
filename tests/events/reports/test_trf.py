"""Upload and export of FIDE's report files."""

import io
import zipfile
from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from events.checks.queries.exact_matches import BY_FIDE_ID, exact_matches
from events.checks.queries.fide_members import with_members
from events.checks.services import findings_of
from events.formats.findings import Severity
from events.formats.report_reader import ReadResult, read_report
from events.formats.trf.writer import write_trf
from events.models import Event, OfficeTask, Submission
from events.records.exports import event_as_reported, export_tournament
from events.reports.services.submissions import (
    receive_submission,
    reported_in,
    set_event,
    submit_report,
)
from events.review.services.acceptance import accept_report
from players.identity.services import merge_players
from players.models import Player
from ratings.models import RatingChange
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.uploads.services import read_upload
from tests.events.formats.trf_samples import HEADING, PLAYERS, file_of, national
from tests.factories import (
    accepted_event,
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db

NAMES = (("Ana", "Reyes"), ("Levi", "Cohen"), ("Tolu", "Adeyemi"), ("Petra", "Novak"))
AFFILIATE = "### Affiliate: A6000001"


@pytest.fixture
def td():
    make_affiliate()
    return make_td("td", member_id="12345680")


@pytest.fixture
def members(td):
    make_td("deputy", member_id="12345681")
    return [
        make_player(
            f"1234567{number}",
            given_name=given,
            family_name=family,
            ratings={"OTBR": (1500 + 10 * number, 30)},
        )
        for number, (given, family) in enumerate(NAMES, start=1)
    ]


def report_file(*more: str) -> bytes:
    numbers = [national(number, f"1234567{number}") for number in range(1, 5)]
    return file_of(AFFILIATE, *HEADING, *PLAYERS, *numbers, *more)


def fide_file() -> bytes:
    """Return a file of the 2016 edition: no member ID, but one FIDE ID."""
    return file_of(*HEADING, *PLAYERS)


def upload(client, td, content: bytes, name: str = "may.txt") -> Submission:
    client.force_login(td)
    response = client.post(
        "/desk/upload/", {"files": [SimpleUploadedFile(name, content)]}
    )
    submission = Submission.objects.get()
    assert response.url.startswith(submission.get_absolute_url())
    return submission


def test_file_goes_from_the_form_to_a_rated_event(client, td, members):
    content = report_file()
    submission = upload(client, td, content)
    kept = submission.files.get()
    assert (read_upload(kept.stored_as), kept.name, kept.role) == (
        content,
        "may.txt",
        "TRF",
    )
    assert b"Reyes, Ana" in client.get(submission.get_absolute_url()).content

    submit_report(submission_id=submission.pk, actor=td)
    event = accept_report(submission_id=submission.pk, actor=make_staff())
    run_due_jobs()

    assert (event.name, event.city, event.sections.get().time_control) == (
        "May Open",
        "Oakland",
        "G/90;+30",
    )
    changes = RatingChange.objects.filter(
        calculation__section__event=event, calculation__is_current=True
    )
    # The forfeit and the byes are not games.
    assert sorted(changes.values_list("player__member_id", "games")) == [
        ("12345671", 3),
        ("12345672", 2),
        ("12345673", 1),
        ("12345674", 2),
    ]


def test_players_are_found_by_the_fide_ids_that_the_office_knows(client, td, members):
    members[0].fide_id = "2020001"
    members[0].save()
    submission = upload(client, td, fide_file())
    entries = reported_in(submission).sections[0].entries
    assert [entry.member_id for entry in entries] == ["12345671", "", "", ""]
    found = findings_of(submission)
    assert [f.message for f in found if f.code == "member.by_fide_id"] == [
        "We found one player in our records by FIDE ID."
    ]
    assert [
        f.place.pairing_number for f in found if f.code == "entry.member_id_missing"
    ] == [2, 3, 4]


def table(fide_id: str) -> bytes:
    """Return a crosstable without member IDs."""
    rows = [
        "No,Name,FIDE ID,Rd 1,Rd 2,Rd 3",
        f'1,"Reyes, Ana",{fide_id},W4,W3,D2',
        '2,"Cohen, Levi",,W3,L4,D1',
        '3,"Adeyemi, Tolu",,L2,L1,H',
        '4,"Novak, Petra",,L1,W2,B',
    ]
    return "\n".join(rows).encode()


def trf(fide_id: str) -> bytes:
    first = PLAYERS[0][:57] + f"{fide_id:>11}" + PLAYERS[0][68:]
    return file_of(*HEADING, first, *PLAYERS[1:])


@pytest.mark.parametrize(
    "written", ["2020001", "0002020001", "00002020001", "2020 001"]
)
@pytest.mark.parametrize("name", ["may.trf", "may.csv"])
def test_fide_ids_find_members_however_they_are_written(td, members, name, written):
    members[0].fide_id = "2020001"
    members[0].save()
    content = trf(written) if name.endswith("trf") else table(written)
    submission = receive_submission(actor=td, files=[(name, content)])
    entries = reported_in(submission).sections[0].entries
    assert [entry.member_id for entry in entries] == ["12345671", "", "", ""]
    codes = [finding.code for finding in findings_of(submission)]
    assert codes.count("member.by_fide_id") == 1
    assert "entry.foreign_rating" not in codes


def test_fide_id_of_a_merged_number_finds_the_member_it_is_now(td, members):
    members[0].fide_id = "2020001"
    members[0].save()
    kept = make_player("12345699", given_name="Ana", family_name="Reyes")
    merge_players(
        kept_id=kept.pk, merged_id=members[0].pk, actor=make_staff(), reason="Same."
    )
    submission = receive_submission(actor=td, files=[("may.trf", fide_file())])
    entries = reported_in(submission).sections[0].entries
    assert [entry.member_id for entry in entries] == ["12345699", "", "", ""]


def test_fide_id_of_a_member_of_another_name_has_to_be_confirmed(td, members):
    make_player("12345699", given_name="Wei", family_name="Zhou", fide_id="2020001")
    submission = receive_submission(actor=td, files=[("may.trf", fide_file())])
    assert reported_in(submission).sections[0].entry(1).member_id == "12345699"
    assert [
        (finding.place.pairing_number, finding.severity)
        for finding in findings_of(submission)
        if finding.code == "member.other_name"
    ] == [(1, Severity.CONFIRM)]


def test_link_made_after_the_upload_is_an_exact_match(td, members):
    """A member linked while the report is pending is matched with the others."""
    submission = receive_submission(actor=td, files=[("may.csv", table("02020001"))])
    members[0].fide_id = "2020001"
    members[0].given_name = "Anita"
    members[0].save()
    matches = exact_matches(reported_in(submission))
    assert [(match.entry_key[1], match.by) for match in matches][:1] == [
        (1, BY_FIDE_ID)
    ]


@pytest.mark.parametrize("players", [2, 40])
def test_finding_them_takes_one_query_for_any_number(
    td, django_assert_num_queries, players
):

    report = event_report(
        td, [section_report([make_player()] * players, ["U0"] * players)]
    )
    for number in range(1, players + 1):
        fide_id = str(2_000_000 + number)
        make_player(fide_id=fide_id)
        report = report.with_entry(1, number, member_id="", fide_id=fide_id)
    with django_assert_num_queries(1):
        filled = with_members(ReadResult(report))
    assert all(entry.member_id for entry in filled.reported.sections[0].entries)


@pytest.mark.parametrize("on_record", [True, False])
def test_office_looks_up_only_fide_ids_that_it_does_not_know(
    client, td, members, on_record
):
    if on_record:
        members[0].fide_id = "2020001"
        members[0].save()
    submission = upload(client, td, report_file())
    submit_report(submission_id=submission.pk, actor=td)
    tasks = list(OfficeTask.objects.values_list("player__member_id", "body", "rating"))
    assert tasks == ([] if on_record else [("12345671", "FIDE", "1510")])


def test_file_with_nothing_to_read_is_refused_with_the_reason(client, td):
    client.force_login(td)
    file = SimpleUploadedFile("may.trf", file_of(*HEADING))
    response = client.post("/desk/upload/", {"files": [file]})
    assert response.status_code == 422
    assert "may.trf has no player lines. Player lines start with 001." in (
        response.content.decode()
    )
    assert not Submission.objects.exists()


class TestDownload:
    @pytest.fixture
    def event(self, td, members) -> Event:
        lines = ("260 001 002 0001 0002", "DAT 0001 EMAIL ana@example.org")
        submission = receive_submission(
            actor=td, files=[("may.trf", report_file(*lines))]
        )
        submit_report(submission_id=submission.pk, actor=td)
        return accept_report(submission_id=submission.pk, actor=make_staff())

    def test_file_reads_back_as_the_same_event(self, client, event):
        response = client.get(f"/events/{event.event_id}/report.trf26")
        assert response["Content-Disposition"] == (
            f'attachment; filename="{event.event_id}-TRF26.trf"'
        )
        back = read_report([("may.trf", response.content)]).reported
        told = event_as_reported(event)
        # The section's days are the event's, which the report leaves out.
        assert replace(back.sections[0], trf_lines=()) == replace(
            told.sections[0], starts=None, ends=None
        )
        assert replace(back, sections=()) == replace(
            told, layout="TRF26", event_id="", sections=()
        )

    def test_lines_of_the_file_come_back_without_what_is_private(
        self, client, td, event
    ):
        content = client.get(f"/events/{event.event_id}/report.trf26").content.decode()
        assert "\r\n260 001 002 0001 0002\r\n" in content
        assert f"\r\n102 {td.player.name} (USA 12345680)\r\n" in content
        assert "ana@example.org" not in content

    @pytest.mark.parametrize("edition", ["trf16", "trf26"])
    def test_directors_are_named_by_the_records(self, client, td, members, edition):
        content = report_file("112 Poe, Allan")
        submission = receive_submission(actor=td, files=[("may.trf", content)])
        submit_report(submission_id=submission.pk, actor=td)
        event = accept_report(submission_id=submission.pk, actor=make_staff())
        address = f"/events/{event.event_id}/report.{edition}"
        deputy = Player.objects.get(member_id="12345681")
        content = client.get(address).content.decode()
        assert f"\r\n112 {deputy.name} (USA 12345681)\r\n" in content
        Player.objects.filter(member_id="12345680").update(is_private=True)
        Player.objects.filter(pk=deputy.pk).update(given_name="New", family_name="Name")
        content = client.get(address).content.decode()
        assert "\r\n102 USA 12345680\r\n" in content
        assert "\r\n112 New Name (USA 12345681)\r\n" in content
        assert "Roe" not in content
        assert "Poe" not in content

    def test_edition_of_2016_is_beside_it(self, client, event):
        page = client.get(event.get_absolute_url()).content.decode()
        for edition in ("trf16", "trf26"):
            assert f'href="/events/{event.event_id}/report.{edition}"' in page
        content = client.get(f"/events/{event.event_id}/report.trf16").content.decode()
        assert content.startswith("012 May Open\r\n022 Oakland, CA 94601\r\n")
        assert "12345671" not in content

    def test_members_fide_ids_are_in_it(self, client, event, members):
        members[1].fide_id = "2020002"
        members[1].save()
        _, content = export_tournament(event, "TRF16")
        back = read_report([("may.trf", content)]).reported
        assert [entry.fide_id for entry in back.sections[0].entries] == [
            "",
            "2020002",
            "",
            "",
        ]

    def test_sections_come_as_an_archive(self, client, td):
        sections = [
            section_report(
                [make_player() for _ in range(4)], swiss_rows(4, 3), number=n
            )
            for n in (1, 2)
        ]
        event = accepted_event(td, event_report(td, sections))
        response = client.get(f"/events/{event.event_id}/report.trf26")
        archive = zipfile.ZipFile(io.BytesIO(response.content))
        assert archive.namelist() == ["TRF26-01.trf", "TRF26-02.trf"]
        back = read_report([("report.zip", response.content)]).reported
        assert [one.entries for one in back.sections] == [
            one.entries for one in event_as_reported(event).sections
        ]

    def test_unknown_event_is_not_found(self, client):
        response = client.get("/events/202405050994/report.trf16")
        assert response.status_code == 404
        assert "Page not found" in response.content.decode()

    @pytest.mark.parametrize("players", [2, 20])
    def test_download_takes_the_same_queries_for_any_size(
        self, td, django_assert_num_queries, players
    ):
        members = [make_player() for _ in range(players)]
        rows = [f"W{n + 1}W" if n % 2 else f"L{n - 1}B" for n in range(1, players + 1)]
        accepted_event(td, event_report(td, [section_report(members, rows)]))
        event = Event.objects.select_related("affiliate").get()
        with django_assert_num_queries(9):
            export_tournament(event, "TRF26")


def test_correction_of_the_report_replaces_the_lines_it_came_with(client, td, members):
    submission = upload(client, td, report_file())
    set_event(
        submission_id=submission.pk,
        actor=td,
        version=submission.version,
        changes={"chief_td_id": "12345681"},
    )
    submission.refresh_from_db()
    report = reported_in(submission)
    content = write_trf(report, report.sections[0], "TRF26").decode()
    assert "\r\n102 USA 12345681\r\n" in content
    assert "Roe, Jan" not in content
