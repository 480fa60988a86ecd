"""Changes to a member's record that others have to hear of."""

from datetime import date

from django.db import IntegrityError, OperationalError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from players.models import Player
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import PATIENCE, hold, waiting_at_most
from ratings_site.common.models import Office, User

PERMISSION = "players.change_status"
# CFC ratings count for those who live there (2025 text, section 2.2).
CANADA = "CAN"
# What is held while a member is entered by hand, and while a file of members is.
BY_HAND, BY_FILE = "member-ids", "members"
# What a new federation counts from, and where eight digits end.
FIRST_MEMBER_ID, LAST_MEMBER_ID = "10000000", "99999999"


class StatusRefused(Refusal):
    """The status cannot be given; the message says what to do instead."""


class NumberRefused(Exception):
    """The member ID cannot be given; the message says why, and what to do."""


def enter_member(
    *,
    given_name: str,
    family_name: str,
    birth_date: date | None,
    state: str,
    member_id: str = "",
    actor: User,
) -> Player:
    """Enter somebody new under the number typed, or else the next that is free.

    Two clerks at once get two numbers: the lock holds until the transaction ends.
    """
    with transaction.atomic():
        hold(BY_HAND)
        member_id = member_id or _next_member_id()
        if Player.objects.filter(member_id=member_id).exists():
            raise _taken(member_id)
        try:
            with transaction.atomic(), waiting_at_most(PATIENCE):
                player = Player.objects.create(
                    member_id=member_id,
                    given_name=given_name,
                    family_name=family_name,
                    birth_date=birth_date,
                    state=state,
                )
        except (IntegrityError, OperationalError) as error:
            # A file or feed enters the same number, or has for all the time we wait.
            raise _taken(member_id) from error
        record("player.entered", subject=player, actor=actor)
    return player


def _taken(member_id: str) -> NumberRefused:
    return NumberRefused(
        _("The member ID {member_id} is taken. Type another one.").format(
            member_id=member_id
        )
    )


def _next_member_id() -> str:
    """Return the number after the highest; all have eight digits."""
    if not Office.gives_member_ids():
        raise NumberRefused(
            _(
                "Member IDs come from the membership system. Type the one it gave, or "
                "wait until it sends the member."
            )
        )
    highest = Player.objects.aggregate(highest=Max("member_id"))["highest"]
    if highest == LAST_MEMBER_ID:
        raise NumberRefused(
            _("There is no number after {member_id}. Type one.").format(
                member_id=highest
            )
        )
    return str(int(highest or FIRST_MEMBER_ID) + 1)


def change_status(*, player_id: int, status: str, actor: User, reason: str) -> Player:
    """Give a member another status. Duplicates are made by merging, and undone so."""
    require(actor, PERMISSION)
    if not reason.strip():
        raise StatusRefused(_("Say why the status changes."))
    with transaction.atomic():
        player = Player.objects.select_for_update(of=("self",)).get(pk=player_id)
        if Player.Status.DUPLICATE in (status, player.status):
            raise StatusRefused(
                _(
                    "A duplicate is made by merging two members, and ended by "
                    "undoing that."
                )
            )
        if status == player.status:
            raise StatusRefused(
                _("{name} has this status already: {status}.").format(
                    name=player.name, status=player.get_status_display()
                )
            )
        before, player.status = player.status, Player.Status(status)
        player.save()
        record(
            "player.status_changed",
            subject=player,
            actor=actor,
            reason=reason,
            facts={"status": {"from": before, "to": player.status}},
        )
    return player
