"""Reading files from abroad without giving them more than their share."""

import json

from events.importers.foreign.process import report_of
from events.importers.foreign.read import read_foreign
from events.importers.foreign.records import ReportedForeignEvent, refused
from players.importers.workbooks import looks_like_zip
from ratings_site.common.jobs.bounded import TooMuchWork, run_bounded

SECONDS, MEGABYTES = 10, 400
# What is as small and not packed is read at once: the reader does not take long for it.
_SMALL = 100_000


def read_bounded(content: bytes) -> ReportedForeignEvent:
    """Return what a file says, as ``read_foreign`` does, within limits of its work."""
    if len(content) <= _SMALL and not looks_like_zip(content):
        return read_foreign(content)
    try:
        said = run_bounded(
            "events.importers.foreign.process",
            content,
            seconds=SECONDS,
            megabytes=MEGABYTES,
        )
    except TooMuchWork:
        return refused(
            "",
            f"Reading the file took more than {SECONDS} seconds or {MEGABYTES} MB.",
            "Send the results of one event only, or save them as CSV.",
        )
    return report_of(json.loads(said))
