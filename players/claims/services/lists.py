"""A list of members to invite: kept and read like a file that moves in, then sent.

What was sent cannot be called back, so it is not undone; sent again, it invites nobody
twice.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from players.claims.queries import INVITATION_LASTS, address_on_record
from players.claims.services.claiming import OWN_ACCOUNT_FROM, PERMISSION
from players.claims.services.invitations import send_invitation
from players.guardians.notices import is_child, is_of_age
from players.guardians.queries import guards_of
from players.importers.members import SPELLINGS, email_of
from players.importers.tables import MEMBER_ID, Line, Reason, Refused, read_table
from players.intake.kinds import Beat, NotEntered
from players.intake.services.receiving import columns_of, path_of, receive_file
from players.intake.services.staging import Judged, chunks_of, refused, stage
from players.models import Intake, IntakeRow, Invitation, Player
from ratings_site.common.accounts.permissions import require
from ratings_site.common.database.locks import hold
from ratings_site.common.models import User

COLUMNS = {
    "member_id": SPELLINGS["member_id"],
    "email": SPELLINGS["email"],
    "whom": "as, invited as, role, speaks as",
}
NEEDED = ("member_id",)
LISTS = "players.invitations"
MEMBER, GUARDIAN = "member", "guardian"
ROLES = {MEMBER: MEMBER, GUARDIAN: GUARDIAN, "parent": GUARDIAN, "": ""}

Read = Line | tuple[int, tuple[str, ...], Reason]


def receive_list(*, actor: User, name: str, content: Iterable[bytes]) -> Intake:
    """Keep a list and queue its dry run; nobody is invited yet."""
    require(actor, PERMISSION)
    kind = Intake.Kind.INVITATIONS
    return receive_file(actor=actor, kind=kind, name=name, content=content)


def as_table(pasted: str) -> str:
    """Return pasted lines as a table: what has no headings gets them.

    >>> as_table("12345678 ann@example.org")
    'Member ID\\tE-mail\\n12345678\\tann@example.org'
    >>> as_table("Member ID,E-mail\\n12345678,") == "Member ID,E-mail\\n12345678,"
    True
    """
    lines = [line.strip() for line in pasted.strip().splitlines()]
    if not lines or not re.match(r"\d", lines[0]):
        return "\n".join(lines)
    cells = [re.split(r"[\s,;]+", line)[: len(COLUMNS)] for line in lines]
    width = max(map(len, cells))
    headings = ["Member ID", "E-mail", "Invited as"][:width]
    return "\n".join("\t".join(row) for row in [headings, *cells])


def read(intake: Intake, beat: Beat) -> None:
    """Say of each line whether the member would be invited, and why not if not."""
    table, lines = read_table(path_of(intake), COLUMNS, NEEDED, columns_of(intake))
    intake.on_record = Player.objects.count()
    stage(intake, table, lines, _Judge(timezone.localdate()).judged, beat)


def enter(intake: Intake, actor: User | None) -> dict[str, Any]:
    """Invite all who may still be invited, their letters at the pace of notices."""
    if actor is not None and not actor.has_perm(PERMISSION):
        raise NotEntered("may_not_invite")
    hold(LISTS)  # of two lists with one member the second finds the invitation
    pace = settings.NOTICE_MAILS_A_MINUTE
    sent = 0
    for chunk in chunks_of(intake, IntakeRow.Kind.NEW):
        known = _Known([row.key for row in chunk], timezone.localdate())
        for row in chunk:
            try:
                member = known.invited_as(row.key, row.values["whom"])[0]
                email = row.values.get("email") or known.address_of(member)
            except Refused:  # somebody was quicker
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
class _Judge:
    today: date
    lines: dict[str, int] = field(default_factory=dict)

    def judged(self, lines: list[Read]) -> list[Judged]:
        asked = [
            line.by_column.get("member_id", "")
            for line in lines
            if isinstance(line, Line)
        ]
        known = _Known(asked, self.today)
        return [self._judge(line, known) for line in lines]

    def _judge(self, line: Read, known: "_Known") -> Judged:
        if isinstance(line, tuple):
            number, cells, reason = line
            return refused(number, "", cells, reason)
        key = line.by_column.get("member_id", "")[:20]
        try:
            return self._invited(line, key, known)
        except Refused as refusal:
            return refused(line.number, key, line.cells, refusal.reason)

    def _invited(self, line: Line, key: str, known: "_Known") -> Judged:
        if not MEMBER_ID.fullmatch(key):
            raise Refused("no_member_id", cell=key)
        first = self.lines.setdefault(key, line.number)
        if first != line.number:
            raise Refused("member_id_twice", line=first)
        member, role = known.invited_as(key, line.by_column.get("whom", ""))
        values = {
            "given_name": member.given_name,
            "family_name": member.family_name,
            "whom": role,
        }
        if typed := email_of(line.by_column, "email"):
            values["email"] = typed
        else:  # only shown: on entering it is looked up again
            values["on_record"] = known.address_of(member)
        return Judged(IntakeRow.Kind.NEW, line.number, key, values)


class _Known:
    """What is known of the members of a list, in three queries."""

    def __init__(self, member_ids: list[str], today: date) -> None:
        self.today = today
        found = Player.objects.filter(member_id__in=member_ids)
        related = found.select_related("merged_into", "contact", "guardian")
        self.members = {member.member_id: member for member in related}
        numbers = [member.pk for member in self.members.values()]
        self.guarded = set(guards_of(numbers))
        self.invited = set(
            Invitation.objects.filter(
                player__among=numbers,
                used_at=None,
                made_at__gt=timezone.now() - INVITATION_LASTS,
            ).values_list("player_id", "as_guardian")
        )

    def invited_as(self, member_id: str, said: str) -> tuple[Player, str]:
        """Return the member, and as whom somebody is invited, or say why nobody is."""
        member = self.members.get(member_id)
        if member is None:
            raise Refused("invited_unknown", cell=member_id)
        if member.merged_into is not None:
            raise Refused("member_is_merged", other=member.merged_into.member_id)
        if member.status == Player.Status.DECEASED:
            raise Refused("invited_deceased")
        role = self._role(member, said)
        if role == MEMBER and member.account_id:
            raise Refused("has_account")
        if role == GUARDIAN and member.pk in self.guarded:
            raise Refused("has_guardian")
        if (member.pk, role == GUARDIAN) in self.invited:
            raise Refused("invited_already")
        return member, role

    def address_of(self, member: Player) -> str:
        if address := address_on_record(member):
            return address
        raise Refused("no_address")

    def _role(self, member: Player, said: str) -> str:
        """Return the role said, by default the one that fits the member's age."""
        if said.casefold() not in ROLES:
            raise Refused("role_unknown", cell=said[:40])
        born = member.birth_date
        is_young = is_child(born, self.today) and not is_of_age(
            born, self.today, OWN_ACCOUNT_FROM
        )
        role = ROLES[said.casefold()] or (GUARDIAN if is_young else MEMBER)
        if role == MEMBER and is_young:
            raise Refused("too_young_for_account")
        if role == GUARDIAN and is_of_age(born, self.today):
            raise Refused("needs_no_guardian")
        return role
