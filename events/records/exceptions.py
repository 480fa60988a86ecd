"""Errors of services on reports."""

from collections.abc import Sequence

from events.formats.findings import Finding
from events.models import Submission
from ratings_site.common.approvals.kinds import Refusal


class UploadRefused(Exception):
    """The files cannot be read as a report; the findings say why."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__("The upload cannot be read as a rating report.")
        self.findings = list(findings)


class DuplicateUpload(Exception):
    """Identical files have been uploaded before."""

    def __init__(self, earlier: Submission) -> None:
        super().__init__(f"These files were sent before, as {earlier}.")
        self.earlier = earlier


class VersionConflict(Refusal):
    """Another user, or another tab, has changed the report since."""


class NotPossible(Refusal):
    """The report does not allow this step; the message says what to do."""

    def __init__(
        self, sentence: str, findings: Sequence[Finding] | None = None
    ) -> None:
        super().__init__(sentence)
        self.findings = findings  # if they are the cause
