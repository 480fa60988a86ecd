"""Why a service cannot do what is asked of a report."""

from collections.abc import Sequence

from events.importers.findings import Finding
from events.models import Submission
from ratings_site.common.acts.kinds import Refusal


class UploadRefused(Exception):
    """The files cannot be read as a report at all; the findings say why."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__("The upload cannot be read as a rating report.")
        self.findings = list(findings)


class SentBefore(Exception):
    """These very files are in the office already."""

    def __init__(self, earlier: Submission) -> None:
        super().__init__(f"These files were sent before, as {earlier}.")
        self.earlier = earlier


class Outdated(Exception):
    """Somebody else, or another tab, has changed the report since."""


class NotPossible(Refusal):
    """The report is not in a state for this step. Says what to do."""

    def __init__(
        self, sentence: str, findings: Sequence[Finding] | None = None
    ) -> None:
        super().__init__(sentence)
        self.findings = findings  # if they are why
