"""Office tasks of a report: foreign ratings to look up."""

from datetime import date
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from events.models import OfficeTask
from events.records.exceptions import NotPossible
from events.reports.services.submissions import REVIEW
from players.external.services import RatingRefused, enter_rating
from players.fide.services.links import LinkRefused, link_fide_id
from players.models import Player
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.models import User


def decide_office_task(
    *,
    task_id: int,
    actor: User,
    rating: int | None,
    list_date: Any,
    body_id: str,
    reason: str,
) -> OfficeTask:
    """Enter the foreign rating of a task, or decline it (*rating* None)."""
    require_permission(actor, REVIEW)
    with transaction.atomic():
        task = (
            OfficeTask.objects.select_for_update(of=("self",))
            .select_related("player")
            .get(pk=task_id)
        )
        if not task.is_open:
            raise NotPossible(gettext("This task has already been decided."))
        state = OfficeTask.State.DECLINED
        if rating is not None:
            state = OfficeTask.State.DONE
            if body_id and task.body == "FIDE":
                _give_fide_id(task.player, body_id, actor=actor, reason=reason)
            _enter_rating(task, rating, list_date, actor=actor, reason=reason)
        task.decide(state, by=actor, reason=reason)
        task.save()
        record(
            f"office_task.{task.state}",
            subject=task,
            actor=actor,
            reason=reason,
            facts={"rating": rating, "list_date": str(list_date), "id": body_id},
        )
    return task


def _give_fide_id(player: Player, fide_id: str, *, actor: User, reason: str) -> None:
    if player.fide_id == fide_id:
        return
    try:
        link_fide_id(
            player_id=player.pk, fide_id=int(fide_id), actor=actor, reason=reason
        )
    except LinkRefused as refusal:
        raise NotPossible(
            gettext(
                "{refusal} Correct the ID, or check first if the two are the same "
                "person."
            ).format(refusal=refusal)
        ) from refusal


def _enter_rating(
    task: OfficeTask, rating: int, list_date: date, *, actor: User, reason: str
) -> None:
    known = task.player.external_ratings.filter(
        body=task.body, list_date=list_date, rating=rating
    )
    if known.exists():  # the stored lists have the rating
        return
    try:
        enter_rating(
            player_id=task.player_id,
            body=task.body,
            rating=rating,
            list_date=list_date,
            actor=actor,
            reason=reason,
        )
    except RatingRefused as refusal:
        raise NotPossible(str(refusal)) from refusal
