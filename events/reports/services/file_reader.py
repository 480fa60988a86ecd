"""Read uploaded files in a sandbox."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from django.utils import timezone
from django.utils.translation import gettext as _

from events.formats.findings import Place, make_finding
from events.formats.reader_process import encode_request, result_from_json
from events.formats.report_reader import ReadResult, read_report
from events.formats.tables.reader import ColumnAnswer
from players.formats.member_ids import MEMBER_ID
from players.formats.xlsx_reader import looks_like_zip
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.db.locks import try_lock
from ratings_site.common.jobs.sandbox import SandboxLimitExceeded, run_sandboxed
from ratings_site.common.models import User

SECONDS, MEGABYTES = 10, 400
# The most concurrent uploads of one account; other pages need processes too.
MAX_CONCURRENT_UPLOADS = 2
# Small files that are not compressed are read without a sandbox.
_SMALL = 100_000


class UploadsInProgress(Refusal):
    """Other uploads of the account are being read; the message says what to do."""


@contextmanager
def upload_slot(user: User) -> Iterator[None]:
    """Hold one of the account's upload slots while files are read."""
    with ExitStack() as stack:
        for number in range(MAX_CONCURRENT_UPLOADS):
            name = f"upload {number} of {user.pk}"
            if stack.enter_context(try_lock(name)):
                yield
                return
        raise UploadsInProgress(
            _("Your other reports are still being read. Try again in a moment.")
        )


def read_files(
    files: Sequence[tuple[str, bytes]], answer: ColumnAnswer | None = None
) -> ReadResult:
    """Return the result of ``read_report``, with limits on time and memory."""
    packed = any(looks_like_zip(data) for _, data in files)
    if not packed and sum(len(data) for _, data in files) <= _SMALL:
        return read_report(files, answer, timezone.localdate())
    try:
        said = run_sandboxed(
            "events.formats.reader_process",
            encode_request(files, answer, timezone.localdate()),
            MEMBER_ID.pattern,
            seconds=SECONDS,
            megabytes=MEGABYTES,
        )
    except SandboxLimitExceeded:
        finding = make_finding(
            "upload.too_much_work", Place(), seconds=SECONDS, megabytes=MEGABYTES
        )
        return ReadResult(None, [finding])
    return result_from_json(json.loads(said))
