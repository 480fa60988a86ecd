"""All findings on a report: files, text, members and ratings."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence

from django.utils.translation import override

from events.checks.queries.member_records import player_places
from events.checks.queries.office_records import check_against_records
from events.formats.catalog import FINDING_KINDS
from events.formats.checks.report import check_report
from events.formats.findings import Finding, Severity, in_order
from events.formats.report import ReportedEvent
from events.models import Submission
from events.records.section_rater import section_rater
from players.models.name_viewer import all_names_shown, name_viewer

State = Submission.State

BLOCKING_SEVERITIES = (Severity.ERROR, Severity.CONFIRM)
OVERRIDDEN = "overridden"


def findings_of(submission: Submission) -> list[Finding]:
    """Return every finding, most severe first, overridden ones included.

    They have all names, so that services and stored counts do not depend on the reader.
    """
    with all_names_shown():
        return _findings_of(submission)


def _findings_of(submission: Submission) -> list[Finding]:
    report = ReportedEvent.from_json(submission.content or {})
    found = [Finding.from_json(fact) for fact in submission.reader_findings]
    with override(None):  # findings are stored in English
        found += check_report(report)
        found += check_against_records(report, submission=submission)
        found += section_rater().check_report(report)
    return in_order(dict.fromkeys(found))


def cached_findings(submission: Submission) -> Sequence[Finding]:
    """Return the findings for a page, with the names its reader may see.

    Those with all names are cached on *submission*: the checks are the most expensive
    step of a report page. Services that change or decide a report call ``findings_of``.
    """
    if not name_viewer().sees_all:
        return _findings_of(submission)
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


Cause = tuple[object, ...]


class Causes:
    """What findings have in common that one fix settles: a player, a TD or a date."""

    def __init__(self, reported: ReportedEvent) -> None:
        self.places = player_places(reported)

    def of(self, finding: Finding) -> Cause:
        place = finding.place
        if place.round_number is not None or place.file:
            return (finding.key, finding.message)
        if place.pairing_number is None:
            return (finding.code, finding.message)
        own = (place.section or 0, place.pairing_number)
        return (finding.code, finding.message, self.places.get(own, (own,))[0])

    def count(self, findings: Iterable[Finding]) -> int:
        """Return the number of issues: findings with one cause are one."""
        return len(set(map(self.of, findings)))


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
    findings: Sequence[Finding], overridden: Container[str], causes: Causes
) -> dict[str, int]:
    """Count issues by severity, with overridden ones counted separately.

    Findings with one cause are one issue.
    """
    kinds: dict[Cause, str] = {}
    for finding in findings:  # the most severe first
        cause = causes.of(finding)
        if is_settled(finding, overridden):
            kinds.setdefault(cause, OVERRIDDEN)
        elif kinds.get(cause, OVERRIDDEN) == OVERRIDDEN:
            kinds[cause] = finding.severity.value
    return dict(Counter(kinds.values()))


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
    reported = ReportedEvent.from_json(submission.content or {})
    return count_findings(findings, overridden, Causes(reported))
