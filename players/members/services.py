"""Changes to a member's record that the ratings app is notified of."""

from datetime import date

from django.db import IntegrityError, OperationalError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from players.formats.member_ids import MEMBER_ID
from players.models import Player
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import LOCK_TIMEOUT, acquire_lock, lock_timeout
from ratings_site.common.models import Office, User

PERMISSION = "players.change_status"
# CFC ratings count for residents (2025 text, section 2.2).
CANADA = "CAN"
# Locks held while a member is added manually, and while a file of members is imported.
MEMBER_ID_LOCK, MEMBER_FILE_LOCK = "member-ids", "members"


class StatusRefused(Refusal):
    """The status cannot be set; the message says what to do instead."""


class MemberIdRefused(Exception):
    """The member ID cannot be assigned; the message says why and what to do."""


def refuse_duplicate(player: Player, refusal: type[Refusal]) -> None:
    """Raise *refusal* if a member is a duplicate of another one."""
    if player.status == Player.Status.DUPLICATE:
        raise refusal(
            _("{player} is a duplicate of {canonical}. Use that member.").format(
                player=player, canonical=player.canonical
            )
        )


def enter_member(
    *,
    given_name: str,
    family_name: str,
    birth_date: date | None,
    birth_year: int | None = None,
    state: str,
    member_id: str = "",
    actor: User,
) -> Player:
    """Add a new member with the ID entered, or with the next free one.

    Two clerks at once get two IDs: the lock is held until the transaction ends.
    """
    with transaction.atomic():
        acquire_lock(MEMBER_ID_LOCK)
        member_id = member_id or _next_member_id()
        if Player.objects.filter(member_id=member_id).exists():
            raise _id_taken_error(member_id)
        try:
            with transaction.atomic(), lock_timeout(LOCK_TIMEOUT):
                player = Player.objects.create(
                    member_id=member_id,
                    given_name=given_name,
                    family_name=family_name,
                    birth_date=birth_date,
                    birth_year=birth_year,
                    state=state,
                )
        except (IntegrityError, OperationalError) as error:
            # A file or feed adds the same ID, or has held the lock during the whole
            # wait.
            raise _id_taken_error(member_id) from error
        record("player.entered", subject=player, actor=actor)
    return player


def _id_taken_error(member_id: str) -> MemberIdRefused:
    return MemberIdRefused(
        _("Member ID {member_id} is taken. Enter a different one.").format(
            member_id=member_id
        )
    )


def _next_member_id() -> str:
    """Return the ID after the highest; all have the same length."""
    if not Office.assigns_member_ids():
        raise MemberIdRefused(
            _(
                "Member IDs come from the membership system. Enter the ID it "
                "assigned, or wait until it sends the member."
            )
        )
    highest = Player.objects.aggregate(highest=Max("member_id"))["highest"]
    following = MEMBER_ID.after(highest or MEMBER_ID.first)
    if not following:
        raise MemberIdRefused(
            _("There’s no ID after {member_id}. Enter one yourself.").format(
                member_id=highest
            )
        )
    return following


def change_status(*, player_id: int, status: str, actor: User, reason: str) -> Player:
    """Change a member's status, except to or from duplicate: merging does that."""
    require_permission(actor, PERMISSION)
    if not reason.strip():
        raise StatusRefused(_("Enter why the status changes."))
    with transaction.atomic():
        player = Player.objects.select_for_update(of=("self",)).get(pk=player_id)
        if Player.Status.DUPLICATE in (status, player.status):
            raise StatusRefused(
                _(
                    "To mark a duplicate, merge the two members. To separate them, "
                    "undo the merge."
                )
            )
        if status == player.status:
            raise StatusRefused(
                _("{name} already has this status: {status}.").format(
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
