"""Entering what was read of members: set-based, in the transaction of the caller."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from django.utils import timezone

from players.fide.services.members import tell_of_changes, tell_of_membership
from players.fide.services.ratings import copy_external_ratings
from players.guardians.services import become_guardian
from players.intake.kinds import NotEntered
from players.intake.queries import (
    ADDRESSES,
    GUARDIAN_ID,
    OF_THE_RECORD,
    OnRecord,
    holders_of,
    on_record,
)
from players.intake.services.staging import chunks_of
from players.members.arrivals import match_newcomers
from players.members.careers import careers
from players.members.services import BY_FILE
from players.models import (
    GuardianAccount,
    Intake,
    IntakeRow,
    Membership,
    MembershipType,
    Player,
)
from ratings_site.common.database.bulk import copy_rows, update_rows
from ratings_site.common.database.locks import hold, hold_ratings
from ratings_site.common.models import User

# What ratings rest on.
TOLD_OF = ("birth_date", "residence", "fide_id")
RESIDENCE = "USA"
_SEARCHED = ("search_name", "search_given", "search_sound", "search_family")
_PLAYER = ("member_id", *OF_THE_RECORD, *_SEARCHED)
_MEMBERSHIP = ("player_id", "type_id", "starts", "expires")
_ADDRESS = ("player_id", "email", "stated_at")


def enter(intake: Intake, actor: User | None) -> dict[str, Any]:
    """Enter the new and change the changed; return facts for the audit."""
    hold(BY_FILE)
    types = Types()
    for chunk in chunks_of(intake, IntakeRow.Kind.NEW):
        _add(chunk, types, actor)
    hold_ratings_if_told(intake)
    for chunk in chunks_of(intake, IntakeRow.Kind.CHANGED):
        change(chunk, types, actor)
    return {"new": intake.new, "changed": intake.changed, "types": types.added}


def hold_ratings_if_told(intake: Intake) -> None:
    """Hold the ratings where a row changes what they rest on, before it is changed."""
    changed = intake.rows.filter(kind=IntakeRow.Kind.CHANGED)
    if changed.filter(values__has_any_keys=[*TOLD_OF, "membership"]).exists():
        hold_ratings()


class Types:
    """Types of membership by name; one that is not known yet is added."""

    def __init__(self) -> None:
        self.by_name = {one.name: one for one in MembershipType.objects.all()}
        self.added: list[str] = []

    def named(self, name: str) -> MembershipType:
        if name not in self.by_name:
            self.by_name[name] = MembershipType.objects.create(name=name)
            self.added.append(name)
        return self.by_name[name]


# New members


def _add(rows: list[IntakeRow], types: Types, actor: User | None) -> None:
    _refuse_known(rows)
    copy_rows(Player, _PLAYER, (_player(row) for row in rows))
    ids = dict(
        Player.objects.filter(member_id__in=[row.key for row in rows]).values_list(
            "member_id", "pk"
        )
    )
    copy_rows(
        Membership,
        _MEMBERSHIP,
        (
            _membership(ids[row.key], row.values["membership"], types)
            for row in rows
            if "membership" in row.values
        ),
    )
    for name in ADDRESSES:
        said = {ids[row.key]: row.values[name] for row in rows if name in row.values}
        _write_addresses(name, said)
    _add_guardians(guardians_in(rows, ids), actor)
    linked = {
        ids[row.key]: int(row.values["fide_id"])
        for row in rows
        if "fide_id" in row.values
    }
    if linked:
        copy_external_ratings(linked)  # nothing of a new member is rated yet
    match_newcomers(list(Player.objects.filter(pk__in=ids.values())))


def _refuse_known(rows: list[IntakeRow]) -> None:
    for row, member in _found(rows):
        if member is not None:
            raise NotEntered("changed_since", member_id=row.key, line=row.line)
    holders = holders_of(row.values.get("fide_id", "") for row in rows)
    for row in rows:
        if row.values.get("fide_id") in holders:
            raise NotEntered("changed_since", member_id=row.key, line=row.line)


def _found(rows: list[IntakeRow]) -> Iterable[tuple[IntakeRow, OnRecord | None]]:
    members = on_record([row.key for row in rows])
    return ((row, members.get(row.key)) for row in rows)


def _player(row: IntakeRow) -> tuple[Any, ...]:
    said = row.values
    player = Player(
        given_name=said.get("given_name", ""),
        family_name=said.get("family_name", ""),
        suffix=said.get("suffix", ""),
    )
    player.set_search_names()
    searched = (getattr(player, name) for name in _SEARCHED)
    values = (_as_stored(name, said.get(name, "")) for name in OF_THE_RECORD)
    return (row.key, *values, *searched)


_DEFAULTS = {"residence": RESIDENCE, "status": str(Player.Status.ACTIVE)}


def _as_stored(name: str, text: str) -> Any:
    if name == "birth_date":
        return date.fromisoformat(text) if text else None
    if name == "fide_id":
        return text or None
    return text or _DEFAULTS.get(name, "")


def _membership(
    player_id: int, said: dict[str, str], types: Types
) -> tuple[int, int, date, date]:
    starts, expires = map(date.fromisoformat, (said["starts"], said["expires"]))
    return player_id, types.named(said["type"]).pk, starts, expires


def _write_addresses(name: str, said: dict[int, str]) -> None:
    """Write e-mail addresses by player; "" takes one away."""
    if not said:
        return
    model = ADDRESSES[name]
    model.objects.filter(player__among=said).delete()
    now = timezone.now()
    rows = ((player_id, email, now) for player_id, email in said.items() if email)
    copy_rows(model, _ADDRESS, rows)


def _add_guardians(wanted: dict[int, str], actor: User | None) -> None:
    """Let guardians' accounts, told by their own member IDs, speak for children."""
    accounts = _accounts_of(wanted.values())
    for child in Player.objects.filter(pk__among=wanted):
        if account := accounts.get(wanted[child.pk]):
            become_guardian(player=child, account=account, actor=actor)


def _accounts_of(member_ids: Iterable[str]) -> dict[str, User]:
    members = Player.objects.filter(
        member_id__in=set(member_ids), account__isnull=False
    )
    return {one.member_id: one.account for one in members.select_related("account")}


def guardians_in(rows: Iterable[IntakeRow], ids: dict[str, int]) -> dict[int, str]:
    """Return the guardians' member IDs that rows of new members name, by child."""
    return {
        ids[row.key]: row.values[GUARDIAN_ID]
        for row in rows
        if GUARDIAN_ID in row.values
    }


def take_guardians_away(wanted: dict[int, str]) -> None:
    """Take back that these guardians' accounts speak for these children."""
    accounts = _accounts_of(wanted.values())
    for child, guardian in wanted.items():
        GuardianAccount.objects.filter(
            player=child, account=accounts.get(guardian), ended_at=None
        ).delete()


# Changed members


def change(
    rows: list[IntakeRow], types: Types, actor: User | None, *, back: bool = False
) -> None:
    """Write the changes of these rows; *back* takes them back.

    Refuses, before anything is written, rows whose members are no longer as the rows
    say they were.
    """
    changed = [(row, _as_it_was(row, member, back)) for row, member in _found(rows)]
    _write_fields(changed, back)
    _write_memberships(changed, types, back)
    for name in ADDRESSES:
        _write_addresses(
            name,
            {
                member.pk: _pair(row, name, back)[1]
                for row, member in changed
                if name in row.values
            },
        )
    guardians = {
        member.pk: row.values[GUARDIAN_ID][1]
        for row, member in changed
        if GUARDIAN_ID in row.values
    }
    if back:
        take_guardians_away(guardians)
    else:
        _add_guardians(guardians, actor)
    _tell(changed, actor, back)


def _pair(row: IntakeRow, name: str, back: bool) -> tuple[Any, Any]:
    before, after = row.values[name]
    return (after, before) if back else (before, after)


def _as_it_was(row: IntakeRow, member: OnRecord | None, back: bool) -> OnRecord:
    if member is None or member.merged_into:
        raise NotEntered("changed_since", member_id=row.key, line=row.line)
    for name in row.values:
        before, _ = _pair(row, name, back)
        if name == "membership":
            is_so = before is None or member.stretch(before) is not None
        elif name == GUARDIAN_ID:
            is_so = (row.values[name][1] in member.fields[name].split()) == back
        else:
            is_so = member.fields[name] == before
        if not is_so:
            raise NotEntered("changed_since", member_id=row.key, line=row.line)
    return member


Changed = list[tuple[IntakeRow, OnRecord]]


def _write_fields(changed: Changed, back: bool) -> None:
    touched = [
        (row, member)
        for row, member in changed
        if any(name in row.values for name in OF_THE_RECORD)
    ]
    update_rows(
        Player,
        (*OF_THE_RECORD, *_SEARCHED),
        [_written(row, member, back) for row, member in touched],
    )


def _written(row: IntakeRow, member: OnRecord, back: bool) -> tuple[Any, ...]:
    fields = dict(member.fields)
    for name in OF_THE_RECORD:
        if name in row.values:
            fields[name] = _pair(row, name, back)[1]
    # The columns are those of a new member; in place of the number stands the ID.
    _, *values = _player(IntakeRow(key=row.key, values=fields))
    return (*values, member.pk)


def _write_memberships(changed: Changed, types: Types, back: bool) -> None:
    pairs = [
        (member, *_pair(row, "membership", back))
        for row, member in changed
        if "membership" in row.values
    ]
    gone = [member.stretch(before).pk for member, before, after in pairs if not after]
    Membership.objects.filter(pk__among=gone).delete()
    copy_rows(
        Membership,
        _MEMBERSHIP,
        [_membership(member.pk, after, types) for member, before, after in pairs
         if not before],
    )  # fmt: skip
    update_rows(
        Membership,
        _MEMBERSHIP,
        [(*_membership(member.pk, after, types), member.stretch(before).pk)
         for member, before, after in pairs if before and after],
    )  # fmt: skip


def _tell(changed: Changed, actor: User | None, back: bool) -> None:
    """Tell those who rate of what ratings rest on."""
    told = {
        member.pk: member
        for row, member in changed
        if any(name in row.values for name in TOLD_OF)
    }
    for player in Player.objects.filter(pk__among=told).iterator(chunk_size=2000):
        known = told[player.pk].fields
        before = {name: _as_stored(name, known[name]) for name in TOLD_OF}
        tell_of_changes(player, before, actor)
    _tell_of_adults(changed, actor, back)


def _tell_of_adults(changed: Changed, actor: User | None, back: bool) -> None:
    """A membership that only an adult can hold stands in for a missing birth date."""
    days: dict[int, date] = {}
    for row, member in changed:
        if "membership" not in row.values or member.fields["birth_date"]:
            continue
        stretches = filter(None, row.values["membership"])
        days[member.pk] = min(date.fromisoformat(one["starts"]) for one in stretches)
    if not days:
        return
    concerned = careers().affected_by_rating(days, min(days.values()))
    adult = Membership.objects.filter(player__among=concerned, type__is_adult=True)
    for membership in adult.select_related("player", "type"):
        tell_of_membership(membership, actor, days[membership.player_id])
