"""Opting in to having events abroad counted, and out again."""

from datetime import date

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from players.models import FideOptIn, Player
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.models import User

ENTER = "players.enter_opt_in"
APPROVE = "players.approve_opt_out"


class OptInRefused(Refusal):
    """The wish cannot be entered or ended; the message says why."""


def opt_in(
    *, player_id: int, actor: User, note: str = "", day: date | None = None
) -> FideOptIn:
    """Enter a member's wish, by the member's own account or by staff.

    It counts for events that begin after *day*, which is today unless staff hold a
    letter of another day.
    """
    today = timezone.localdate()
    player = Player.objects.get(pk=player_id)
    is_own = player.account_id == actor.pk
    if not is_own or day is not None:
        require(actor, ENTER)
        if not note.strip():
            raise OptInRefused(_("Say how the member asked for it."))
    if (day or today) > today:
        raise OptInRefused(_("The day is still to come."))
    if player.status == Player.Status.DUPLICATE:
        raise OptInRefused(
            _("{player} is a duplicate of {canonical}.").format(
                player=player, canonical=player.canonical
            )
        )
    try:
        with transaction.atomic():
            entered = FideOptIn.objects.create(
                player=player,
                opted_in_on=day or today,
                entered_by=actor,
                by_staff=not is_own,
                note=note[:200],
            )
            record("fide_opt_in.entered", subject=entered, actor=actor, reason=note)
    except IntegrityError as error:
        raise OptInRefused(
            _("{name} has opted in already.").format(name=player.name)
        ) from error
    return entered


def ask_to_opt_out(*, player_id: int, actor: User, wish: str) -> FideOptIn:
    """Note that a member wants to opt out; it decides nothing."""
    with transaction.atomic():
        mine = _open_opt_in(player_id)
        if mine.player.account_id != actor.pk:
            require(actor, ENTER)
        if mine.opt_out_asked_on is not None:
            raise OptInRefused(_("This is with the Executive Director already."))
        mine.opt_out_asked_on = timezone.localdate()
        mine.opt_out_wish = wish[:200]
        mine.save(update_fields=["opt_out_asked_on", "opt_out_wish"])
        record("fide_opt_in.opt_out_asked", subject=mine, actor=actor, reason=wish)
    return mine


def opt_out(
    *, player_id: int, actor: User, reason: str, day: date | None = None
) -> FideOptIn:
    """End a member's opt-in, which only the Executive Director approves.

    Events that begin up to *day* (today) still count.
    """
    require(actor, APPROVE)
    if not reason.strip():
        raise OptInRefused(_("Say why the member may opt out."))
    day = day or timezone.localdate()
    with transaction.atomic():
        mine = _open_opt_in(player_id)
        if day < mine.opted_in_on:
            raise OptInRefused(_("Nobody opts out before opting in."))
        mine.opted_out_on = day
        mine.opt_out_approved_by = actor
        mine.opt_out_reason = reason
        mine.save(
            update_fields=["opted_out_on", "opt_out_approved_by", "opt_out_reason"]
        )
        record("fide_opt_in.ended", subject=mine, actor=actor, reason=reason)
    return mine


def _open_opt_in(player_id: int) -> FideOptIn:
    mine = (
        FideOptIn.objects.select_for_update(of=("self",))
        .select_related("player")
        .filter(player=player_id, opted_out_on=None)
        .first()
    )
    if mine is None:
        raise OptInRefused(_("This member has not opted in."))
    return mine
