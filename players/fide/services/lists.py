"""FIDE lists: receiving a file, and giving up on one."""

import hashlib
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from players.fide.jobs import IMPORT_FIDE_LIST, TIDY_FIDE_LISTS, import_job_key
from players.importers.records import Problem
from players.models import FideList
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import Job, User

FOLDER = "fide"
PERMISSION = "players.import_fide_list"
# A wrecked file has a fault in every line. Nobody reads the hundredth one.
MOST_FINDINGS = 50


class ListNotTaken(Refusal):
    """The list cannot be received; the message says why and what to do."""


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
    """Keep the file byte for byte and queue its import.

    *allow_older* lets a list in that is older than the newest one stored,
    *allow_smaller* one that has lost many players; either needs a *reason*.
    """
    require(actor, PERMISSION)
    _refuse_date(list_date, allow_older)
    if (allow_older or allow_smaller) and not reason:
        raise ListNotTaken(_("Say why an older or smaller list is right."))
    stored_as, digest, size = _keep(content, list_date, name)
    try:
        with transaction.atomic():
            fide_list = FideList.objects.create(
                list_date=list_date,
                file_name=Path(name).name[:200],
                stored_as=stored_as,
                sha256=digest,
                size=size,
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
                facts={"file": fide_list.file_name, "sha256": digest, "bytes": size},
            )
            queue_import(fide_list)
    except IntegrityError as error:
        raise ListNotTaken(
            _("Another list is being read now. Wait until it is done, or give it up.")
        ) from error
    return fide_list


def queue_import(fide_list: FideList) -> Job:
    return enqueue(
        IMPORT_FIDE_LIST,
        key=import_job_key(fide_list.pk),
        args={"list_id": fide_list.pk},
    )


def _refuse_date(list_date: date, allow_older: bool) -> None:
    if list_date.day != 1:
        raise ListNotTaken(_("A FIDE list begins on the 1st of a month."))
    if list_date > _first_of_next_month(timezone.localdate()):
        raise ListNotTaken(_("This list is still to come."))
    stored = FideList.objects.exclude(state=FideList.State.REFUSED)
    if twin := stored.filter(list_date=list_date).first():
        raise ListNotTaken(
            _("The {twin} is here already: {state}.").format(
                twin=twin, state=twin.get_state_display()
            )
        )
    newer = stored.filter(list_date__gt=list_date).order_by("-list_date").first()
    if newer is not None and not allow_older:
        raise ListNotTaken(
            _(
                "The {newer} is newer. An older one is taken only if you say that it "
                "is "
                "meant to be added to the past."
            ).format(newer=newer)
        )


def _first_of_next_month(day: date) -> date:
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)


def _keep(content: Iterable[bytes], list_date: date, name: str) -> tuple[str, str, int]:
    """Write the file below DATA_DIR; return its path there, SHA-256 and length."""
    folder = settings.DATA_DIR / FOLDER
    folder.mkdir(exist_ok=True)
    digest, size = hashlib.sha256(), 0
    partial = folder / f"{list_date}-{timezone.now():%Y%m%d%H%M%S%f}.part"
    with partial.open("wb") as file:
        for piece in content:
            file.write(piece)
            digest.update(piece)
            size += len(piece)
    suffix = Path(name).suffix.lower()
    if suffix not in (".txt", ".xml", ".zip"):
        suffix = ".list"
    path = folder / f"{list_date}-{digest.hexdigest()[:16]}{suffix}"
    partial.replace(path)
    return f"{FOLDER}/{path.name}", digest.hexdigest(), size


def path_of(fide_list: FideList) -> Path:
    return settings.DATA_DIR / fide_list.stored_as


def refuse_list(
    *,
    fide_list: FideList,
    problems: list[Problem],
    actor: User | None = None,
    reason: str = "",
) -> None:
    """Note that a list is not taken in, and why. What was read of it is thrown away.

    It never counted: only lists in use are looked at.
    """
    with transaction.atomic():
        mine = FideList.objects.select_for_update().get(pk=fide_list.pk)
        if mine.state != FideList.State.LOADING:
            raise ListNotTaken(
                _("The {mine} is not being read any more.").format(mine=mine)
            )
        mine.state, mine.layout = FideList.State.REFUSED, fide_list.layout
        mine.findings = findings_with(mine, problems)
        mine.finished_at = timezone.now()
        mine.save()
        record(
            "fide_list.refused",
            subject=mine,
            actor=actor,
            reason=reason or problems[0].sentence,
        )
        queue_tidying()


def give_up_list(*, list_id: int, actor: User, reason: str) -> FideList:
    """Stop the import of a list for good, for a reason."""
    require(actor, PERMISSION)
    fide_list = FideList.objects.get(pk=list_id)
    problem = Problem(f"Given up by the office: {reason}")
    refuse_list(fide_list=fide_list, problems=[problem], actor=actor, reason=reason)
    return fide_list


def findings_with(fide_list: FideList, problems: Iterable[Problem]) -> list[dict]:
    """Return the list's findings and these, as many as people may read."""
    more = [
        {
            "sentence": problem.sentence,
            "hint": problem.hint,
            "place": problem.place,
            "line": problem.line,
            "byte": problem.byte,
            "final": problem.final,
        }
        for problem in problems
    ]
    # What ended the import must be read; of unreadable lines the first will do.
    final = [one for one in more if one["final"] or not one["place"]]
    others = [one for one in more if one not in final]
    return final + [*fide_list.findings, *others][:MOST_FINDINGS]


def queue_tidying() -> Job:
    return enqueue(TIDY_FIDE_LISTS, key="all")
