"""Taking back what was entered of members, as long as nothing rests on it."""

from collections.abc import Collection
from typing import Any

from django.db.models import Field, QuerySet

from players.fide.services.ratings import copy_external_ratings
from players.intake.kinds import NotEntered
from players.intake.queries import ADDRESSES, OnRecord, on_record
from players.intake.services.entering import (
    Types,
    change,
    guardians_in,
    hold_ratings_if_told,
    take_guardians_away,
)
from players.intake.services.staging import chunks_of
from players.members.services import BY_FILE
from players.models import Intake, IntakeRow, Membership, Player
from ratings_site.common.database.locks import hold
from ratings_site.common.models import User

# What came with the member from the file, and goes with them.
OF_THE_FILE = (Membership, *ADDRESSES.values())


def undo(intake: Intake, actor: User | None) -> None:
    """Take the new members away and give the changed ones back what they had."""
    hold(BY_FILE)
    hold_ratings_if_told(intake)
    for chunk in chunks_of(intake, IntakeRow.Kind.CHANGED):
        change(chunk, Types(), actor, back=True)
    for chunk in chunks_of(intake, IntakeRow.Kind.NEW):
        _take_away(chunk)


def _take_away(rows: list[IntakeRow]) -> None:
    members = on_record([row.key for row in rows])
    for row in rows:
        if not _is_as_entered(row, members.get(row.key)):
            raise NotEntered("changed_since", member_id=row.key, line=row.line)
    ids = {member.pk: member.member_id for member in members.values()}
    numbers = {member.member_id: member.pk for member in members.values()}
    take_guardians_away(guardians_in(rows, numbers))
    copy_external_ratings(dict.fromkeys(ids))
    refuse_what_is_rested_on(ids)
    for model in OF_THE_FILE:
        model.objects.filter(player__among=ids).delete()
    Player.objects.filter(pk__among=ids).delete()


def _is_as_entered(row: IntakeRow, member: OnRecord | None) -> bool:
    if member is None or member.merged_into or member.account_id:
        return False
    said = dict(row.values)
    stretch = said.pop("membership", None)
    held = [one.as_json() for one in member.stretches]
    as_said = all(member.fields[name] == text for name, text in said.items())
    return as_said and held == ([stretch] if stretch else [])


def refuse_what_is_rested_on(ids: dict[int, str]) -> None:
    """Refuse if anything but what came with them belongs to one of these members.

    All that refers to members is looked at, so that whatever is added to the office
    later is not forgotten here.
    """
    for relation in Player._meta.related_objects:
        if relation.related_model in OF_THE_FILE:
            continue
        if first := _first_of(relation.related_model, relation.field, ids):
            raise NotEntered(
                "rested_on",
                member_id=ids[first],
                what=relation.related_model._meta.verbose_name,
            )


def _first_of(model: Any, field: Field, ids: Collection[int]) -> int | None:
    rows: QuerySet = model._base_manager.filter(**{f"{field.name}__among": ids})
    return rows.values_list(field.attname, flat=True).first()
