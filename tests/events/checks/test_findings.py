"""All findings together: files, text, members and ratings."""

from dataclasses import replace

import pytest

from events.checks.services import (
    Causes,
    blocking_findings,
    count_findings,
    findings_of,
)
from events.formats.findings import Finding, Place, Severity
from events.formats.report import ReportedEvent
from events.models import Submission
from events.reports.services.submissions import (
    override_findings,
    set_entry,
    set_section,
)
from tests.factories import (
    event_report,
    make_player,
    make_td,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def td():
    return make_td()


@pytest.fixture
def submission(td):
    players = [make_player(), make_player()]
    return upload(td, event_report(td, [section_report(players, swiss_rows(2, 1))]))


def finding(severity: Severity, code: str = "test.odd") -> Finding:
    return Finding(severity, code, Place(section=1), f"Something is {severity}.", "Do.")


def test_each_source_of_findings_is_asked(td, submission):
    set_entry(
        submission_id=submission.pk,
        actor=td,
        version=1,
        section_number=1,
        pairing_number=1,
        changes={"member_id": "99999999", "name": ""},
    )
    set_section(
        submission_id=submission.pk,
        actor=td,
        version=2,
        section_number=1,
        changes={"time_control": "soon"},
    )
    submission.refresh_from_db()
    from_reader = finding(Severity.CAUTION, "dbf.header")
    submission.reader_findings = [from_reader.to_json()]

    codes = {found.code for found in findings_of(submission)}

    assert {
        "dbf.header",  # the files
        "entry.name_missing",  # the report itself
        "member.unknown",  # the members
        "time_control.unreadable",  # the ratings
    } <= codes


def test_gravest_come_first_and_each_once(submission):
    twice = finding(Severity.CONFIRM).to_json()
    submission.reader_findings = [twice, twice, finding(Severity.ERROR, "x").to_json()]
    found = [f.severity.value for f in findings_of(submission)]
    assert found == ["error", "confirm", "caution", "note", "note"]


@pytest.mark.parametrize(
    ("severity", "blocks"),
    [("error", True), ("confirm", True), ("caution", False), ("note", False)],
)
def test_errors_and_oddities_hold_the_report(submission, severity, blocks):
    odd = finding(Severity(severity))
    submission.reader_findings = [odd.to_json()]
    assert blocking_findings(submission) == ([odd] if blocks else [])


def test_overridden_oddity_no_longer_holds_it_but_is_shown(td, submission):
    odd = finding(Severity.CONFIRM)
    Submission.objects.filter(pk=submission.pk).update(reader_findings=[odd.to_json()])
    override_findings(
        submission_id=submission.pk,
        actor=td,
        finding_keys=[odd.key],
        reason="So it is.",
    )
    submission.refresh_from_db()
    assert blocking_findings(submission) == []
    assert odd in findings_of(submission)


def test_override_of_what_became_an_error_does_not_help(td, submission):
    odd = finding(Severity.CONFIRM)
    Submission.objects.filter(pk=submission.pk).update(reader_findings=[odd.to_json()])
    override_findings(
        submission_id=submission.pk,
        actor=td,
        finding_keys=[odd.key],
        reason="So it is.",
    )
    submission.refresh_from_db()
    graver = replace(odd, severity=Severity.ERROR)
    submission.reader_findings = [graver.to_json()]
    assert blocking_findings(submission) == [graver]


def test_counts_tell_the_overridden_apart():
    findings = [
        finding(Severity.ERROR, "a"),
        finding(Severity.CONFIRM, "b"),
        finding(Severity.CONFIRM, "c"),
        finding(Severity.NOTE, "d"),
    ]
    overridden = {findings[0].key, findings[1].key}
    assert count_findings(findings, overridden, Causes(ReportedEvent())) == {
        "error": 1,
        "overridden": 1,
        "confirm": 1,
        "note": 1,
    }
