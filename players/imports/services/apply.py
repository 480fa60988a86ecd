"""Applies an import of members with bulk queries, in the caller's transaction."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from django.utils import timezone

from players.fide.services.members import (
    report_member_changes,
    report_membership_change,
)
from players.fide.services.ratings import copy_external_ratings
from players.guardians.services import add_guardian_account
from players.imports.kinds import ApplyRefused
from players.imports.queries import (
    ADDRESSES,
    GUARDIAN_ID,
    MEMBER_FIELDS,
    MemberRecord,
    fide_id_holders,
    membership_terms,
    on_record,
)
from players.imports.services.staging import chunks_of
from players.members.newcomers import match_newcomers
from players.members.rating_history import rating_history
from players.members.services import MEMBER_FILE_LOCK
from players.models import (
    GuardianAccount,
    Intake,
    IntakeRow,
    Membership,
    MembershipType,
    Player,
)
from ratings_site.common.db.bulk import copy_rows, update_rows
from ratings_site.common.db.locks import acquire_lock, lock_ratings
from ratings_site.common.models import User

# Fields that ratings depend on.
RATING_FIELDS = ("birth_date", "birth_year", "residence", "fide_id")
MEMBERSHIPS = ("membership", "memberships")
RESIDENCE = "USA"
_SEARCHED = ("search_name", "search_given", "search_sound", "search_family")
_PLAYER = ("member_id", *MEMBER_FIELDS, *_SEARCHED)
_MEMBERSHIP = ("player_id", "type_id", "starts", "expires")
_ADDRESS = ("player_id", "email", "stated_at")


def apply(intake: Intake, actor: User | None, after: int = 0) -> dict[str, Any]:
    """Add new members and change existing ones; return facts for the audit.

    Rows up to the number *after* were applied by earlier batches of a feed.
    """
    acquire_lock(MEMBER_FILE_LOCK)
    types = MembershipTypes()
    for chunk in chunks_of(intake, IntakeRow.Kind.NEW, after):
        _add(chunk, types, actor)
    lock_ratings_if_needed(intake, after)
    for chunk in chunks_of(intake, IntakeRow.Kind.CHANGED, after):
        apply_changes(chunk, types, actor)
    return {"new": intake.new, "changed": intake.changed, "types": types.added}


def lock_ratings_if_needed(intake: Intake, after: int = 0) -> None:
    """Lock the ratings if a row changes data that they depend on."""
    changed = intake.rows.filter(kind=IntakeRow.Kind.CHANGED, pk__gt=after)
    if changed.filter(values__has_any_keys=[*RATING_FIELDS, *MEMBERSHIPS]).exists():
        lock_ratings()


class MembershipTypes:
    """Membership types by name; unknown ones are created."""

    def __init__(self) -> None:
        self.by_name = {one.name: one for one in MembershipType.objects.all()}
        self.added: list[str] = []

    def get_or_create(self, name: str) -> MembershipType:
        if name not in self.by_name:
            self.by_name[name] = MembershipType.objects.create(name=name)
            self.added.append(name)
        return self.by_name[name]


# New members


def _add(rows: list[IntakeRow], types: MembershipTypes, actor: User | None) -> None:
    _refuse_existing(rows)
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
            _membership(ids[row.key], term, types)
            for row in rows
            for term in membership_terms(row.values)
        ),
    )
    for name in ADDRESSES:
        emails = {ids[row.key]: row.values[name] for row in rows if name in row.values}
        _write_addresses(name, emails)
    _add_guardians(guardian_ids_by_child(rows, ids), actor)
    linked = {
        ids[row.key]: int(row.values["fide_id"])
        for row in rows
        if "fide_id" in row.values
    }
    if linked:
        copy_external_ratings(linked)  # new members have no rated events yet
    match_newcomers(list(Player.objects.filter(pk__in=ids.values())))


def _refuse_existing(rows: list[IntakeRow]) -> None:
    for row, member in _with_records(rows):
        if member is not None:
            raise ApplyRefused("changed_since", member_id=row.key, line=row.line)
    holders = fide_id_holders(row.values.get("fide_id", "") for row in rows)
    for row in rows:
        if row.values.get("fide_id") in holders:
            raise ApplyRefused("changed_since", member_id=row.key, line=row.line)


def _with_records(
    rows: list[IntakeRow],
) -> Iterable[tuple[IntakeRow, MemberRecord | None]]:
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
    values = (_as_stored(name, said.get(name, "")) for name in MEMBER_FIELDS)
    return (row.key, *values, *searched)


_DEFAULTS = {"residence": RESIDENCE, "status": str(Player.Status.ACTIVE)}


def _as_stored(name: str, text: str) -> Any:
    if name == "birth_date":
        return date.fromisoformat(text) if text else None
    if name == "birth_year":
        return int(text) if text else None
    if name == "fide_id":
        return text or None
    return text or _DEFAULTS.get(name, "")


def _membership(
    player_id: int, term: dict[str, str], types: MembershipTypes
) -> tuple[int, int, date, date]:
    starts, expires = map(date.fromisoformat, (term["starts"], term["expires"]))
    return player_id, types.get_or_create(term["type"]).pk, starts, expires


def _write_addresses(name: str, emails: dict[int, str]) -> None:
    """Replace email addresses by player; "" removes one."""
    if not emails:
        return
    model = ADDRESSES[name]
    model.objects.filter(player__in_array=emails).delete()
    now = timezone.now()
    rows = ((player_id, email, now) for player_id, email in emails.items() if email)
    copy_rows(model, _ADDRESS, rows)


def _add_guardians(wanted: dict[int, str], actor: User | None) -> None:
    """Make accounts guardians of children, found by the guardians' member IDs."""
    accounts = _accounts_of(wanted.values())
    for child in Player.objects.filter(pk__in_array=wanted):
        if account := accounts.get(wanted[child.pk]):
            add_guardian_account(player=child, account=account, actor=actor)


def _accounts_of(member_ids: Iterable[str]) -> dict[str, User]:
    members = Player.objects.filter(
        member_id__in=set(member_ids), account__isnull=False
    ).select_related("account")
    return {one.member_id: one.account for one in members if one.account}


def guardian_ids_by_child(
    rows: Iterable[IntakeRow], ids: dict[str, int]
) -> dict[int, str]:
    """Return the guardians' member IDs in rows of new members, by child."""
    return {
        ids[row.key]: row.values[GUARDIAN_ID]
        for row in rows
        if GUARDIAN_ID in row.values
    }


def remove_guardian_accounts(wanted: dict[int, str]) -> None:
    """Delete these guardian accounts of these children."""
    accounts = _accounts_of(wanted.values())
    for child, guardian in wanted.items():
        if account := accounts.get(guardian):
            GuardianAccount.objects.filter(
                player=child, account=account, ended_at=None
            ).delete()


# Changed members


def apply_changes(
    rows: list[IntakeRow],
    types: MembershipTypes,
    actor: User | None,
    *,
    is_undo: bool = False,
) -> None:
    """Apply the changes of these rows, or revert them with *is_undo*.

    Raise ApplyRefused, before anything is written, if a member no longer has the old
    values of its row.
    """
    if is_undo:
        rows = [_reversed(row) for row in rows]
    changed = [
        (row, _check_unchanged(row, member)) for row, member in _with_records(rows)
    ]
    _write_fields(changed)
    _write_memberships(changed, types)
    for name in ADDRESSES:
        _write_addresses(name, _values(changed, name))
    remove_guardian_accounts(_values(changed, GUARDIAN_ID, old=True))
    _add_guardians(_values(changed, GUARDIAN_ID), actor)
    _report_change(changed, actor)


def _reversed(row: IntakeRow) -> IntakeRow:
    """Return the row with old and new values exchanged."""
    values = {
        name: [pair[::-1] for pair in value] if name == "memberships" else value[::-1]
        for name, value in row.values.items()
    }
    return IntakeRow(line=row.line, key=row.key, values=values)


def _check_unchanged(row: IntakeRow, member: MemberRecord | None) -> MemberRecord:
    if member is None or member.merged_into:
        raise ApplyRefused("changed_since", member_id=row.key, line=row.line)
    for name, value in row.values.items():
        if name in MEMBERSHIPS:
            befores = [before for before, _ in membership_terms({name: value})]
            is_so = all(one is None or member.has_period(one) for one in befores)
        elif name == GUARDIAN_ID:
            before, after = value
            held = {"", *member.fields[name].split()}
            is_so = before in held and (not after or after not in held)
        else:
            is_so = member.fields[name] == value[0]
        if not is_so:
            raise ApplyRefused("changed_since", member_id=row.key, line=row.line)
    return member


ChangedMembers = list[tuple[IntakeRow, MemberRecord]]


def _values(changed: ChangedMembers, name: str, *, old: bool = False) -> dict[int, str]:
    """Return the new or old values of one field by member."""
    place = 0 if old else 1
    return {
        member.pk: row.values[name][place]
        for row, member in changed
        if name in row.values
    }


def _write_fields(changed: ChangedMembers) -> None:
    update_rows(
        Player,
        (*MEMBER_FIELDS, *_SEARCHED),
        [
            _updated_values(row, member)
            for row, member in changed
            if any(name in row.values for name in MEMBER_FIELDS)
        ],
    )


def _updated_values(row: IntakeRow, member: MemberRecord) -> tuple[Any, ...]:
    fields = dict(member.fields)
    for name in MEMBER_FIELDS:
        if name in row.values:
            fields[name] = row.values[name][1]
    # The columns of a new member, with the primary key instead of the member ID.
    _, *values = _player(IntakeRow(key=row.key, values=fields))
    return (*values, member.pk)


def _write_memberships(changed: ChangedMembers, types: MembershipTypes) -> None:
    pairs = [
        (member, before, after)
        for row, member in changed
        for before, after in membership_terms(row.values)
    ]
    gone = [member.period(before).pk for member, before, after in pairs if not after]
    Membership.objects.filter(pk__in_array=gone).delete()
    copy_rows(
        Membership,
        _MEMBERSHIP,
        [_membership(member.pk, after, types) for member, before, after in pairs
         if not before],
    )  # fmt: skip
    update_rows(
        Membership,
        _MEMBERSHIP,
        [(*_membership(member.pk, after, types), member.period(before).pk)
         for member, before, after in pairs if before and after],
    )  # fmt: skip


def _report_change(changed: ChangedMembers, actor: User | None) -> None:
    """Notify the ratings app of changed data that ratings depend on."""
    told = {
        member.pk: member
        for row, member in changed
        if any(name in row.values for name in RATING_FIELDS)
    }
    for player in Player.objects.filter(pk__in_array=told).iterator(chunk_size=2000):
        known = told[player.pk].fields
        before = {name: _as_stored(name, known[name]) for name in RATING_FIELDS}
        report_member_changes(player, before, actor)
    _report_adult_memberships(changed, actor)


def _report_adult_memberships(changed: ChangedMembers, actor: User | None) -> None:
    """Report adult memberships, which replace a missing birth date."""
    days: dict[int, date] = {}
    for row, member in changed:
        terms = [one for pair in membership_terms(row.values) for one in pair if one]
        if terms and not member.fields["birth_date"]:
            days[member.pk] = min(date.fromisoformat(one["starts"]) for one in terms)
    if not days:
        return
    concerned = rating_history().affected_by_rating(days, min(days.values()))
    adult = Membership.objects.filter(player__in_array=concerned, type__is_adult=True)
    for membership in adult.select_related("player", "type"):
        report_membership_change(membership, actor, days[membership.player_id])
