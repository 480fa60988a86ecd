"""All findings on a report: of the files, of the text, of the members, of ratings."""

from events.importers.checks import check_report
from events.importers.findings import Finding, Severity, in_order
from events.importers.records import EventReport
from events.models import Submission
from events.registry import report_checks
from events.services.checks import check_against_records

MUST_BE_SETTLED = (Severity.ERROR, Severity.CONFIRM)


def findings_of(submission: Submission) -> list[Finding]:
    """Return every finding, the gravest first, overridden ones included."""
    report = EventReport.from_json(submission.report)
    found = [Finding.from_json(fact) for fact in submission.reader_findings]
    found += check_report(report)
    found += check_against_records(report, submission=submission)
    for check in report_checks:
        found += check(report)
    return in_order(dict.fromkeys(found))


def blocking_findings(submission: Submission) -> list[Finding]:
    """Return what keeps the report from the office: errors, unconfirmed oddities."""
    overridden = set(submission.overrides.values_list("finding_key", flat=True))
    return [
        finding
        for finding in findings_of(submission)
        if finding.severity in MUST_BE_SETTLED
        and (finding.severity == Severity.ERROR or finding.key not in overridden)
    ]
