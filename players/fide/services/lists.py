"""Receiving FIDE lists, and canceling their import."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from players.formats.fide_rows import Problem, translatable
from players.models import FideList
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.db.exceptions import refuse_conflict
from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import Job, User
from ratings_site.common.uploads.services import store_upload

IMPORT_FIDE_LIST = "players.import_fide_list"
TIDY_FIDE_LISTS = "players.tidy_fide_lists"
FOLDER = "fide"
PERMISSION = "players.import_fide_list"
# A damaged file can have an error in every line: only the first ones are stored.
MAX_FINDINGS = 50


class ListUploadRefused(Refusal):
    """The list cannot be received; the message says why and how to fix it."""


def receive_list(
    *,
    actor: User | None,
    name: str,
    content: Iterable[bytes],
    list_date: date,
    allow_older: bool = False,
    allow_smaller: bool = False,
    reason: str = "",
) -> FideList:
    """Store the file byte for byte and queue its import.

    *allow_older* accepts a list older than the newest stored one, *allow_smaller* one
    that lost many players; either requires a *reason*.
    """
    require_permission(actor, PERMISSION)
    _check_date(list_date, allow_older)
    if (allow_older or allow_smaller) and not reason:
        raise ListUploadRefused(_("Explain why the older or smaller list is correct."))
    stored = store_upload(FOLDER, name, content)
    refusal = ListUploadRefused(
        _(
            "Another list is being imported. Wait until it’s done, or cancel that "
            "import."
        )
    )
    with refuse_conflict(refusal):
        fide_list = FideList.objects.create(
            list_date=list_date,
            file_name=Path(name).name[:200],
            **asdict(stored),
            allow_older=allow_older,
            allow_smaller=allow_smaller,
            reason=reason,
            received_by=actor,
        )
        record(
            "fide_list.received",
            subject=fide_list,
            actor=actor,
            reason=reason,
            facts={
                "file": fide_list.file_name,
                "sha256": stored.sha256,
                "bytes": stored.size,
            },
        )
        enqueue_import(fide_list)
    return fide_list


def enqueue_import(fide_list: FideList) -> Job:
    key, args = str(fide_list.pk), {"list_id": fide_list.pk}
    actor = fide_list.received_by
    return enqueue(IMPORT_FIDE_LIST, key=key, args=args, actor=actor)


def _check_date(list_date: date, allow_older: bool) -> None:
    if list_date.day != 1:
        raise ListUploadRefused(_("A FIDE list starts on the 1st of a month."))
    if list_date > _first_of_next_month(timezone.localdate()):
        raise ListUploadRefused(
            _("This date is in the future. Enter the date of a published list.")
        )
    stored = FideList.objects.exclude(state=FideList.State.REFUSED)
    if twin := stored.filter(list_date=list_date).first():
        raise ListUploadRefused(
            _("The {twin} is already uploaded: {state}.").format(
                twin=twin, state=twin.get_state_display()
            )
        )
    newer = stored.filter(list_date__gt=list_date).order_by("-list_date").first()
    if newer is not None and not allow_older:
        raise ListUploadRefused(
            _(
                "The {newer} is newer. To add an older list, check “This is an older "
                "list.”"
            ).format(newer=newer)
        )


def _first_of_next_month(day: date) -> date:
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)


def refuse_list(
    *,
    fide_list: FideList,
    problems: list[Problem],
    actor: User | None = None,
    reason: str = "",
) -> None:
    """Record why a list is not imported, and delete the rows read so far.

    They were never in use: only lists in use are queried.
    """
    with transaction.atomic():
        mine = FideList.objects.select_for_update().get(pk=fide_list.pk)
        if mine.state != FideList.State.LOADING:
            raise ListUploadRefused(
                _("The {mine} is no longer being imported.").format(mine=mine)
            )
        mine.state, mine.layout = FideList.State.REFUSED, fide_list.layout
        mine.findings = merge_findings(mine, problems)
        mine.finished_at = timezone.now()
        mine.save()
        record(
            "fide_list.refused",
            subject=mine,
            actor=actor,
            reason=reason or problems[0].text,
        )
        enqueue_cleanup()


def cancel_import(*, list_id: int, actor: User, reason: str) -> FideList:
    """Cancel the import of a list for good, with a reason."""
    require_permission(actor, PERMISSION)
    fide_list = FideList.objects.get(pk=list_id)
    # As one line: a Problem replaces what cannot be printed.
    words = {"reason": " ".join(reason.split())}
    problem = Problem(translatable("Given up by the office: {reason}"), values=words)
    refuse_list(fide_list=fide_list, problems=[problem], actor=actor, reason=reason)
    return fide_list


def merge_findings(
    fide_list: FideList, problems: Iterable[Problem]
) -> list[dict[str, Any]]:
    """Return the list's findings and these, up to the limit."""
    more = [asdict(problem) | {"place": problem.place} for problem in problems]
    # Findings that ended the import are always kept; of unreadable lines the first
    # ones.
    final = [one for one in more if one["final"] or not one["place"]]
    others = [one for one in more if one not in final]
    return final + [*fide_list.findings, *others][:MAX_FINDINGS]


def enqueue_cleanup() -> Job:
    return enqueue(TIDY_FIDE_LISTS, key="all")
