"""Undoes an import of members, unless other data depends on it."""

from collections.abc import Collection
from operator import itemgetter
from typing import Any

from django.db.models import Field, QuerySet

from players.fide.services.ratings import copy_external_ratings
from players.imports.kinds import ApplyRefused
from players.imports.queries import ADDRESSES, MemberRecord, membership_terms, on_record
from players.imports.services.apply import (
    MEMBERSHIPS,
    MembershipTypes,
    apply_changes,
    guardian_ids_by_child,
    lock_ratings_if_needed,
    remove_guardian_accounts,
)
from players.imports.services.staging import reversed_chunks
from players.members.services import MEMBER_FILE_LOCK
from players.models import Intake, IntakeRow, Membership, Player
from ratings_site.common.db.locks import acquire_lock
from ratings_site.common.models import User

# Imported with the member, and deleted with them.
IMPORTED_MODELS = (Membership, *ADDRESSES.values())


def undo(intake: Intake, actor: User | None) -> None:
    """Delete the new members and restore the old values of the changed ones."""
    acquire_lock(MEMBER_FILE_LOCK)
    lock_ratings_if_needed(intake)
    for chunk in reversed_chunks(intake, IntakeRow.Kind.CHANGED):
        apply_changes(chunk, MembershipTypes(), actor, is_undo=True)
    for chunk in reversed_chunks(intake, IntakeRow.Kind.NEW):
        _delete_members(chunk)


def _delete_members(rows: list[IntakeRow]) -> None:
    members = on_record([row.key for row in rows])
    for row in rows:
        if not _is_unchanged(row, members.get(row.key)):
            raise ApplyRefused("changed_since", member_id=row.key, line=row.line)
    ids = {member.pk: member.member_id for member in members.values()}
    numbers = {member.member_id: member.pk for member in members.values()}
    remove_guardian_accounts(guardian_ids_by_child(rows, numbers))
    copy_external_ratings(dict.fromkeys(ids))
    refuse_if_referenced(ids)
    for model in IMPORTED_MODELS:
        model.objects.filter(player__in_array=ids).delete()
    Player.objects.filter(pk__in_array=ids).delete()


def _is_unchanged(row: IntakeRow, member: MemberRecord | None) -> bool:
    if member is None or member.merged_into or member.account_id:
        return False
    fields = {k: text for k, text in row.values.items() if k not in MEMBERSHIPS}
    held = [one.as_json() for one in sorted(member.periods)]
    by_dates = itemgetter("expires", "starts", "type")
    expected = sorted(membership_terms(row.values), key=by_dates)
    as_said = all(member.fields[name] == text for name, text in fields.items())
    return as_said and held == expected


def refuse_if_referenced(ids: dict[int, str]) -> None:
    """Raise ApplyRefused if other data than the imported refers to one of the members.

    All relations to members are checked, so that models added later are included.
    """
    for relation in Player._meta.related_objects:
        if relation.related_model in IMPORTED_MODELS:
            continue
        if first := _first_reference(relation.related_model, relation.field, ids):
            raise ApplyRefused(
                "rested_on",
                member_id=ids[first],
                what=relation.related_model._meta.verbose_name,
            )


def _first_reference(
    model: Any, field: "Field[Any, Any]", ids: Collection[int]
) -> int | None:
    rows: QuerySet[Any] = model._base_manager.filter(**{f"{field.name}__in_array": ids})
    return rows.values_list(field.attname, flat=True).first()
