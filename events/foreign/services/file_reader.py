"""Read foreign files in a sandbox."""

import json

from events.formats.foreign.reader import read_foreign, report_from_json
from events.formats.foreign.report import ReportedForeignEvent, rejected_report
from events.formats.translatable_text import translatable
from players.formats.member_ids import MEMBER_ID
from players.formats.xlsx_reader import looks_like_zip
from ratings_site.common.jobs.sandbox import SandboxLimitExceeded, run_sandboxed

SECONDS, MEGABYTES = 10, 400
# Small files that are not compressed are read without a sandbox.
_SMALL = 100_000


def read_in_sandbox(content: bytes) -> ReportedForeignEvent:
    """Return the report of ``read_foreign``, with limits on time and memory."""
    if len(content) <= _SMALL and not looks_like_zip(content):
        return read_foreign(content)
    try:
        said = run_sandboxed(
            "events.formats.foreign.reader",
            content,
            MEMBER_ID.pattern,
            seconds=SECONDS,
            megabytes=MEGABYTES,
        )
    except SandboxLimitExceeded:
        return rejected_report(
            "",
            translatable("The file is too large or too complex to read."),
            translatable("Upload the results of one event only, or save them as CSV."),
        )
    return report_from_json(json.loads(said))
