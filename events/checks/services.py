"""All findings on a report: files, text, members and ratings."""

from collections import Counter
from collections.abc import Callable, Container, Sequence

from django.utils.translation import override

from events.checks.queries.office_records import check_against_records
from events.formats.catalog import FINDING_KINDS
from events.formats.checks.report import check_report
from events.formats.findings import Finding, Severity, in_order
from events.formats.report import ReportedEvent
from events.models import Submission
from events.records.section_rater import section_rater

State = Submission.State

BLOCKING_SEVERITIES = (Severity.ERROR, Severity.CONFIRM)
OVERRIDDEN = "overridden"


def findings_of(submission: Submission) -> list[Finding]:
    """Return every finding, most severe first, overridden ones included."""
    report = ReportedEvent.from_json(submission.content or {})
    found = [Finding.from_json(fact) for fact in submission.reader_findings]
    with override(None):  # findings are stored in English
        found += check_report(report)
        found += check_against_records(report, submission=submission)
        found += section_rater().check_report(report)
    return in_order(dict.fromkeys(found))


def cached_findings(submission: Submission) -> Sequence[Finding]:
    """Return the findings for a page, cached on *submission*.

    The checks are the most expensive step of a report page. Services that change or
    decide a report call ``findings_of``.
    """
    if submission.found is None:
        submission.found = findings_of(submission)
    return submission.found


def copy_findings(known: Submission, shown: Submission) -> None:
    """Reuse cached findings if both are the same version of the report."""
    if known.version == shown.version:
        shown.found = known.found


def blocking_findings(
    submission: Submission, findings: Sequence[Finding] | None = None
) -> list[Finding]:
    """Return the findings that block submission: errors and unconfirmed issues."""
    overridden = set(submission.overrides.values_list("finding_key", flat=True))
    return [
        finding
        for finding in (findings_of(submission) if findings is None else findings)
        if finding.severity in BLOCKING_SEVERITIES
        and not is_settled(finding, overridden)
    ]


def can_be_overridden(finding: Finding) -> bool:
    """Return whether a TD's word can settle a finding: no errors, few exceptions."""
    if finding.severity != Severity.ERROR:
        return True
    kind = FINDING_KINDS.get(finding.code)
    return kind is not None and kind.is_office_overridable


def is_settled(finding: Finding, overridden: Container[str]) -> bool:
    """Return whether an override settles a finding; *overridden* are the keys."""
    return can_be_overridden(finding) and finding.key in overridden


def drop_outdated_overrides(
    submission: Submission, findings: Sequence[Finding]
) -> None:
    """Delete overrides whose finding now has another message.

    The key of a finding contains its place, so an override of one name at pairing
    number 4 must not apply to another name there.
    """
    overrides = list(submission.overrides.all())
    if not overrides:
        return
    says = {finding.key: finding.message for finding in findings}
    submission.overrides.filter(
        pk__in=[
            override.pk
            for override in overrides
            if says.get(override.finding_key, override.message) != override.message
        ]
    ).delete()


def count_findings(
    findings: Sequence[Finding], overridden: Container[str]
) -> dict[str, int]:
    """Count findings by severity, with overridden ones counted separately."""
    return dict(
        Counter(
            OVERRIDDEN if is_settled(finding, overridden) else finding.severity.value
            for finding in findings
        )
    )


def save_finding_counts(submission: Submission, findings: Sequence[Finding]) -> None:
    """Save the counts with the report, for lists that cannot check every report.

    The findings themselves stay cached for the page that shows them next.
    """
    submission.found = findings
    submission.finding_counts = _counts_of(submission, findings)
    Submission.objects.filter(pk=submission.pk).update(
        finding_counts=submission.finding_counts
    )


def update_finding_counts(submission: Submission, counts: dict[str, int]) -> None:
    """Save the counts found by a page, since records may have changed."""
    is_undecided = submission.is_editable or submission.state == State.SUBMITTED
    if is_undecided and submission.finding_counts != counts:
        submission.finding_counts = counts
        as_shown = Submission.objects.filter(
            pk=submission.pk, version=submission.version
        )
        as_shown.update(finding_counts=counts)


def recount_pending_reports(beat: Callable[[int, int], None]) -> None:
    """Update the finding counts of every submitted report."""
    waiting = Submission.objects.filter(state=State.SUBMITTED).order_by("pk")
    numbers = list(waiting.values_list("pk", flat=True))
    for done, pk in enumerate(numbers):
        beat(done, len(numbers))
        if submission := waiting.filter(pk=pk).first():
            update_finding_counts(
                submission, _counts_of(submission, findings_of(submission))
            )


def _counts_of(submission: Submission, findings: Sequence[Finding]) -> dict[str, int]:
    overridden = set(submission.overrides.values_list("finding_key", flat=True))
    return count_findings(findings, overridden)
