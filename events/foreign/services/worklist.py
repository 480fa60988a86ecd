"""The worklist of a FIDE list: members who played rated games in its period."""

from django.db import transaction
from django.utils import timezone

from events.foreign.services.results import PERMISSION
from events.models import ForeignWork
from players.fide.queries import members_with_games, opted_in_before
from players.models import FideList, FideRating
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.models import User

FLAG = "USA"


def prepare_worklist(*, actor: User, list_id: int) -> int:
    """Create the missing lines of a list; return how many are new.

    It lists members with the USA flag and those who have opted in (2025 text, section
    6), if they have rated games in the period.
    """
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        fide_list = FideList.objects.select_for_update(of=("self",)).get(
            pk=list_id, state__in=FideList.IN_USE
        )
        played = members_with_games(fide_list)
        willing = opted_in_before(
            (player.pk for player, _ in played), fide_list.list_date
        )
        known = set(fide_list.foreign_work.values_list("player", flat=True))
        new = [
            _line(fide_list, player.pk, value)
            for player, value in played
            if player.pk not in known
            and (value.federation == FLAG or player.pk in willing)
        ]
        ForeignWork.objects.bulk_create(new)
        record(
            "foreign_worklist.prepared",
            subject=fide_list,
            actor=actor,
            facts={"new": len(new)},
        )
    return len(new)


def _line(fide_list: FideList, player_id: int, value: FideRating) -> ForeignWork:
    return ForeignWork(
        fide_list=fide_list,
        player_id=player_id,
        fide_rating=value.rating,
        federation=value.federation,
        games=value.games,
    )


def close_work(*, actor: User, work_id: int, reason: str) -> ForeignWork:
    """Close a member's line because there is nothing to do, with the reason."""
    return _decide(actor, work_id, reason, "foreign_work.closed")


def reopen_work(*, actor: User, work_id: int, reason: str) -> ForeignWork:
    """Reopen a closed line."""
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        work = ForeignWork.objects.select_for_update(of=("self",)).get(pk=work_id)
        work.nothing_to_do_because = ""
        work.decided_by = work.decided_at = None
        work.save()
        record("foreign_work.opened", subject=work, actor=actor, reason=reason)
    return work


def _decide(actor: User, work_id: int, reason: str, act: str) -> ForeignWork:
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        work = ForeignWork.objects.select_for_update(of=("self",)).get(pk=work_id)
        work.nothing_to_do_because = reason
        work.decided_by, work.decided_at = actor, timezone.now()
        work.save()
        record(act, subject=work, actor=actor, reason=reason)
    return work
