"""The membership feed: a batch of members at a time, applied at once.

The batches of a night are one import: one row on the page, undone together.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from players.formats.errors import Reason, RowRefused
from players.formats.members import (
    MemberRow,
    RefusedRow,
    guardians_in,
    merge_member_rows,
    parse_member,
)
from players.imports.kinds import PERMISSION, ApplyRefused, ImportRefused
from players.imports.messages import said
from players.imports.services import apply
from players.imports.services.dry_run import MemberRowChecker
from players.imports.services.limits import (
    FEED_STOPPED,
    FEED_WINDOW,
    IMPACT_KEY,
    ImpactCounts,
    feed_impact,
    impact_of,
)
from players.imports.services.staging import UNCHANGED, RowResult, save_results
from players.members.services import MEMBER_FILE_LOCK
from players.models import Intake, IntakeRow, Player
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import RatingsBusy, acquire_lock
from ratings_site.common.models import User

MAX_ROWS = 1_000
# After this pause the next batch starts another import.
MAX_FEED_GAP = timedelta(hours=6)
# As in files; PostgreSQL cannot store NUL, not even in refused rows.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
ENTERED = (IntakeRow.Kind.NEW, IntakeRow.Kind.CHANGED)


def import_batch(
    *, rows: Sequence[Mapping[str, str]], actor: User, key_name: str
) -> list[RowResult]:
    """Apply a batch of the membership system; return the result of each row.

    Fields that the office owns stay unchanged. A refused row does not affect the
    others. A batch without changes stores nothing. Raise ImportRefused if the feed
    exceeds a limit, and notify the office.
    """
    require_permission(actor, PERMISSION)
    try:
        return _take_batch(rows, actor, key_name)
    except FeedLimitExceeded as refusal:
        facts = {"key": key_name, IMPACT_KEY: asdict(refusal.impact)}
        record(FEED_STOPPED, subject=actor, actor=actor, facts=facts)
        raise
    except RatingsBusy as error:
        raise ImportRefused(said({"code": "busy"})) from error
    except (IntegrityError, ApplyRefused) as error:
        raise ImportRefused(said({"code": "entered_meanwhile"})) from error


class FeedLimitExceeded(ImportRefused):
    """This batch would exceed a limit of the feed."""

    def __init__(self, impact: ImpactCounts) -> None:
        hint = _(
            "If these changes are correct, upload them as a file and request approval."
        )
        super().__init__(" ".join([*impact.exceeded_limits(), hint]))
        self.impact = impact


def _take_batch(
    rows: Sequence[Mapping[str, str]], actor: User, key_name: str
) -> list[RowResult]:
    content = json.dumps(list(rows), ensure_ascii=False).encode()
    with transaction.atomic():
        acquire_lock(MEMBER_FILE_LOCK)
        today = timezone.localdate()
        read = _members(_read(rows, today))
        checker = MemberRowChecker(today, by_feed=True)
        checker.guardians = guardians_in(
            read, {row.guardian_id for row in read if isinstance(row, MemberRow)}
        )
        results = checker.results(read)
        answers = _results_by_line(read, results)
        if all(one.kind in (UNCHANGED, IntakeRow.Kind.REFUSED) for one in results):
            return answers
        _check_limits(checker.impact)
        _apply(results, checker.impact, content, actor, key_name)
    return answers


def _members(rows: Iterable[MemberRow | RefusedRow]) -> list[MemberRow | RefusedRow]:
    """Merge several rows of one member in a batch into one, with a history."""
    found: dict[str, list[MemberRow | RefusedRow]] = {}
    refused: list[MemberRow | RefusedRow] = []
    for row in rows:
        if isinstance(row, MemberRow):
            found.setdefault(row.member_id, []).append(row)
        else:
            refused.append(row)
    return [
        *refused,
        *(one for some in found.values() for one in merge_member_rows(some)),
    ]


def _results_by_line(
    read: Iterable[MemberRow | RefusedRow], results: Iterable[RowResult]
) -> list[RowResult]:
    """Return the result of each row, in the order of the batch."""
    answers = {
        line: one
        for row, one in zip(read, results, strict=True)
        for line in getattr(row, "lines", ()) or (row.line,)
    }
    return [answers[line] for line in sorted(answers)]


def _read(
    rows: Iterable[Mapping[str, str]], today: date
) -> Iterable[MemberRow | RefusedRow]:
    for number, row in enumerate(rows, start=1):
        texts = {name: text.strip() for name, text in row.items() if text.strip()}
        cells = tuple(_CONTROL.sub("\ufffd", text) for text in texts.values())
        texts = dict(zip(texts, cells, strict=True))
        try:
            if garbled := [cell for cell in cells if "\ufffd" in cell]:
                raise RowRefused([Reason("letters_garbled", {"cell": garbled[0][:60]})])
            member = parse_member(texts, number, today, cells)
            if member.blanked:
                raise RowRefused(member.blanked)
        except RowRefused as refusal:
            member_id = texts.get("member_id", "")[:20]
            first, *others = refusal.reasons
            yield RefusedRow(number, cells, first, member_id, tuple(others))
            continue
        yield member


def _check_limits(impact: ImpactCounts) -> None:
    """Refuse a batch that exceeds a limit together with earlier ones."""
    total = feed_impact().combine(impact)
    if any(total.exceeded_limits()) and (impact.changed or impact.rewritten):
        raise FeedLimitExceeded(total)


def _apply(
    results: list[RowResult],
    impact: ImpactCounts,
    content: bytes,
    actor: User,
    key_name: str,
) -> None:
    """Apply a batch. Its rows store the changes; the batch itself is not stored."""
    digest = hashlib.sha256(content).hexdigest()
    feed_import = _current_import(actor, key_name)
    if feed_import is None:
        feed_import = Intake(
            kind=Intake.Kind.MEMBERS,
            state=Intake.State.ENTERED,
            by_feed=True,
            file_name=_file_name(key_name),
            received_by=actor,
            on_record=Player.objects.count(),
            decided_by=actor,
            reason=_("Membership feed, key “{name}”.").format(name=key_name),
            size=0,
        )
    else:
        impact = (impact_of(feed_import) or ImpactCounts()).combine(impact)
    # The digest of the newest batch; the audit has those of earlier ones.
    feed_import.sha256, feed_import.size = digest, feed_import.size + len(content)
    feed_import.totals = {IMPACT_KEY: asdict(impact)}
    feed_import.decided_at = timezone.now()
    feed_import.save()
    last = feed_import.rows.aggregate(last=Max("pk"))["last"] or 0
    save_results(feed_import, list(_offset_lines(results, feed_import.rows_read)))
    kinds = [one.kind for one in results]
    counts = {str(kind): kinds.count(kind) for kind in ENTERED}
    record(
        "intake.entered",
        subject=feed_import,
        actor=actor,
        reason=feed_import.reason,
        facts=apply.apply(feed_import, actor, after=last)
        | {**counts, "sha256": digest},
    )


def _current_import(actor: User, key_name: str) -> Intake | None:
    """Return the import that collects the batches of this night."""
    now = timezone.now()
    return (
        Intake.objects.select_for_update(of=("self",))
        .filter(
            by_feed=True,
            state=Intake.State.ENTERED,
            emptied_at=None,
            received_by=actor,
            file_name=_file_name(key_name),
            received_at__gt=now - FEED_WINDOW,
            decided_at__gt=now - MAX_FEED_GAP,
        )
        .first()
    )


def _file_name(key_name: str) -> str:
    return f"{key_name[:190]}.json"


def _offset_lines(results: Iterable[RowResult], rows: int) -> Iterator[RowResult]:
    """Number the lines of a batch after those of earlier batches."""
    for one in results:
        twin = one.twin
        if twin.startswith(":"):
            twin = f":{int(twin[1:]) + rows}"
        yield replace(one, line=one.line + rows, twin=twin)
