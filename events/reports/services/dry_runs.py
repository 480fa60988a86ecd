"""Dry runs: all findings on a report without saving it."""

from collections.abc import Sequence

from events.checks.queries.fide_members import with_members
from events.checks.services import findings_of
from events.formats.findings import Finding
from events.formats.report import ReportedEvent
from events.models import Submission
from events.records.exceptions import UploadRefused
from events.reports.services.file_reader import read_files
from ratings_site.common.models import User


def check_files(
    *, actor: User, files: Sequence[tuple[str, bytes]]
) -> tuple[ReportedEvent, list[Finding]]:
    """Return the report in *files* and all findings, most severe first."""
    result = with_members(read_files(files))
    if result.reported is None:
        raise UploadRefused(result.findings)
    unsent = Submission(
        uploaded_by=actor,
        content=result.reported.to_json(),
        reader_findings=[one.to_json() for one in result.findings],
    )
    return result.reported, findings_of(unsent)
