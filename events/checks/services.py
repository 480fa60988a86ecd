"""All findings on a report: of the files, of the text, of the members, of ratings."""

from collections import Counter
from collections.abc import Callable, Sequence

from django.utils.translation import override

from events.books.rater import rater
from events.checks.queries.records import check_against_records
from events.importers.catalog import KINDS
from events.importers.checks.report import check_report
from events.importers.findings import Finding, Severity, in_order
from events.importers.records import ReportedEvent
from events.models import Submission

State = Submission.State

MUST_BE_SETTLED = (Severity.ERROR, Severity.CONFIRM)
OVERRIDDEN = "overridden"


def findings_of(submission: Submission) -> list[Finding]:
    """Return every finding, the gravest first, overridden ones included."""
    report = ReportedEvent.from_json(submission.content)
    found = [Finding.from_json(fact) for fact in submission.reader_findings]
    with override(None):  # a finding is the same for readers of any language
        found += check_report(report)
        found += check_against_records(report, submission=submission)
        found += rater().check_report(report)
    return in_order(dict.fromkeys(found))


def shown_findings(submission: Submission) -> Sequence[Finding]:
    """Return the findings for a page: those that this request has found already.

    To find everything is the dearest step of the desk. They stay on the row in hand,
    which no request outlives; who changes or decides calls ``findings_of``.
    """
    if submission.found is None:
        submission.found = findings_of(submission)
    return submission.found


def hand_over(known: Submission, shown: Submission) -> None:
    """Let a page show what was found on the same version of the report."""
    if known.version == shown.version:
        shown.found = known.found


def blocking_findings(
    submission: Submission, findings: Sequence[Finding] | None = None
) -> list[Finding]:
    """Return what keeps the report from the office: errors, unconfirmed oddities."""
    overridden = set(submission.overrides.values_list("finding_key", flat=True))
    return [
        finding
        for finding in (findings_of(submission) if findings is None else findings)
        if finding.severity in MUST_BE_SETTLED
        and not (may_be_overridden(finding) and finding.key in overridden)
    ]


def may_be_overridden(finding: Finding) -> bool:
    """Tell whether somebody's word can settle it: never an error, with exceptions."""
    if finding.severity != Severity.ERROR:
        return True
    kind = KINDS.get(finding.code)
    return kind is not None and kind.office


def drop_outdated_overrides(
    submission: Submission, findings: Sequence[Finding]
) -> None:
    """Take back the TD's word where the finding now says something else.

    The place of a finding names it, so the word for one name at pairing number 4
    must not pass for another name there.
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
    findings: Sequence[Finding], overridden: Sequence[str] | set[str]
) -> dict[str, int]:
    """Count findings by severity, those that were overridden by themselves."""
    return dict(
        Counter(
            OVERRIDDEN
            if may_be_overridden(finding) and finding.key in overridden
            else finding.severity.value
            for finding in findings
        )
    )


def note_counts(submission: Submission, findings: Sequence[Finding]) -> None:
    """Keep the counts beside the report, for lists that cannot check every report.

    The findings themselves stay on the row in hand, for the page that shows it next.
    """
    submission.found = findings
    submission.finding_counts = _counts_of(submission, findings)
    Submission.objects.filter(pk=submission.pk).update(
        finding_counts=submission.finding_counts
    )


def recount(submission: Submission, counts: dict[str, int]) -> None:
    """Let lists show what a page has found, where records have changed since."""
    is_undecided = submission.is_editable or submission.state == State.SUBMITTED
    if is_undecided and submission.finding_counts != counts:
        submission.finding_counts = counts
        as_shown = Submission.objects.filter(
            pk=submission.pk, version=submission.version
        )
        as_shown.update(finding_counts=counts)


def recount_what_waits(beat: Callable[[int, int], None]) -> None:
    """Let lists show of every report with the office what its findings are now."""
    waiting = Submission.objects.filter(state=State.SUBMITTED).order_by("pk")
    numbers = list(waiting.values_list("pk", flat=True))
    for done, pk in enumerate(numbers):
        beat(done, len(numbers))
        if submission := waiting.filter(pk=pk).first():
            recount(submission, _counts_of(submission, findings_of(submission)))


def _counts_of(submission: Submission, findings: Sequence[Finding]) -> dict[str, int]:
    overridden = set(submission.overrides.values_list("finding_key", flat=True))
    return count_findings(findings, overridden)
