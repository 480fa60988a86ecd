"""Opting in to have events abroad counted, and opting out."""

from datetime import date

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from players.fide.queries import open_opt_in, opt_ins_of
from players.members.services import refuse_duplicate
from players.models import FideOptIn, Player
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.db.exceptions import refuse_conflict
from ratings_site.common.models import User

ENTER = "players.enter_opt_in"
APPROVE = "players.approve_opt_out"


class OptInRefused(Refusal):
    """The opt-in cannot be entered or ended; the message says why."""


def opt_in(
    *, player_id: int, actor: User, note: str = "", day: date | None = None
) -> FideOptIn:
    """Enter a member's opt-in, by the member's own account or by staff.

    It covers events that begin after *day*, which is today unless staff enter a letter
    of another day.
    """
    today = timezone.localdate()
    player = Player.objects.get(pk=player_id)
    is_own = player.account_id == actor.pk
    if not is_own or day is not None:
        require_permission(actor, ENTER)
        if not note.strip():
            raise OptInRefused(
                _(
                    "Enter how the member made the request, for example "
                    "“letter” or “email.”"
                )
            )
    if (day or today) > today:
        raise OptInRefused(
            _("This date is in the future. Enter today or an earlier date.")
        )
    refuse_duplicate(player, OptInRefused)
    already = OptInRefused(_("{name} has already opted in.").format(name=player.name))
    if open_opt_in(player):
        raise already
    with refuse_conflict(already):
        entered = FideOptIn.objects.create(
            player=player,
            opted_in_on=day or today,
            entered_by=actor,
            by_staff=not is_own,
            note=note[:200],
        )
        record("fide_opt_in.entered", subject=entered, actor=actor, reason=note)
    return entered


def ask_to_opt_out(*, player_id: int, actor: User, wish: str) -> FideOptIn:
    """Record a member's request to opt out, without deciding it."""
    with transaction.atomic():
        mine = _lock_open_opt_ins(player_id)[0]
        if mine.player.canonical.account_id != actor.pk:
            require_permission(actor, ENTER)
        if mine.opt_out_asked_on is not None:
            raise OptInRefused(
                _("This request is already with the Executive Director.")
            )
        mine.opt_out_asked_on = timezone.localdate()
        mine.opt_out_wish = wish[:200]
        mine.save(update_fields=["opt_out_asked_on", "opt_out_wish"])
        record("fide_opt_in.opt_out_asked", subject=mine, actor=actor, reason=wish)
    return mine


def opt_out(
    *, player_id: int, actor: User, reason: str, day: date | None = None
) -> FideOptIn:
    """End a member's opt-in; requires the Executive Director's approval.

    Events that begin up to *day* (today) still count.
    """
    require_permission(actor, APPROVE)
    if not reason.strip():
        raise OptInRefused(_("Enter why you approve the opt-out."))
    day = day or timezone.localdate()
    with transaction.atomic():
        open_ones = _lock_open_opt_ins(player_id)
        for mine in open_ones:
            if day < mine.opted_in_on:
                raise OptInRefused(
                    _("The opt-out date can’t be before the opt-in date.")
                )
            mine.opted_out_on = day
            mine.opt_out_approved_by = actor
            mine.opt_out_reason = reason
            mine.save(
                update_fields=["opted_out_on", "opt_out_approved_by", "opt_out_reason"]
            )
            record("fide_opt_in.ended", subject=mine, actor=actor, reason=reason)
    return open_ones[0]


def _lock_open_opt_ins(player_id: int) -> list[FideOptIn]:
    """Lock a person's active opt-ins: after a merge, each number may have one."""
    mine = opt_ins_of(Player.objects.get(pk=player_id)).filter(opted_out_on=None)
    rows = mine.select_for_update(of=("self",)).select_related("player__merged_into")
    if not rows:
        raise OptInRefused(_("This member isn’t opted in."))
    return list(rows)
