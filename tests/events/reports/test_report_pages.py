"""The TD's report pages: upload, findings, corrections."""

import hashlib
import re
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import urljoin

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import resolve, reverse
from django.utils import timezone
from hypothesis import HealthCheck, given, settings

from events.checks.services import findings_of
from events.formats.dbf.writer import write_report, zip_report
from events.formats.report import ReportedEvent, format_cell, parse_cell
from events.models import FindingOverride, OfficeTask, Submission
from events.reports.pages.findings import MAX_FINDINGS
from events.reports.pages.sections import MAX_MARKS
from events.reports.services.submissions import (
    receive_submission,
    reported_in,
    set_entry,
    set_event,
    submit_report,
)
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, Job
from tests.events.formats.samples import big_report, event_reports
from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    make_user,
    section_report,
    swiss_rows,
    upload,
)
from tests.hypothesis_settings import example_count

pytestmark = pytest.mark.django_db

DESK = "/desk/"
UPLOAD = "/desk/upload/"


@pytest.fixture
def td():
    return make_td("td")


@pytest.fixture
def signed_in(client, td):
    client.force_login(td)
    return client


def quad(td, **event) -> ReportedEvent:
    """Create four members, three rounds, without issues."""
    members = [
        make_player(given_name=given, family_name=family, state="IL")
        for given, family in (
            ("Ada", "Lind"),
            ("Bo", "Ek"),
            ("Cy", "Doe"),
            ("Di", "Fox"),
        )
    ]
    section = section_report(members, swiss_rows(4, 3), name="Quad")
    return replace(event_report(td, [section], **event), send_crosstable="N")


def swiss(td, players: int, rounds: int = 3) -> ReportedEvent:
    members = [
        make_player(given_name=f"Given{i}", family_name=f"Family{i}")
        for i in range(players)
    ]
    return event_report(td, [section_report(members, swiss_rows(players, rounds))])


def as_files(reported: ReportedEvent) -> list[SimpleUploadedFile]:
    return [
        SimpleUploadedFile(name, content)
        for name, content in write_report(reported).items()
    ]


def cells_of(submission: Submission, number: int = 1) -> list[str]:
    submission.refresh_from_db()
    entry = reported_in(submission).section(1).entry(number)
    return [format_cell(cell) for cell in entry.cells]


def text_of(response) -> str:
    """Return the text of a page, without markup."""
    text = re.sub(r"<[^>]*>", " ", response.content.decode())
    return re.sub(r"\s+", " ", text)


def database_state() -> tuple:
    """Return the data that no refused request may change."""
    return (
        list(
            Submission.objects.order_by("pk").values_list(
                "pk", "state", "version", "content", "office_note"
            )
        ),
        AuditEntry.objects.count(),
        FindingOverride.objects.count(),
        list(OfficeTask.objects.order_by("pk").values_list("pk", "state")),
        list(Job.objects.order_by("pk").values_list("pk", "state")),
    )


def url(name: str, submission: Submission, *args) -> str:
    return reverse(f"events:{name}", args=[submission.pk, *args])


def event_data(submission: Submission, **changes) -> dict:
    report = reported_in(submission)
    return {
        "version": submission.version,
        "name": report.name,
        "starts": report.starts.isoformat(),
        "ends": report.ends.isoformat(),
        "affiliate_id": report.affiliate_id,
        "chief_td_id": report.chief_td_id,
        "city": report.city,
        "state": report.state,
        "zip_code": report.zip_code,
        "total_sections": report.total_sections,
        **changes,
    }


def section_data(submission: Submission, **changes) -> dict:
    section = reported_in(submission).section(1)
    return {
        "version": submission.version,
        "name": section.name,
        "time_control": section.time_control,
        "kind_letter": section.kind_letter,
        "rounds": section.rounds,
        "last_pairing_number": section.last_pairing_number,
        **changes,
    }


def entry_data(submission: Submission, number: int = 1, **changes) -> dict:
    entry = reported_in(submission).section(1).entry(number)
    return {
        "version": submission.version,
        "member_id": entry.member_id,
        "name": entry.name,
        "pairing_number": number,
        **changes,
    }


def cell_data(submission: Submission, **changes) -> dict:
    return {
        "version": submission.version,
        "code": "W",
        "opponent": "2",
        "color": "W",
        **changes,
    }


class TestAccess:
    def test_a_stranger_is_sent_to_sign_in(self, client):
        for path in (DESK, UPLOAD, "/desk/reports/1/", "/office/"):
            response = client.get(path)
            assert response.url == f"/accounts/login/?next={path}"

    def test_a_member_is_told_that_reports_need_certification(self, client, td):
        submission = upload(td, quad(td))
        client.force_login(make_user("member"))
        for path in (DESK, UPLOAD, url("report", submission)):
            response = client.get(path)
            assert response.status_code == 403
            assert "You can’t open this page" in text_of(response)

    def test_another_td_is_not_told_that_the_report_exists(self, client, td):
        submission = upload(td, quad(td))
        file = submission.files.first()
        client.force_login(make_td("other"))
        before = database_state()
        for path in (
            url("report", submission),
            url("edit_event", submission),
            url("edit_section", submission, 1),
            url("edit_entry", submission, 1, 1),
            url("edit_cell", submission, 1, 1, 1),
            url("file", submission, file.pk),
            url("progress", submission),
            reverse("ratings:preview", args=[submission.pk]),
        ):
            response = client.get(path)
            assert response.status_code == 404, path
            assert "May Open" not in text_of(response)
        for name in ("submit", "override", "withdraw"):
            assert client.post(url(name, submission)).status_code == 404
        assert database_state() == before

    def test_staff_see_every_report(self, client, td):
        submission = upload(td, quad(td))
        client.force_login(make_staff("staff"))
        assert "May Open" in text_of(client.get(DESK))
        assert "sent by Tessa Director" in text_of(
            client.get(url("report", submission))
        )

    def test_forms_of_other_sites_are_refused(self, td):
        submission = upload(td, quad(td))
        client = Client(enforce_csrf_checks=True)
        client.force_login(td)
        before = database_state()
        for path in (UPLOAD, url("submit", submission), url("withdraw", submission)):
            response = client.post(path, {"reason": "mine"})
            assert response.status_code == 403
            assert "This form is out of date" in text_of(response)
        assert database_state() == before


class TestReportList:
    def test_an_empty_report_list_says_how_to_report(self, signed_in):
        words = text_of(signed_in.get(DESK))
        assert "Submit your first rating report" in words
        assert "Upload a file" in words
        assert "Enter results manually" in words

    def test_each_report_shows_its_state_and_what_is_left_to_do(self, signed_in, td):
        report = quad(td).with_entry(1, 3, member_id="00000000")
        upload(td, report)
        upload(make_td("other"), replace(report, name="Not Mine"))
        words = text_of(signed_in.get(DESK))
        assert re.search("May Open .*Draft 1 error", words)
        assert "Not Mine" not in words

    def test_counts_follow_the_edits(self, td):
        report = quad(td).with_entry(1, 3, member_id="00000000")
        submission = upload(td, report)
        right = make_player(given_name="Cy", family_name="Doe")
        assert submission.finding_counts["error"] == 1
        changed = set_entry(
            submission_id=submission.pk,
            actor=td,
            version=1,
            section_number=1,
            pairing_number=3,
            changes={"member_id": right.member_id},
        )
        assert "error" not in changed.finding_counts

    @pytest.mark.parametrize("reports", [1, 12])
    def test_the_report_list_takes_the_same_queries_for_any_number(
        self, signed_in, td, django_assert_num_queries, reports
    ):
        report = quad(td)
        for number in range(reports):
            upload(td, replace(report, name=f"Open {number}"))
        with django_assert_num_queries(7):
            response = signed_in.get(DESK, {"report": "open"})
        assert len(response.context["table"].page) == reports

    def test_reports_are_found_by_state_and_name(self, signed_in, td):
        report = quad(td)
        for name in ("Spring Open", "Spring Quads", "Autumn Open"):
            upload(td, replace(report, name=name))
        Submission.objects.filter(event_name="Spring Quads").update(
            state="submitted", submitted_at=timezone.now()
        )
        found = {
            query: [
                str(row.record) for row in signed_in.get(query).context["table"].page
            ]
            for query in (
                f"{DESK}?name=spring",
                f"{DESK}?report=submitted",
                f"{DESK}?name=open&report=open",
            )
        }
        assert list(found.values()) == [
            ["Spring Quads", "Spring Open"],
            ["Spring Quads"],
            ["Autumn Open", "Spring Open"],
        ]

    @pytest.mark.parametrize("query", ["report=lost", "name=" + "x" * 200])
    def test_a_filter_that_cannot_be_is_named_and_passed_over(
        self, signed_in, td, query
    ):
        upload(td, quad(td))
        response = signed_in.get(f"{DESK}?{query}")
        assert response.status_code == 422
        assert "There is 1 problem to fix" in text_of(response)
        assert len(response.context["table"].page) == 1

    def test_reports_are_sorted_and_sent_as_they_are_found(self, signed_in, td):
        for number, name in enumerate(("Pawns", "Bishops", "Knights")):
            upload(td, replace(quad(td), name=f"{name} {number}"))
        query = {"name": "s ", "sort": "event_name"}
        page = signed_in.get(DESK, query).context["table"].page
        names = [str(row.record) for row in page]
        assert names == ["Bishops 1", "Knights 2", "Pawns 0"]
        sent = signed_in.get(DESK, {**query, "format": "csv"})
        lines = b"".join(sent.streaming_content).decode().splitlines()
        assert lines[0].split(",")[:3] == ["report", "event", "status"]
        assert [line.split(",")[1:3] for line in lines[1:]] == [
            [name, "open"] for name in names
        ]

    def test_no_report_found_is_said_so(self, signed_in, td):
        upload(td, quad(td))
        words = text_of(signed_in.get(f"{DESK}?name=nonsense"))
        assert "No reports match." in words


class TestUpload:
    def test_three_files_open_a_report(self, signed_in, td):
        report = quad(td)
        response = signed_in.post(UPLOAD, {"files": as_files(report)})
        submission = Submission.objects.get()
        assert response.url == submission.get_absolute_url()
        assert submission.uploaded_by == td
        assert reported_in(submission).sections[0].entries == report.sections[0].entries

    def test_one_zip_opens_a_report(self, signed_in, td):
        archive = SimpleUploadedFile("report.zip", zip_report(quad(td)))
        response = signed_in.post(UPLOAD, {"files": [archive]})
        assert response.url == Submission.objects.get().get_absolute_url()

    @pytest.mark.parametrize(
        ("name", "content", "sentence"),
        [
            ("notes.txt", b"Round 1 was fun.", "we found no results in it"),
            ("empty.dbf", b"", "empty.dbf is empty"),
            ("bad.zip", b"PK\x03\x04 and no end", "ZIP file that was cut off"),
        ],
    )
    def test_what_is_no_report_is_refused_with_its_reasons(
        self, signed_in, name, content, sentence
    ):
        files = [SimpleUploadedFile(name, content)]
        response = signed_in.post(UPLOAD, {"files": files})
        assert response.status_code == 422
        assert sentence in text_of(response)
        assert not Submission.objects.exists()

    def test_no_file_at_all_is_refused(self, signed_in):
        response = signed_in.post(UPLOAD, {})
        assert response.status_code == 422
        assert "Choose the report’s files" in text_of(response)

    def test_far_too_much_is_not_even_read(self, signed_in):
        response = signed_in.post(
            UPLOAD,
            data=b"",
            content_type="multipart/form-data; boundary=x",
            CONTENT_LENGTH="40000000",
        )
        assert response.status_code == 413
        assert "larger than 20 MB in total" in text_of(response)

    @pytest.mark.parametrize(
        ("names", "status", "sentence"),
        [
            (["a.dbf"] * 200, 413, "There are too many files, so none were read."),
            (["x" * 3_000 + ".dbf"], 422, "A file name may be too long"),
            (["x" * 300 + ".dbf"], 422, "has at most 200 characters"),
        ],
        ids=["200 files", "name of 3,000 letters", "name of 300 letters"],
    )
    def test_what_cannot_be_taken_apart_gets_the_form_again(
        self, signed_in, names, status, sentence
    ):
        parts = "".join(
            '--b\r\nContent-Disposition: form-data; name="files"; '
            f'filename="{name}"\r\n\r\nx\r\n'
            for name in names
        )
        response = signed_in.post(
            UPLOAD, f"{parts}--b--\r\n", content_type="multipart/form-data; boundary=b"
        )
        assert response.status_code == status
        assert sentence in text_of(response)
        assert 'type="file"' in response.content.decode()
        assert not Submission.objects.exists()

    @pytest.mark.parametrize(
        "kind",
        [
            "multipart/form-data",
            "application/x-www-form-urlencoded; charset=latin1",
        ],
    )
    def test_a_request_of_an_odd_kind_gets_the_form_again(self, signed_in, kind):
        # As in a browser: checking the token reads the request.
        signed_in.handler.enforce_csrf_checks = True
        signed_in.get(UPLOAD)
        response = signed_in.post(UPLOAD, b"x", content_type=kind)
        assert response.status_code == 422
        assert "The files could not be read" in text_of(response)

    def test_an_account_sends_so_many_reports_a_day(self, signed_in, td, monkeypatch):
        monkeypatch.setattr("events.reports.views.reports.MAX_REPORTS_PER_DAY", 1)
        first = upload(td, quad(td))
        files = as_files(quad(td, name="June Open"))
        response = signed_in.post(UPLOAD, {"files": files})
        assert response.status_code == 422
        assert "You have sent 1 reports within a day" in text_of(response)
        assert list(Submission.objects.all()) == [first]
        yesterday = first.received_at - timedelta(days=1, minutes=1)
        Submission.objects.filter(pk=first.pk).update(received_at=yesterday)
        files = as_files(quad(td, name="June Open"))
        assert signed_in.post(UPLOAD, {"files": files}).status_code == 302

    def test_the_same_files_lead_to_the_earlier_report(self, signed_in, td):
        report = quad(td)
        earlier = upload(td, report)
        response = signed_in.post(UPLOAD, {"files": as_files(report)})
        assert response.status_code == 422
        assert f'href="{earlier.get_absolute_url()}"' in response.content.decode()
        assert Submission.objects.count() == 1

    def test_another_tds_report_is_not_named(self, client, td):
        report = quad(td)
        earlier = upload(td, report)
        client.force_login(make_td("other"))
        response = client.post(UPLOAD, {"files": as_files(report)})
        assert response.status_code == 422
        assert "were already uploaded" in text_of(response)
        assert earlier.get_absolute_url() not in response.content.decode()
        assert "May Open" not in text_of(response)


class TestReport:
    def test_findings_mark_their_cells_with_icon_word_and_sentence(self, signed_in, td):
        report = quad(td).with_cell(1, 1, 2, parse_cell("L3W"))
        submission = upload(td, report)
        page = signed_in.get(url("report", submission)).content.decode()
        cell = url("edit_cell", submission, 1, 1, 2)
        assert (
            '<a class="lost" href="sections/1/entries/1/rounds/2/"><span class="chip '
            'error" title="A loss to 3, but 3 shows a loss."><span '
            'aria-hidden="true">✕</span><span class="vh">Error:</span> L 3 <b '
            'class="w">○</b></span></a>'
        ) in page
        link = f'<a class="to-place" href="{cell}">Section 1, pairing number 1, round 2'
        assert link in page

    def test_the_offices_name_stands_beside_the_reported_one(self, signed_in, td):
        report = quad(td).with_entry(1, 1, name="LIND, ADELE")
        submission = upload(td, report)
        member_id = report.sections[0].entries[0].member_id
        words = text_of(signed_in.get(url("report", submission)))
        assert re.search(f"LIND, ADELE .*{member_id} +Ada Lind", words)

    def test_every_link_of_the_table_opens_a_form(self, signed_in, td):
        submission = upload(td, quad(td))
        path = url("report", submission)
        page = signed_in.get(path).content.decode()
        table = page[page.index('<table class="table crosstable">') :]
        table = table[: table.index("</table>")]
        links = [urljoin(path, link) for link in re.findall(r'href="([^"#]+)"', table)]
        assert [resolve(link).url_name for link in links] == (
            ["edit_entry", "edit_cell", "edit_cell", "edit_cell"] * 4
        )
        for link in links:
            assert signed_in.get(link).status_code == 200

    def test_what_people_wrote_is_escaped(self, signed_in, td):
        evil = "<script>alert(1)</script>"
        report = quad(td).with_entry(1, 1, name=evil)
        report = report.with_cell(1, 2, 1, parse_cell("<b>&"))
        report = report.with_section(1, name=evil, time_control=evil)
        submission = upload(td, quad(td))
        Submission.objects.filter(pk=submission.pk).update(
            content=report.to_json(), event_name=evil
        )
        for path in (
            url("report", submission),
            url("edit_entry", submission, 1, 1),
            url("edit_cell", submission, 1, 2, 1),
            reverse("ratings:preview", args=[submission.pk]),
            DESK,
        ):
            page = signed_in.get(path).content.decode()
            assert "<script>alert" not in page
            assert "“<b>&" not in page

    @pytest.mark.parametrize(("players", "rounds"), [(20, 3), (60, 5)])
    def test_the_report_takes_the_same_queries_at_any_size(
        self, signed_in, td, django_assert_num_queries, players, rounds
    ):
        submission = upload(td, swiss(td, players, rounds))
        with django_assert_num_queries(35):
            response = signed_in.get(url("report", submission))
        cells = response.content.count(b"<td><a")
        assert cells == players * rounds

    @pytest.mark.parametrize(
        "players", [100, pytest.param(300, marks=pytest.mark.fuzz)]
    )
    def test_all_players_of_nine_rounds_fit_on_a_page(self, signed_in, td, players):
        submission = upload(td, swiss(td, players, 9))
        page = signed_in.get(url("report", submission)).content.decode()
        assert page.count("<td><a") == players * 9
        assert page.count('<td class="num total">') == players

    def test_links_lead_to_the_cells_from_a_refused_submission_too(self, signed_in, td):
        report = quad(td).with_cell(1, 1, 2, parse_cell("L3W"))
        submission = upload(td, report)
        path = url("submit", submission)
        response = signed_in.post(path)
        assert response.status_code == 422
        links = re.findall(
            r'href="([^"]*)"><span class="chip error" title="A loss to 3',
            response.content.decode(),
        )
        assert [urljoin(path, link) for link in links] == [
            url("edit_cell", submission, 1, number, 2) for number in (1, 3)
        ]

    @pytest.mark.parametrize(
        ("players", "most_bytes"),
        [(600, 1_200_000), pytest.param(6_000, 8_000_000, marks=pytest.mark.fuzz)],
    )
    def test_a_large_report_with_a_repeated_number_stays_handy(
        self, signed_in, td, players, most_bytes
    ):
        report = big_report(players, 9)
        [section] = report.sections
        entries = list(section.entries)
        middle = players // 2 - 1
        entries[middle] = replace(entries[middle], pairing_number=1)
        report = replace(report, sections=(replace(section, entries=tuple(entries)),))
        response = signed_in.post(UPLOAD, {"files": as_files(report)})
        page = signed_in.get(response.url).content.decode()
        assert len(page.encode()) < most_bytes
        assert page.count('<li class="finding ') == MAX_FINDINGS
        [more] = re.findall(r"(\d+) more not shown. Fix these first", page)
        counts = Submission.objects.get().finding_counts
        assert int(more) == sum(counts.values()) - MAX_FINDINGS
        assert "The pairing number 1 is taken, but" in page

    def test_one_number_for_all_is_flagged_on_a_few_rows(self, signed_in, td):
        report = big_report(300, 9)
        [section] = report.sections
        entries = tuple(replace(entry, pairing_number=7) for entry in section.entries)
        report = replace(report, sections=(replace(section, entries=entries),))
        response = signed_in.post(UPLOAD, {"files": as_files(report)})
        page = signed_in.get(response.url).content.decode()
        rows = re.findall(r'<tr id="s1p7b?".*?</tr>', page)
        assert len(rows) == 300
        assert sum("chip error" in row for row in rows) == MAX_MARKS
        titles = re.findall(r'title="([^"]*)"', "".join(rows))
        assert max(title.count(". ") for title in titles) < MAX_MARKS
        assert page.count("The pairing number 7 is taken already; ") < 2 * 300
        assert len(page) < 2_000_000

    def test_confirmed_findings_give_way_to_open_ones(self, signed_in, td, monkeypatch):
        monkeypatch.setattr("events.reports.pages.findings.MAX_FINDINGS", 20)
        report = swiss(td, 30, 1)
        [section] = report.sections
        entries = tuple(replace(entry, name="SOMEBODY") for entry in section.entries)
        report = replace(report, sections=(replace(section, entries=entries),))
        submission = upload(td, report)
        to_confirm = [
            finding
            for finding in findings_of(submission)
            if finding.code == "member.other_name"
        ]
        FindingOverride.objects.bulk_create(
            FindingOverride(
                submission=submission,
                finding_key=finding.key,
                message=finding.message,
                reason="Right.",
                by=td,
            )
            for finding in to_confirm[:20]
        )
        page = signed_in.get(url("report", submission)).content.decode()
        assert len(to_confirm) == 30
        for finding in to_confirm[20:]:
            assert f'value="{finding.shown_key}"' in page

    def test_a_report_with_the_office_offers_no_forms(self, signed_in, td):
        submission = upload(td, quad(td))
        submit_report(submission_id=submission.pk, actor=td)
        page = signed_in.get(url("report", submission)).content.decode()
        assert "/sections/1/" not in page
        assert '<a class="win" href="#s1p' in page

    def test_a_report_that_is_all_wrong_is_shown_as_far_as_it_goes(self, signed_in, td):
        submission = upload(td, quad(td))
        wrecked = ReportedEvent(
            sections=(
                replace(
                    quad(td).sections[0],
                    number=0,
                    rounds=None,
                    kind_letter="?",
                    entries=tuple(
                        replace(entry, pairing_number=2, name="", member_id="x")
                        for entry in quad(td).sections[0].entries
                    ),
                ),
            )
        )
        Submission.objects.filter(pk=submission.pk).update(
            content=wrecked.to_json(), event_name=""
        )
        words = text_of(signed_in.get(url("report", submission)))
        assert f"Report {submission.pk}" in words
        assert "The event has no name." in words
        second = signed_in.get(url("edit_entry", submission, 0, 2) + "?occurrence=1")
        assert "Number 2, section 0" in text_of(second)
        preview = signed_in.get(reverse("ratings:preview", args=[submission.pk]))
        assert "The dates are missing." in text_of(preview)

    def test_files_come_back_byte_for_byte_and_only_to_be_saved(self, signed_in, td):
        submission = upload(td, quad(td))
        file = submission.files.first()
        response = signed_in.get(url("file", submission, file.pk))
        assert hashlib.sha256(response.content).hexdigest() == file.sha256
        assert response["Content-Type"] == "application/octet-stream"
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["Content-Disposition"] == (
            'attachment; filename="THEXPORT.DBF"'
        )

    def test_a_hostile_file_name_is_made_safe(self, signed_in, td):
        files = list(write_report(quad(td)).items())
        files[0] = ('..\\a"b;\r\nX: y/ü.dbf', files[0][1])
        submission = receive_submission(actor=td, files=files)
        file = submission.files.first()
        response = signed_in.get(url("file", submission, file.pk))
        assert response["Content-Disposition"] == (
            'attachment; filename="_a_b_X__y__.dbf"'
        )

    def test_a_file_is_found_in_its_own_report_only(self, signed_in, td):
        one = upload(td, quad(td))
        other = upload(td, quad(td, name="Other"))
        path = url("file", one, other.files.first().pk)
        assert signed_in.get(path).status_code == 404

    @settings(
        max_examples=example_count(15),
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(report=event_reports())
    def test_any_report_can_be_shown_and_edited(self, signed_in, td, report):
        submission = Submission.objects.first() or upload(td, quad(td))
        Submission.objects.filter(pk=submission.pk).update(content=report.to_json())
        paths = [
            url("report", submission),
            reverse("ratings:preview", args=[submission.pk]),
        ]
        for section in report.sections[:2]:
            paths.append(url("edit_section", submission, section.number))
            for entry in section.entries[:1]:
                place = (section.number, entry.pairing_number)
                paths.append(url("edit_entry", submission, *place))
                if entry.cells:
                    paths.append(url("edit_cell", submission, *place, 1))
        for path in paths:
            page = signed_in.get(path).content.decode()
            assert page.rstrip().endswith("</html>"), path
            assert "Page not found" not in page, path


class TestEdits:
    def test_the_event_is_corrected(self, signed_in, td):
        submission = upload(td, quad(td))
        response = signed_in.post(
            url("edit_event", submission),
            event_data(submission, name="June Open", ends="2024-05-06"),
        )
        assert response.url == submission.get_absolute_url() + "#event"
        submission.refresh_from_db()
        assert (submission.event_name, submission.ends, submission.version) == (
            "June Open",
            date(2024, 5, 6),
            2,
        )
        words = text_of(signed_in.get(url("report", submission)))
        assert "changed the event (Last day: May 6, 2024; Name: June Open)" in words

    def test_a_section_is_corrected(self, signed_in, td):
        report = quad(td).with_section(1, time_control="G/sixty")
        submission = upload(td, report)
        signed_in.post(
            url("edit_section", submission, 1),
            section_data(submission, time_control="G/60;d5", online="on"),
        )
        submission.refresh_from_db()
        section = reported_in(submission).section(1)
        assert (section.time_control, section.online) == ("G/60;d5", True)

    def test_the_right_member_is_found_by_name_and_used(self, signed_in, td):
        report = quad(td).with_entry(1, 3, member_id="00000000")
        submission = upload(td, report)
        right = make_player(given_name="Cyrus", family_name="Doe", state="OH")
        path = url("edit_entry", submission, 1, 3)
        assert f'value="{right.member_id}"' in signed_in.get(path).content.decode()
        response = signed_in.post(
            path, entry_data(submission, 3, member_id="", use=right.member_id)
        )
        assert response.url == submission.get_absolute_url() + "#s1p3"
        submission.refresh_from_db()
        assert reported_in(submission).section(1).entry(3).member_id == right.member_id

    def test_looking_up_keeps_what_was_typed_and_saves_nothing(self, signed_in, td):
        submission = upload(td, quad(td))
        other = make_player(given_name="Zoë", family_name="Ångström", state="MN")
        before = database_state()
        data = entry_data(submission, name="TYPED, JUST NOW")
        for how in ({"lookup": "1"}, {"found": "LIND, ADA"}):
            response = signed_in.post(
                url("edit_entry", submission, 1, 1), {**data, "find": "angstrom", **how}
            )
            page = response.content.decode()
            assert response.status_code == 200
            assert "TYPED, JUST NOW" in page
            assert f'name="use" value="{other.member_id}"' in page
            assert f"{other.member_id}, MN, life member" in page
        assert database_state() == before

    def test_a_foreign_rating_is_kept_for_the_office(self, signed_in, td):
        submission = upload(td, quad(td))
        signed_in.post(
            url("edit_entry", submission, 1, 1),
            entry_data(submission, fide_id="2020009", fide_rating="1612"),
        )
        signed_in.post(url("submit", submission))
        [task] = OfficeTask.objects.all()
        assert (task.body, task.body_id, task.rating) == ("FIDE", "2020009", "1612")

    def test_an_unknown_member_id_is_refused_at_once(self, signed_in, td):
        submission = upload(td, quad(td))
        before = database_state()
        response = signed_in.post(
            url("edit_entry", submission, 1, 1),
            entry_data(submission, member_id="99999999"),
        )
        assert response.status_code == 422
        assert "No member has the ID 99999999." in text_of(response)
        assert database_state() == before

    def test_a_form_repeats_what_is_odd_there(self, signed_in, td):
        submission = upload(td, quad(td).with_cell(1, 1, 2, parse_cell("L3W")))
        words = text_of(signed_in.get(url("edit_cell", submission, 1, 1, 2)))
        assert "Error A loss to 3, but 3 shows a loss." in words
        assert "Number 3 has “L1B”." in words
        other = text_of(signed_in.get(url("edit_cell", submission, 1, 1, 1)))
        assert "A loss to 3" not in other

    def test_a_result_is_changed_on_both_sides(self, signed_in, td):
        submission = upload(td, quad(td))
        assert (cells_of(submission, 1)[1], cells_of(submission, 3)[1]) == (
            "W3W",
            "L1B",
        )
        signed_in.post(
            url("edit_cell", submission, 1, 1, 2),
            cell_data(submission, code="D", opponent="3", color="B", both_sides="on"),
        )
        assert (cells_of(submission, 1)[1], cells_of(submission, 3)[1]) == (
            "D3B",
            "D1W",
        )
        assert submission.version == 2

    def test_a_result_is_changed_on_one_side(self, signed_in, td):
        submission = upload(td, quad(td))
        signed_in.post(
            url("edit_cell", submission, 1, 1, 2),
            cell_data(submission, code="D", opponent="3"),
        )
        assert (cells_of(submission, 1)[1], cells_of(submission, 3)[1]) == (
            "D3W",
            "L1B",
        )

    def test_a_round_robin_by_opponents_mirrors_into_the_right_column(
        self, signed_in, td
    ):
        rows = ["U W2W W3W W4W", "L1B U W3W W4W", "L1B L2B U W4W", "L1B L2B L3B U"]
        report = quad(td)
        entries = tuple(
            replace(entry, cells=tuple(parse_cell(text) for text in row.split()))
            for entry, row in zip(report.sections[0].entries, rows, strict=True)
        )
        submission = upload(
            td, report.with_section(1, kind_letter="R", rounds=4, entries=entries)
        )
        signed_in.post(
            url("edit_cell", submission, 1, 2, 4),
            cell_data(submission, code="D", opponent="4", both_sides="on"),
        )
        assert (cells_of(submission, 2)[3], cells_of(submission, 4)[1]) == (
            "D4W",
            "D2B",
        )

    def test_a_bye_and_a_blank_have_no_opponent(self, signed_in, td):
        submission = upload(td, quad(td))
        path = url("edit_cell", submission, 1, 1, 2)
        bye = cell_data(submission, code="H", opponent="", both_sides="on")
        signed_in.post(path, bye)
        assert (cells_of(submission, 1)[1], cells_of(submission, 3)[1]) == ("H0", "L1B")
        blank = {**bye, "code": "blank", "color": "", "version": 2}
        signed_in.post(path, blank)
        assert cells_of(submission, 1)[1] == ""

    def test_an_outdated_form_shows_both_and_loses_nothing(self, signed_in, td):
        submission = upload(td, quad(td))
        data = event_data(submission, name="Mine")
        set_event(
            submission_id=submission.pk,
            actor=td,
            version=1,
            changes={"name": "Theirs"},
        )
        before = database_state()
        response = signed_in.post(url("edit_event", submission), data)
        page = response.content.decode()
        assert response.status_code == 409
        assert "has changed since you opened this page" in text_of(response)
        assert "<dt>Name</dt><dd>Theirs</dd>" in page
        assert 'value="Mine"' in page
        assert database_state() == before
        again = signed_in.post(url("edit_event", submission), {**data, "version": 2})
        assert again.status_code == 302
        submission.refresh_from_db()
        assert submission.event_name == "Mine"

    def test_nothing_changes_while_the_office_has_it(self, signed_in, td):
        submission = upload(td, quad(td))
        data = event_data(submission, name="Too late")
        submit_report(submission_id=submission.pk, actor=td)
        before = database_state()
        for response in (
            signed_in.get(url("edit_event", submission)),
            signed_in.post(url("edit_event", submission), data),
        ):
            assert response.status_code == 409
            assert "Ask the office to return it." in text_of(response)
        assert database_state() == before

    def test_places_that_are_not_in_the_report_are_not_there(self, signed_in, td):
        submission = upload(td, quad(td))
        huge = 10**30
        for path in (
            url("edit_section", submission, 2),
            url("edit_section", submission, huge),
            url("edit_entry", submission, 1, 5),
            url("edit_entry", submission, 1, 1) + "?occurrence=1",
            url("edit_cell", submission, 1, 1, 4),
            url("edit_cell", submission, 1, 1, 0),
            url("edit_cell", submission, 1, 1, huge),
            f"/desk/reports/{huge}/",
            f"/desk/reports/{submission.pk}/files/{huge}/",
        ):
            response = signed_in.get(path)
            assert response.status_code == 404, path
            assert "Page not found" in text_of(response)
        strange = url("edit_entry", submission, 1, 1) + "?occurrence=%00&x=٣"
        assert signed_in.get(strange).status_code == 200
        assert signed_in.get(DESK + "?page=%00").status_code == 200


JUNK = ["", "\x00", "A\x00B", "٣", "9" * 40, "-1", "<b>", "x" * 5000, "é", "1e9", " "]
FIELDS = {
    "edit_event": (
        event_data,
        [
            "version",
            "name",
            "starts",
            "ends",
            "affiliate_id",
            "chief_td_id",
            "total_sections",
        ],
        (),
    ),
    "edit_section": (
        section_data,
        [
            "version",
            "time_control",
            "kind_letter",
            "rounds",
            "last_pairing_number",
            "starts",
            "chief_td_id",
        ],
        (1,),
    ),
    "edit_entry": (
        entry_data,
        [
            "version",
            "member_id",
            "name",
            "pairing_number",
            "fide_id",
            "cfc_rating",
            "state",
        ],
        (1, 1),
    ),
    "edit_cell": (cell_data, ["version", "code", "opponent", "color"], (1, 1, 1)),
}
# Texts that are valid in a free-text field, and blanks.
HARMLESS = {
    "name": {"٣", "9" * 40, "-1", "<b>", "é", "1e9"},
    "time_control": {"٣", "9" * 40, "-1", "<b>", "é", "1e9"},
    "starts": {"", " "},
    "chief_td_id": {"", " "},
    "member_id": {"", " "},
    "fide_id": {"", " "},
    "cfc_rating": {"", " "},
    "state": {"", " "},
    "code": set(),
    "opponent": set(),
    "color": {""},
}
REQUIRED = {("edit_event", "starts"), ("edit_event", "chief_td_id")}
PLACES = [(page, name) for page, (_, names, _) in FIELDS.items() for name in names]


class TestJunk:
    @pytest.mark.parametrize(
        ("page", "name", "third"),
        [
            pytest.param(
                *place, third, marks=() if at % 3 == third else pytest.mark.fuzz
            )
            for at, place in enumerate(PLACES)
            for third in range(3)
        ],
    )
    def test_junk_is_answered_with_a_sentence_and_changes_nothing(
        self, signed_in, td, page, name, third
    ):
        """A third of the junk for each field; the rest is in `make fuzz`."""
        submission = upload(td, quad(td))
        make_data, _, args = FIELDS[page]
        harmless = set() if (page, name) in REQUIRED else HARMLESS.get(name, set())
        before = database_state()
        for junk in [text for text in JUNK if text not in harmless][third::3]:
            data = make_data(submission, **{name: junk})
            response = signed_in.post(url(page, submission, *args), data)
            assert response.status_code in (409, 422), (junk[:10], response)
            words = text_of(response)
            assert re.search("problems? to fix|has changed since", words), words
            assert database_state() == before

    @pytest.mark.parametrize("page", list(FIELDS))
    def test_missing_fields_change_nothing(self, signed_in, td, page):
        submission = upload(td, quad(td))
        before = database_state()
        response = signed_in.post(url(page, submission, *FIELDS[page][2]), {})
        assert response.status_code == 422
        assert re.search("problems? to fix", text_of(response))
        assert database_state() == before

    @pytest.mark.parametrize(
        ("page", "change", "sentence"),
        [
            ("edit_event", {"ends": "2024-05-01"}, "last day is before the first"),
            ("edit_event", {"ends": "0001-01-01"}, "a date from 1950 to 2100"),
            ("edit_event", {"ends": "٢٠٢٤-٠٥-٠٦"}, "a date such as 2024-05-04"),
            ("edit_event", {"other_td_ids": "12345678, 9"}, "“9” is not a member ID"),
            ("edit_section", {"rounds": "100"}, "less than or equal to 99"),
            ("edit_entry", {"pairing_number": "2"}, "Pairing number 2 is already used"),
            ("edit_cell", {"opponent": ""}, "needs the opponent’s pairing number"),
            ("edit_cell", {"opponent": "1"}, "player’s own pairing number"),
            ("edit_cell", {"opponent": "5"}, "5 is not in this section"),
            ("edit_cell", {"code": ""}, "Choose a result."),
            ("edit_cell", {"code": "blank"}, "or clear the opponent’s number"),
            ("edit_cell", {"code": "B"}, "This result has no opponent"),
            ("edit_cell", {"code": "$"}, "not one of the available choices"),
        ],
    )
    def test_what_contradicts_itself_is_named(
        self, signed_in, td, page, change, sentence
    ):
        submission = upload(td, quad(td))
        make_data, _, args = FIELDS[page]
        before = database_state()
        data = make_data(submission, **change)
        response = signed_in.post(url(page, submission, *args), data)
        assert response.status_code == 422
        assert sentence in text_of(response)
        assert database_state() == before

    @pytest.mark.parametrize("junk", ["", "\x00", "x" * 5000, " "])
    def test_a_reason_must_be_one(self, signed_in, td, junk):
        report = quad(td).with_entry(1, 1, name="OTHER, NAME")
        submission = upload(td, report)
        [finding] = [f for f in findings_of(submission) if f.severity == "confirm"]
        before = database_state()
        for name, data in (
            ("withdraw", {"reason": junk}),
            ("override", {"reason": junk, "finding": finding.shown_key}),
            ("override", {"reason": "Right.", "finding": junk}),
        ):
            response = signed_in.post(url(name, submission), data)
            assert response.status_code == 422
            assert re.search("problems? to fix", text_of(response))
        assert database_state() == before


class TestDecidingOnFindings:
    def test_what_is_odd_but_right_is_confirmed_with_a_reason(self, signed_in, td):
        submission = upload(td, quad(td).with_entry(1, 1, name="OTHER, NAME"))
        [finding] = [f for f in findings_of(submission) if f.severity == "confirm"]
        signed_in.post(
            url("override", submission),
            {"finding": finding.shown_key, "reason": "She has married."},
        )
        override = FindingOverride.objects.get()
        assert (override.finding_key, override.by) == (finding.key, td)
        words = text_of(signed_in.get(url("report", submission)))
        assert "Confirmed The report says “OTHER, NAME”" in words
        assert "td: “She has married.”" in words
        submission.refresh_from_db()
        assert submission.finding_counts["overridden"] == 1
        assert "confirm" not in submission.finding_counts

    def test_an_error_cannot_be_overridden(self, signed_in, td):
        submission = upload(td, quad(td).with_entry(1, 1, member_id="00000000"))
        [finding] = [f for f in findings_of(submission) if f.severity == "error"]
        before = database_state()
        response = signed_in.post(
            url("override", submission),
            {"finding": finding.shown_key, "reason": "Please."},
        )
        assert response.status_code == 422
        assert "An error can’t be kept as reported." in text_of(response)
        assert database_state() == before

    def test_a_report_with_errors_does_not_go_to_the_office(self, signed_in, td):
        submission = upload(td, quad(td).with_entry(1, 1, member_id="00000000"))
        before = database_state()
        response = signed_in.post(url("submit", submission))
        assert response.status_code == 422
        assert "Fix 1 issue before you submit the report." in text_of(response)
        assert database_state() == before

    def test_a_report_in_order_goes_to_the_office(self, signed_in, td):
        submission = upload(td, quad(td))
        signed_in.post(url("submit", submission))
        submission.refresh_from_db()
        assert submission.state == Submission.State.SUBMITTED

    def test_the_receipt_is_for_the_sender(self, signed_in, td):
        submission = upload(td, quad(td))
        submit_report(submission_id=submission.pk, actor=td)
        withdrawal = text_of(signed_in.get(url("withdraw", submission)))
        page = text_of(signed_in.get(submission.get_absolute_url()))
        assert "you can upload the same files" in withdrawal
        assert "Contents 1 section, 4 entries File checksum" in page
        signed_in.force_login(make_staff("staff"))
        withdrawal = text_of(signed_in.get(url("withdraw", submission)))
        page = text_of(signed_in.get(submission.get_absolute_url()))
        assert "the TD can upload the same files" in withdrawal
        assert "File checksum" not in page
        assert "sent by Tessa Director" in page

    @pytest.mark.parametrize(
        ("rounds", "said"),
        [(1, "1 round,"), (3, "3 rounds,"), (None, "no rounds given,")],
    )
    def test_the_rounds_of_a_section_are_counted(self, signed_in, td, rounds, said):
        reported = quad(td).with_section(1, rounds=rounds)
        page = text_of(signed_in.get(url("report", upload(td, reported))))
        assert f"Swiss, G/90;d5, {said}" in page

    def test_a_withdrawn_report_can_be_uploaded_again(self, signed_in, td):
        report = quad(td)
        submission = upload(td, report)
        signed_in.post(url("withdraw", submission), {"reason": "Wrong files."})
        submission.refresh_from_db()
        assert submission.state == Submission.State.WITHDRAWN
        assert "“Wrong files.”" in text_of(signed_in.get(url("report", submission)))
        response = signed_in.post(UPLOAD, {"files": as_files(report)})
        assert response.url == Submission.objects.first().get_absolute_url()
        assert Submission.objects.count() == 2

    def test_an_accepted_report_cannot_be_withdrawn(self, signed_in, td):
        event = accepted_event(td, quad(td))
        response = signed_in.post(
            url("withdraw", event.submission), {"reason": "I changed my mind."}
        )
        assert response.status_code == 409
        assert "Ask the office for a correction" in text_of(response)

    def test_post_only_action_redirects_on_get(self, signed_in, td):
        submission = upload(td, quad(td))
        response = signed_in.get(url("override", submission))
        assert response.url == submission.get_absolute_url()


class TestProgress:
    def test_it_polls_until_everything_is_rated(self, signed_in, td):
        event = accepted_event(td, quad(td))
        path = url("progress", event.submission)
        waiting = signed_in.get(path, headers={"HX-Request": "true"}).content.decode()
        assert f'hx-get="{path}"' in waiting
        assert "Waiting" in waiting
        assert "<html" not in waiting
        run_due_jobs()
        done = signed_in.get(path, headers={"HX-Request": "true"}).content.decode()
        assert "hx-get" not in done
        assert "All sections are rated." in done
        assert f'href="{event.sections.get().get_absolute_url()}"' in done
        assert "<html" in signed_in.get(path).content.decode()

    def test_a_failed_section_says_why(self, signed_in, td):
        event = accepted_event(td, quad(td))
        Job.objects.update(state=Job.State.FAILED, message="The disk is full.")
        words = text_of(signed_in.get(url("report", event.submission)))
        assert "1 of 1 sections could not be rated." in words
        assert "The disk is full." in words
        assert "Try again" not in words  # that is for the office

    def test_before_acceptance_it_says_what_will_stand_there(self, signed_in, td):
        submission = upload(td, quad(td))
        words = text_of(signed_in.get(url("progress", submission)))
        assert "will appear here after the office accepts" in words


def test_report_says_what_each_file_was_read_as(client, td):
    client.force_login(td)
    real = Path(__file__).parents[2] / "data/real-files/swisssys-event"
    file = SimpleUploadedFile(
        "download", (real / "small-club-2026-03-22.sjson").read_bytes()
    )
    client.post(reverse("events:upload"), {"files": [file]})
    page = client.get(Submission.objects.get().get_absolute_url()).content.decode()
    assert "SwissSys 11 event file" in page
