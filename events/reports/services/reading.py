"""Reading what was sent, without giving it more than its share of the machine."""

import json
from collections.abc import Sequence

from django.utils import timezone

from events.importers.findings import Place, found
from events.importers.process import question_of, result_of
from events.importers.read_report import ReadResult, read_report
from events.importers.tables.read import ColumnAnswer
from players.importers.workbooks import looks_like_zip
from ratings_site.common.jobs.bounded import TooMuchWork, run_bounded

SECONDS, MEGABYTES = 10, 400
# What is as small and not packed is read at once: no reader takes long for it.
_SMALL = 100_000


def read_files(
    files: Sequence[tuple[str, bytes]], answer: ColumnAnswer | None = None
) -> ReadResult:
    """Return what the files say, as ``read_report`` does, within limits of its work."""
    packed = any(looks_like_zip(data) for _, data in files)
    if not packed and sum(len(data) for _, data in files) <= _SMALL:
        return read_report(files, answer, timezone.localdate())
    try:
        said = run_bounded(
            "events.importers.process",
            question_of(files, answer, timezone.localdate()),
            seconds=SECONDS,
            megabytes=MEGABYTES,
        )
    except TooMuchWork:
        told = {"seconds": SECONDS, "megabytes": MEGABYTES}
        return ReadResult(None, [found("upload.too_much_work", Place(), **told)])
    return result_of(json.loads(said))
