"""A report from upload to the office's decision."""

import hashlib
import io
import zipfile
from dataclasses import replace
from datetime import date

import pytest

from events.checks.services import blocking_findings, findings_of
from events.formats.dbf.writer import write_report
from events.formats.report import Cell, NoSuchEntry, parse_cell
from events.models import FindingOverride, OfficeTask, Submission, SubmissionFile
from events.records.exceptions import (
    DuplicateUpload,
    NotPossible,
    UploadRefused,
    VersionConflict,
)
from events.reports.services.submissions import (
    override_findings,
    receive_submission,
    reported_in,
    return_report,
    set_cell,
    set_entry,
    set_event,
    set_section,
    submit_report,
    withdraw_report,
)
from events.review.services.acceptance import accept_report
from events.review.services.office_tasks import decide_office_task
from players.models import ExternalRating
from ratings_site.common.audit.services import entries_about
from ratings_site.common.models import AuditEntry
from ratings_site.common.uploads.services import read_upload
from tests.factories import (
    END,
    START,
    event_report,
    make_player,
    make_staff,
    make_td,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def td():
    return make_td("tessa")


@pytest.fixture
def staff():
    return make_staff("olaf")


@pytest.fixture
def players():
    return [
        make_player(given_name=given, family_name=family, ratings={"OTBR": (1500, 30)})
        for given, family in (("Ann", "Archer"), ("Ben", "Baker"))
    ]


@pytest.fixture
def report(td, players):
    return event_report(td, [section_report(players, swiss_rows(2, 1))])


@pytest.fixture
def submission(td, report):
    return upload(td, report)


def audited_actions(submission: Submission) -> list[tuple]:
    """Return the audited actions on the report, oldest first."""
    return [
        (entry.action.removeprefix("submission."), entry.actor.username, entry.reason)
        for entry in entries_about(submission).order_by("pk")
    ]


# Upload


def test_received_report_is_kept_byte_for_byte(td, report):
    files = write_report(report)

    submission = receive_submission(actor=td, files=list(files.items()))

    assert {
        (file.name, file.role, read_upload(file.stored_as), file.sha256, file.size)
        for file in submission.files.all()
    } == {
        (
            name,
            name.split(".")[0],
            content,
            hashlib.sha256(content).hexdigest(),
            len(content),
        )
        for name, content in files.items()
    }
    submission.refresh_from_db()
    assert (submission.state, submission.version) == ("open", 1)
    assert (submission.event_name, submission.ends) == ("May Open", END)
    assert (submission.entry_count, submission.uploaded_by) == (2, td)
    assert submission.affiliate.affiliate_id == "A6000001"
    read = reported_in(submission)
    assert read.sections[0].entries == tuple(
        replace(entry, state="", rating="") for entry in report.sections[0].entries
    )
    assert audited_actions(submission) == [("received", "tessa", "")]


def test_zip_is_kept_as_it_came(td, report):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in write_report(report).items():
            archive.writestr(name.lower(), content)

    submission = receive_submission(actor=td, files=[("May.ZIP", buffer.getvalue())])

    [file] = submission.files.all()
    assert (file.name, read_upload(file.stored_as)) == ("May.ZIP", buffer.getvalue())
    assert reported_in(submission).name == "May Open"


def test_what_is_no_report_is_refused_with_the_findings_and_leaves_nothing(td):
    with pytest.raises(UploadRefused) as refusal:
        receive_submission(actor=td, files=[("holiday.jpg", b"\xff\xd8\xff" * 50)])
    assert [finding.code for finding in refusal.value.findings] == ["file.not_read"]
    assert not Submission.objects.exists()
    assert not SubmissionFile.objects.exists()
    assert not AuditEntry.objects.filter(action="submission.received").exists()


def test_same_files_are_refused_under_any_names_and_order(td, report, submission):
    files = [
        (f"copy-of-{name}", content) for name, content in write_report(report).items()
    ]
    with pytest.raises(DuplicateUpload) as refusal:
        receive_submission(actor=make_td(), files=files[::-1])
    assert refusal.value.earlier == submission
    assert Submission.objects.count() == 1


def test_withdrawn_files_may_be_sent_again(td, report, submission):
    withdraw_report(submission_id=submission.pk, actor=td, reason="Wrong club.")
    again = upload(td, report)
    assert again.pk != submission.pk
    assert audited_actions(submission)[-1] == ("withdrawn", "tessa", "Wrong club.")


def test_file_name_with_a_nul_is_kept_without_it(td, report):
    files = [
        (f"\x00{name}\x1b", content) for name, content in write_report(report).items()
    ]
    submission = receive_submission(actor=td, files=files)
    names = {file.name for file in submission.files.all()}
    assert names == {"THEXPORT.DBF", "TSEXPORT.DBF", "TDEXPORT.DBF"}


def test_nul_inside_a_text_field_leaves_a_readable_report(td, report):
    files = [
        (name, content.replace(b"May Open", b"May\0Open"))
        for name, content in write_report(report).items()
    ]
    submission = receive_submission(actor=td, files=files)
    submission.refresh_from_db()
    assert submission.event_name.startswith("May")
    assert "\0" not in submission.event_name


# Edits


def test_each_part_can_be_edited_and_every_edit_is_told(td, players, submission):
    pk = submission.pk
    set_event(
        submission_id=pk,
        actor=td,
        version=1,
        changes={"name": "June Open", "ends": START},
    )
    set_section(
        submission_id=pk,
        actor=td,
        version=2,
        section_number=1,
        changes={"time_control": "G/60;d5"},
    )
    set_entry(
        submission_id=pk,
        actor=td,
        version=3,
        section_number=1,
        pairing_number=2,
        changes={"member_id": "12345678"},
    )
    set_cell(
        submission_id=pk,
        actor=td,
        version=4,
        section_number=1,
        pairing_number=1,
        round_number=1,
        cell=parse_cell("D2W"),
    )

    submission.refresh_from_db()
    report = reported_in(submission)
    section = report.sections[0]
    assert (report.name, report.ends) == ("June Open", START)
    assert section.time_control == "G/60;d5"
    assert section.entries[1].member_id == "12345678"
    assert section.entries[0].cells[0] == Cell("D", 2, "W")
    assert section.entries[1].cells[0].opponent == 1  # the opponent's result stays
    assert (submission.version, submission.event_name) == (5, "June Open")
    assert submission.ends == START
    assert [act for act, _, _ in audited_actions(submission)] == [
        "received",
        "event_changed",
        "section_changed",
        "entry_changed",
        "cell_changed",
    ]
    facts = entries_about(submission).first().facts
    assert (facts["pairing_number"], facts["round"], facts["cell"]) == (1, 1, "D2W")


def test_result_can_be_set_for_both_sides_at_once(td, submission):
    set_cell(
        submission_id=submission.pk,
        actor=td,
        version=1,
        section_number=1,
        pairing_number=2,
        round_number=1,
        cell=parse_cell("W1W"),
        both_sides=True,
    )
    submission.refresh_from_db()
    first, second = reported_in(submission).sections[0].entries
    assert (first.cells[0], second.cells[0]) == (Cell("L", 2, "B"), Cell("W", 1, "W"))


def test_edit_of_an_older_version_is_refused_and_changes_nothing(td, submission):
    set_event(
        submission_id=submission.pk, actor=td, version=1, changes={"city": "Rome"}
    )
    before = Submission.objects.values().get()

    with pytest.raises(VersionConflict, match="changed since"):
        set_event(
            submission_id=submission.pk, actor=td, version=1, changes={"city": "Oslo"}
        )

    assert Submission.objects.values().get() == before
    assert len(audited_actions(submission)) == 2


def test_edit_of_a_place_that_is_not_there_changes_nothing(td, submission):
    with pytest.raises(NoSuchEntry):
        set_section(
            submission_id=submission.pk,
            actor=td,
            version=1,
            section_number=7,
            changes={"name": "X"},
        )
    submission.refresh_from_db()
    assert submission.version == 1
    assert len(audited_actions(submission)) == 1


def test_edits_leave_the_files_alone(td, report, submission):
    set_event(
        submission_id=submission.pk, actor=td, version=1, changes={"city": "Rome"}
    )
    kept = {file.name: read_upload(file.stored_as) for file in submission.files.all()}
    assert kept == write_report(report)


# Overrides


@pytest.fixture
def report_with_warning(td, players):
    """Create a report with one finding to confirm: another person's name."""
    section = section_report(players, swiss_rows(2, 1))
    entries = (replace(section.entries[0], name="ZULU, ZOE"), section.entries[1])
    return upload(td, event_report(td, [replace(section, entries=entries)]))


def test_odd_finding_holds_the_report_until_it_is_overridden(td, report_with_warning):
    [finding] = blocking_findings(report_with_warning)
    with pytest.raises(NotPossible, match="Fix 1 issue before"):
        submit_report(submission_id=report_with_warning.pk, actor=td)

    override_findings(
        submission_id=report_with_warning.pk,
        actor=td,
        finding_keys=[finding.key],
        reason="She married.",
    )

    assert blocking_findings(report_with_warning) == []
    assert finding in findings_of(report_with_warning)
    assert audited_actions(report_with_warning)[-1] == (
        "finding_overridden",
        "tessa",
        "She married.",
    )
    assert (
        submit_report(submission_id=report_with_warning.pk, actor=td).state
        == "submitted"
    )


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_override_needs_a_reason(td, report_with_warning, reason):
    [finding] = blocking_findings(report_with_warning)
    with pytest.raises(NotPossible, match="Enter the reason"):
        override_findings(
            submission_id=report_with_warning.pk,
            actor=td,
            finding_keys=[finding.key],
            reason=reason,
        )
    assert not FindingOverride.objects.exists()


def test_error_cannot_be_overridden(td, submission):
    set_entry(
        submission_id=submission.pk,
        actor=td,
        version=1,
        section_number=1,
        pairing_number=1,
        changes={"member_id": "99999999"},
    )
    with pytest.raises(NotPossible, match="An error can’t"):
        override_findings(
            submission_id=submission.pk,
            actor=td,
            finding_keys=["member.unknown|s1|p1||member_id"],
            reason="Trust me.",
        )
    assert not FindingOverride.objects.exists()


def test_finding_that_is_gone_cannot_be_overridden(td, submission):
    with pytest.raises(NotPossible, match="gone"):
        override_findings(
            submission_id=submission.pk,
            actor=td,
            finding_keys=["nothing"],
            reason="Why?",
        )


def test_override_ends_when_the_finding_says_something_else(td, report_with_warning):
    """The override of one stranger must not apply to the next one in that place."""
    [finding] = blocking_findings(report_with_warning)
    override_findings(
        submission_id=report_with_warning.pk,
        actor=td,
        finding_keys=[finding.key],
        reason="She married.",
    )
    set_event(
        submission_id=report_with_warning.pk,
        actor=td,
        version=1,
        changes={"city": "Rome"},
    )
    report_with_warning.refresh_from_db()
    assert (
        blocking_findings(report_with_warning) == []
    )  # an edit elsewhere does not affect it

    other = make_player(given_name="Yak", family_name="Yeti")
    set_entry(
        submission_id=report_with_warning.pk,
        actor=td,
        version=2,
        section_number=1,
        pairing_number=1,
        changes={"member_id": other.member_id},
    )

    report_with_warning.refresh_from_db()
    [now] = blocking_findings(report_with_warning)
    assert now.key == finding.key
    assert "Yak Yeti" in now.message


# Submission and return


def test_whole_life_of_a_report(td, staff, submission):
    pk = submission.pk
    submit_report(submission_id=pk, actor=td)
    return_report(submission_id=pk, actor=staff, note="Who won on board 1?")
    submission.refresh_from_db()
    assert (submission.state, submission.office_note) == (
        "returned",
        "Who won on board 1?",
    )
    assert submission.decided_by == staff
    set_event(submission_id=pk, actor=td, version=1, changes={"city": "Rome"})
    submit_report(submission_id=pk, actor=td)
    event = accept_report(submission_id=pk, actor=staff, reason="All is well.")

    submission.refresh_from_db()
    assert (submission.state, event.city) == ("accepted", "Rome")
    assert audited_actions(submission) == [
        ("received", "tessa", ""),
        ("submitted", "tessa", ""),
        ("returned", "olaf", "Who won on board 1?"),
        ("event_changed", "tessa", ""),
        ("submitted", "tessa", ""),
        ("accepted", "olaf", "All is well."),
    ]


def test_submitting_twice_is_one_action(td, submission):
    first = submit_report(submission_id=submission.pk, actor=td)
    second = submit_report(submission_id=submission.pk, actor=td)
    assert second.submitted_at == first.submitted_at
    assert [act for act, _, _ in audited_actions(submission)] == [
        "received",
        "submitted",
    ]


def test_report_with_an_error_stays_with_the_td(td, submission):
    set_event(
        submission_id=submission.pk, actor=td, version=1, changes={"affiliate_id": ""}
    )
    with pytest.raises(NotPossible, match="Fix 1 issue before"):
        submit_report(submission_id=submission.pk, actor=td)
    submission.refresh_from_db()
    assert (submission.state, submission.submitted_at) == ("open", None)


def edit(submission, td):
    set_event(
        submission_id=submission.pk, actor=td, version=1, changes={"city": "Rome"}
    )


def override(submission, td):
    override_findings(
        submission_id=submission.pk, actor=td, finding_keys=["x"], reason="Why?"
    )


@pytest.mark.parametrize("act", [edit, override])
def test_report_at_the_office_cannot_be_changed(td, submission, act):
    submit_report(submission_id=submission.pk, actor=td)
    with pytest.raises(NotPossible, match="in review"):
        act(submission, td)


def test_only_a_submitted_report_can_be_returned(td, staff, submission):
    with pytest.raises(NotPossible, match="Only a report"):
        return_report(submission_id=submission.pk, actor=staff, note="Hm.")
    submission.refresh_from_db()
    assert submission.state == "open"


def test_accepted_report_cannot_be_withdrawn(td, staff, submission):
    submit_report(submission_id=submission.pk, actor=td)
    accept_report(submission_id=submission.pk, actor=staff)
    with pytest.raises(NotPossible, match="accepted"):
        withdraw_report(submission_id=submission.pk, actor=td, reason="Oops.")


def test_withdrawn_report_is_out_of_reach(td, staff, submission):
    withdraw_report(submission_id=submission.pk, actor=td, reason="Oops.")
    withdraw_report(submission_id=submission.pk, actor=td, reason="Oops again.")
    with pytest.raises(NotPossible):
        submit_report(submission_id=submission.pk, actor=td)
    with pytest.raises(NotPossible):
        accept_report(submission_id=submission.pk, actor=staff)
    with pytest.raises(NotPossible):
        edit(submission, td)
    assert audited_actions(submission)[1:] == [("withdrawn", "tessa", "Oops.")]


# Foreign ratings


def give_foreign(submission, td, version, **changes):
    set_entry(
        submission_id=submission.pk,
        actor=td,
        version=version,
        section_number=1,
        pairing_number=1,
        changes=changes,
    )


@pytest.fixture
def task(td, submission) -> OfficeTask:
    give_foreign(submission, td, 1, fide_id="2000001", fide_rating="1850")
    submit_report(submission_id=submission.pk, actor=td)
    return OfficeTask.objects.get()


def test_foreign_ratings_open_tasks_for_the_office(td, players, submission):
    give_foreign(submission, td, 1, fide_id="2000001", cfc_rating="1700")
    assert not OfficeTask.objects.exists()

    submit_report(submission_id=submission.pk, actor=td)

    assert list(
        OfficeTask.objects.values_list("player", "body", "body_id", "rating", "state")
    ) == [
        (players[0].pk, "FIDE", "2000001", "", "open"),
        (players[0].pk, "CFC", "", "1700", "open"),
    ]


def test_open_task_follows_the_report_when_it_comes_again(td, staff, submission, task):
    return_report(submission_id=submission.pk, actor=staff, note="Which ID?")
    give_foreign(submission, td, 2, fide_id="2000009", fide_rating="1900")
    submit_report(submission_id=submission.pk, actor=td)

    again = OfficeTask.objects.get()
    assert (again.pk, again.body_id, again.rating) == (task.pk, "2000009", "1900")


def test_decided_task_stays_as_it_was_decided(td, staff, submission, task):
    decide(task, staff, rating=None)
    return_report(submission_id=submission.pk, actor=staff, note="Which ID?")
    give_foreign(submission, td, 2, fide_id="2000009")
    submit_report(submission_id=submission.pk, actor=td)

    again = OfficeTask.objects.get()
    assert (again.state, again.body_id) == ("declined", "2000001")


def decide(task, staff, **fields) -> OfficeTask:
    values = {
        "rating": 1860,
        "list_date": date(2024, 5, 1),
        "body_id": "2000001",
        "reason": "FIDE list of May.",
    }
    return decide_office_task(task_id=task.pk, actor=staff, **{**values, **fields})


def test_decided_task_enters_the_rating_and_the_id(staff, players, task):
    decide(task, staff)

    task.refresh_from_db()
    assert (task.state, task.decided_by, task.reason) == (
        "done",
        staff,
        "FIDE list of May.",
    )
    assert list(
        ExternalRating.objects.values_list("player", "body", "list_date", "rating")
    ) == [(players[0].pk, "FIDE", date(2024, 5, 1), 1860)]
    players[0].refresh_from_db()
    assert players[0].fide_id == "2000001"
    audit = entries_about(task).get()
    assert (audit.action, audit.actor) == ("office_task.done", staff)
    assert audit.facts == {
        "rating": 1860,
        "list_date": "2024-05-01",
        "id": "2000001",
    }


def test_declined_task_enters_nothing(staff, players, task):
    decide(task, staff, rating=None)
    task.refresh_from_db()
    players[0].refresh_from_db()
    assert (task.state, players[0].fide_id) == ("declined", None)
    assert not ExternalRating.objects.exists()
    assert entries_about(task).get().action == "office_task.declined"


def test_task_is_decided_once(staff, task):
    decide(task, staff)
    with pytest.raises(NotPossible, match="already"):
        decide(task, staff, rating=None)


def test_fide_id_of_another_member_is_refused_whole(staff, players, task):
    players[1].fide_id = "2000001"
    players[1].save()

    with pytest.raises(NotPossible, match=r"Ben Baker .* has FIDE ID"):
        decide(task, staff)

    task.refresh_from_db()
    assert task.state == "open"
    assert not ExternalRating.objects.exists()
