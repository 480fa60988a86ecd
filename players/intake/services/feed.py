"""The membership feed: a batch of members at a time, entered at once."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.utils import timezone

from players.importers.members import MemberRow, RefusedRow, guardians_in, member_of
from players.importers.tables import Refused
from players.intake.kinds import PERMISSION, NotEntered, NotTaken
from players.intake.saying import said
from players.intake.services import entering
from players.intake.services.members import Judge
from players.intake.services.receiving import (
    changes_too_many,
    keep_file,
    too_many,
)
from players.intake.services.staging import UNCHANGED, Judged, keep
from players.members.services import BY_FILE
from players.models import Intake, IntakeRow, Player
from ratings_site.common.accounts.permissions import require
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import RatingsBusy, hold
from ratings_site.common.models import User

MOST_ROWS = 1_000
# Many small batches must not do what one large file may not.
PERIOD = timedelta(days=1)


def take_batch(
    *, rows: Sequence[Mapping[str, str]], actor: User, key_name: str
) -> list[Judged]:
    """Enter what a membership system says of some members; answer row by row.

    What the office owns stays as it is. A refused row keeps no other out. A batch that
    changes nothing leaves no trace. Raises NotTaken if the feed changes too many.
    """
    require(actor, PERMISSION)
    content = json.dumps(list(rows), ensure_ascii=False).encode()
    with transaction.atomic():
        try:
            hold(BY_FILE)
        except RatingsBusy as error:
            raise NotTaken(said({"code": "busy"})) from error
        today = timezone.localdate()
        read = list(_read(rows, today))
        judge = Judge(today, by_feed=True)
        judge.guardians = guardians_in(
            read, {row.guardian_id for row in read if isinstance(row, MemberRow)}
        )
        judged = judge.judged(read)
        if all(one.kind in (UNCHANGED, IntakeRow.Kind.REFUSED) for one in judged):
            return judged
        changed = sum(one.kind == IntakeRow.Kind.CHANGED for one in judged)
        _refuse_too_many(changed)
        try:
            _enter(judged, content, actor, key_name)
        except RatingsBusy as error:
            raise NotTaken(said({"code": "busy"})) from error
        except (IntegrityError, NotEntered) as error:
            raise NotTaken(said({"code": "entered_meanwhile"})) from error
    return judged


def _read(
    rows: Iterable[Mapping[str, str]], today: date
) -> Iterable[MemberRow | RefusedRow]:
    for number, row in enumerate(rows, start=1):
        texts = {name: text.strip() for name, text in row.items() if text.strip()}
        cells = tuple(texts.values())
        try:
            yield member_of(texts, number, today, cells)
        except Refused as refusal:
            member_id = texts.get("member_id", "")[:20]
            yield RefusedRow(number, cells, refusal.reason, member_id)


def _refuse_too_many(changed: int) -> None:
    lately = Intake.objects.filter(
        by_feed=True, decided_at__gte=timezone.now() - PERIOD
    ).aggregate(changed=Sum("changed"))
    so_far = Intake(
        changed=changed + (lately["changed"] or 0), on_record=Player.objects.count()
    )
    if changed and changes_too_many(so_far):
        raise NotTaken(too_many(so_far))


def _enter(judged: list[Judged], content: bytes, actor: User, key_name: str) -> None:
    stored_as, digest, size = keep_file([content], "feed.json")
    intake = Intake.objects.create(
        kind=Intake.Kind.MEMBERS,
        state=Intake.State.ENTERED,
        by_feed=True,
        file_name=f"{key_name}.json"[:200],
        stored_as=stored_as,
        sha256=digest,
        size=size,
        received_by=actor,
        on_record=Player.objects.count(),
        decided_at=timezone.now(),
        decided_by=actor,
        reason=f"The feed of the key “{key_name}”.",
    )
    keep(intake, judged)
    facts: dict[str, Any] = entering.enter(intake, actor)
    record(
        "intake.entered",
        subject=intake,
        actor=actor,
        reason=intake.reason,
        facts=facts | {"sha256": digest},
    )
