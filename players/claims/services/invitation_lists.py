"""Invitation lists: stored and checked like an import file, then sent.

Sent invitations cannot be undone; importing the list again never invites a person
twice.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from players.claims.queries import INVITATION_LIFETIME, address_on_record
from players.claims.services.claims import MIN_ACCOUNT_AGE, PERMISSION
from players.claims.services.invitations import send_invitation
from players.formats.errors import InputRefused, Reason
from players.formats.member_ids import MEMBER_ID
from players.formats.members import SPELLINGS, parse_email
from players.formats.table_reader import Line, read_table
from players.guardians.notices import is_child, is_of_age
from players.guardians.queries import active_guardians
from players.imports.kinds import ApplyRefused, ProgressCallback
from players.imports.services.actions import chosen_columns, receive_file
from players.imports.services.staging import RowResult, chunks_of, refused, stage
from players.models import Intake, IntakeRow, Invitation, Player
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.db.locks import acquire_lock
from ratings_site.common.models import User
from ratings_site.common.uploads.services import local_upload

COLUMNS = {
    "member_id": SPELLINGS["member_id"],
    "email": SPELLINGS["email"],
    "whom": "as, invited as, role, speaks as",
}
NEEDED = ("member_id",)
INVITATION_LIST_LOCK = "players.invitations"
MEMBER, GUARDIAN = "member", "guardian"
ROLES = {MEMBER: MEMBER, GUARDIAN: GUARDIAN, "parent": GUARDIAN, "": ""}

ReadLine = Line | tuple[int, tuple[str, ...], Reason]


def receive_list(*, actor: User, name: str, content: Iterable[bytes]) -> Intake:
    """Store a list and queue its dry run; no invitation is sent yet."""
    require_permission(actor, PERMISSION)
    kind = Intake.Kind.INVITATIONS
    return receive_file(actor=actor, kind=kind, name=name, content=content)


def as_table(pasted: str) -> str:
    """Return pasted lines as a table, with a header row added if there is none.

    >>> as_table("12345678 ann@example.org")
    'Member ID\\tEmail\\n12345678\\tann@example.org'
    >>> as_table("Member ID,Email\\n12345678,") == "Member ID,Email\\n12345678,"
    True
    """
    lines = [line.strip() for line in pasted.strip().splitlines()]
    if not lines or not re.match(r"\d", lines[0]):
        return "\n".join(lines)
    cells = [re.split(r"[\s,;]+", line)[: len(COLUMNS)] for line in lines]
    width = max(map(len, cells))
    headings = ["Member ID", "Email", "Invited as"][:width]
    return "\n".join("\t".join(row) for row in [headings, *cells])


def read(intake: Intake, beat: ProgressCallback) -> None:
    """Check each line: whether the member would be invited, and if not, why."""
    with local_upload(intake.stored_as) as path:
        table, lines = read_table(path, COLUMNS, NEEDED, chosen_columns(intake))
        intake.on_record = Player.objects.count()
        stage(intake, table, lines, _RowChecker(timezone.localdate()).results, beat)


def apply(intake: Intake, actor: User | None) -> dict[str, Any]:
    """Invite all valid members; the letters are sent at the rate limit of notices."""
    if actor is not None and not actor.has_perm(PERMISSION):
        raise ApplyRefused("may_not_invite")
    acquire_lock(INVITATION_LIST_LOCK)  # a member on two lists is invited once
    pace = settings.NOTICE_MAILS_A_MINUTE
    sent = 0
    for chunk in chunks_of(intake, IntakeRow.Kind.NEW):
        known = _MemberLookup([row.key for row in chunk], timezone.localdate())
        for row in chunk:
            try:
                member = known.check_invitation(row.key, row.values["whom"])[0]
                email = row.values.get("email") or known.address_of(member)
            except InputRefused:  # another request created it first
                continue
            send_invitation(
                player_id=member.pk,
                as_guardian=row.values["whom"] == GUARDIAN,
                email=email,
                actor=actor,
                wait=timedelta(minutes=sent // pace),
            )
            sent += 1
    return {"invited": sent, "passed_over": intake.new - sent}


@dataclass(slots=True)
class _RowChecker:
    today: date
    lines: dict[str, int] = field(default_factory=dict)

    def results(self, lines: list[ReadLine]) -> list[RowResult]:
        asked = [
            MEMBER_ID.restore(line.by_column.get("member_id", ""))
            for line in lines
            if isinstance(line, Line)
        ]
        known = _MemberLookup(asked, self.today)
        return [self._check_row(line, known) for line in lines]

    def _check_row(self, line: ReadLine, known: "_MemberLookup") -> RowResult:
        if isinstance(line, tuple):
            number, cells, reason = line
            return refused(number, "", cells, reason)
        key = MEMBER_ID.restore(line.by_column.get("member_id", "")[:20])
        try:
            return self._invited(line, key, known)
        except InputRefused as refusal:
            return refused(line.number, key, line.cells, refusal.reason)

    def _invited(self, line: Line, key: str, known: "_MemberLookup") -> RowResult:
        if not MEMBER_ID.whole.fullmatch(key):
            raise InputRefused("no_member_id", cell=key)
        first = self.lines.setdefault(key, line.number)
        if first != line.number:
            raise InputRefused("member_id_twice", line=first)
        member, role = known.check_invitation(key, line.by_column.get("whom", ""))
        values = {
            "given_name": member.given_name,
            "family_name": member.family_name,
            "whom": role,
        }
        if typed := parse_email(line.by_column, "email"):
            values["email"] = typed
        else:  # for display only: looked up again when the list is applied
            values["on_record"] = known.address_of(member)
        return RowResult(IntakeRow.Kind.NEW, line.number, key, values)


class _MemberLookup:
    """The data on record for the members of a list, in three queries."""

    def __init__(self, member_ids: list[str], today: date) -> None:
        self.today = today
        found = Player.objects.filter(member_id__in=member_ids)
        related = found.select_related("merged_into", "contact", "guardian")
        self.members = {member.member_id: member for member in related}
        numbers = [member.pk for member in self.members.values()]
        self.guarded = set(active_guardians(numbers))
        self.invited = set(
            Invitation.objects.filter(
                player__in_array=numbers,
                used_at=None,
                made_at__gt=timezone.now() - INVITATION_LIFETIME,
            ).values_list("player_id", "as_guardian")
        )

    def check_invitation(self, member_id: str, role_text: str) -> tuple[Player, str]:
        """Return the member and the role to invite them in.

        Raise InputRefused if there is a reason against it.
        """
        member = self.members.get(member_id)
        if member is None:
            raise InputRefused("invited_unknown", cell=member_id)
        if member.merged_into is not None:
            raise InputRefused("member_is_merged", other=member.merged_into.member_id)
        if member.status == Player.Status.DECEASED:
            raise InputRefused("invited_deceased")
        role = self._role(member, role_text)
        if role == MEMBER and member.account_id:
            raise InputRefused("has_account")
        if role == GUARDIAN and member.pk in self.guarded:
            raise InputRefused("has_guardian")
        if (member.pk, role == GUARDIAN) in self.invited:
            raise InputRefused("invited_already")
        return member, role

    def address_of(self, member: Player) -> str:
        if address := address_on_record(member):
            return address
        raise InputRefused("no_address")

    def _role(self, member: Player, role_text: str) -> str:
        """Return the stated role, or the default for the member's age."""
        if role_text.casefold() not in ROLES:
            raise InputRefused("role_unknown", cell=role_text[:40])
        born = member.latest_birth_date
        is_young = is_child(born, self.today) and not is_of_age(
            born, self.today, MIN_ACCOUNT_AGE
        )
        role = ROLES[role_text.casefold()] or (GUARDIAN if is_young else MEMBER)
        if role == MEMBER and is_young:
            raise InputRefused("too_young_for_account")
        if role == GUARDIAN and is_of_age(born, self.today):
            raise InputRefused("needs_no_guardian")
        return role
