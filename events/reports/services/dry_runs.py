"""What the office would find in a report, without keeping anything of it."""

from collections.abc import Sequence

from events.books.refusals import UploadRefused
from events.checks.queries.fide_members import with_members_by_fide_id
from events.checks.services import findings_of
from events.importers.findings import Finding
from events.importers.records import ReportedEvent
from events.models import Submission
from events.reports.services.reading import read_files
from ratings_site.common.models import User


def check_files(
    *, actor: User, files: Sequence[tuple[str, bytes]]
) -> tuple[ReportedEvent, list[Finding]]:
    """Return the report in *files* and all findings on it, the gravest first."""
    result = read_files(files)
    if result.reported is None:
        raise UploadRefused(result.findings)
    report, found = with_members_by_fide_id(result.reported)
    unsent = Submission(
        uploaded_by=actor,
        content=report.to_json(),
        reader_findings=[one.to_json() for one in [*result.findings, *found]],
    )
    return report, findings_of(unsent)
