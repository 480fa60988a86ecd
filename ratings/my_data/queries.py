"""All that is stored about an account and its member, table by table.

It is found by following every reference to the two from any table of ours, so that a
table that is added later cannot be forgotten.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from allauth.account.models import EmailAddress
from django.apps import apps
from django.db import models
from django.db.models import Q, QuerySet

from events.models import Entry
from players.guardians.queries import children_of, readers_of
from players.members.queries import same_person_ids
from players.models import ForgetRequest, IntakeRow, Player
from ratings.engine.systems import System
from ratings.models import RatingChange, Run, RunDifference
from ratings_site.common.accounts.permissions import OUR_APPS
from ratings_site.common.models import AuditEntry, User

# What would open a door to anybody who finds the file.
SECRET = ("password", "secret", "token", "digest", "key", "salt")
# Told with the names of events beside them; and of rerates what came of them.
TOLD_OTHERWISE = {"ratings.ratingchange", "events.entry", "ratings.rundifference"}
# An account's own rows. Any other reference to it says that it acted on something,
# which is somebody else's: of these only the number is told.
OWN = {"account", "owner", "user"}

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one kind: *name* as the admin calls it, *rows* by field."""

    name: str
    rows: list[Row]

    @property
    def columns(self) -> list[str]:
        return list(self.rows[0])


def held_about(user: User) -> list[Table]:
    """Return what is stored about the account and the members it speaks for."""
    own = [
        Table("account", [_row(user, user)]),
        Table("e-mail addresses", _rows(EmailAddress, user, {"user": user})),
    ]
    people = Player.objects.filter(
        Q(account=user)
        | Q(guardian_accounts__account=user, guardian_accounts__ended_at=None)
    ).distinct()
    same = same_person_ids(people.values_list("pk", flat=True))
    numbers = [number for of_one in same.values() for number in of_one]
    if numbers:
        people = Player.objects.filter(pk__in=numbers)
        own += [
            Table("member", [_row(player, user) for player in people]),
            Table("entries", list(_entries(numbers))),
            Table("ratings", list(_ratings(numbers))),
            Table("ratings changed by rerates", list(_revised(numbers))),
            Table("acts about the member", _acts_about(numbers, user)),
            Table("rows of files", _rows_of_files(people, user)),
            *_about_member(numbers, user),
        ]
    own += _about_account(user)
    return [table for table in own if table.rows]


def _about_member(numbers: list[int], user: User) -> Iterator[Table]:
    for model, field in references(Player):
        rows = _rows(model, user, {f"{field.name}__in": numbers})
        yield Table(_called(model, field), rows)


def _about_account(user: User) -> Iterator[Table]:
    acted = []
    for model, field in references(User):
        if field.name in OWN:
            yield Table(_called(model, field), _rows(model, user, {field.name: user}))
        elif number := model._base_manager.filter(**{field.name: user}).count():
            acted.append({"table": _called(model, field), "rows": number})
    yield Table("acts of this account", acted)


def _called(model: type[models.Model], field: models.ForeignKey) -> str:
    return f"{model._meta.verbose_name_plural} ({field.verbose_name})"


def references(
    target: type[models.Model],
) -> list[tuple[type[models.Model], models.ForeignKey]]:
    """Return each table of ours that names a *target*, and the field that does."""
    return [
        (model, field)
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label in OUR_APPS
        if model._meta.label_lower not in TOLD_OTHERWISE
        for field in model._meta.concrete_fields
        if isinstance(field, models.ForeignKey) and field.related_model is target
    ]


def _rows(model: type[models.Model], user: User, wanted: dict[str, Any]) -> list[Row]:
    people = [
        field.name
        for field in model._meta.concrete_fields
        if field.related_model in (Player, User)
    ]
    found = model._base_manager.filter(**wanted).select_related(*people).order_by("pk")
    return [_row(one, user) for one in found]


def _row(one: models.Model, user: User) -> Row:
    return {
        field.name: _value(one, field, user)
        for field in one._meta.concrete_fields
        if not isinstance(field, models.BinaryField)
        and not any(word in field.name for word in SECRET)
    }


def _value(one: models.Model, field: models.Field, user: User) -> Any:
    """Return a value as it is stored; other accounts are not named."""
    if field.related_model is User:
        account = getattr(one, field.attname)
        return {None: None, user.pk: "you"}.get(account, "another account")
    if field.related_model is Player:
        return str(getattr(one, field.name) or "")
    value = field.value_from_object(one)
    plain = value is None or isinstance(
        value, bool | int | float | str | date | datetime | dict | list
    )
    return value if plain else str(value)


def _entries(numbers: list[int]) -> Iterator[Row]:
    entries = Entry.objects.filter(player__in=numbers).select_related("section__event")
    for entry in entries.order_by("pk"):
        yield {
            "event": str(entry.section.event),
            "section": entry.section.number,
            "pairing number": entry.pairing_number,
            "name as reported": entry.reported_name,
            "state as reported": entry.reported_state,
        }


def _ratings(numbers: list[int]) -> Iterator[Row]:
    lines = RatingChange.objects.filter(
        player__in=numbers, calculation__is_current=True
    ).select_related(
        "calculation__section__event",
        "calculation__opening__player",
        "calculation__adjustment__player",
        "calculation__foreign__event",
    )
    for line in lines.order_by("pk"):
        yield {
            "system": str(System(line.calculation.system).label),
            "day": line.calculation.age_day,
            "source": str(line.calculation.source),
            "before": line.pre_rating,
            "after": line.post_rating,
            "games": line.post_games,
        }


def _revised(numbers: list[int]) -> Iterator[Row]:
    differences = RunDifference.objects.filter(
        player__in=numbers, run__status__in=Run.WAS_PUBLISHED
    )
    for row in differences.select_related("run").order_by("pk"):
        yield {
            "rerate": str(row.run),
            "system": str(System(row.system).label),
            "before": row.before,
            "after": row.after,
        }


def _rows_of_files(people: QuerySet[Player], user: User) -> list[Row]:
    """Return what files that were taken in said: they name members by their IDs."""
    member_ids = people.values_list("member_id", flat=True)
    return _rows(IntakeRow, user, {"key__in": list(member_ids)})


def _acts_about(numbers: list[int], user: User) -> list[Row]:
    return _rows(
        AuditEntry,
        user,
        {
            "subject_type": Player._meta.label_lower,
            "subject_id__in": [str(number) for number in numbers],
        },
    )


# Wishes to be forgotten


def spoken_for(account: User) -> list[Player]:
    """Return the own member and the children in care."""
    own = getattr(account, "player", None)
    return [*([own] if own else []), *children_of(account)]


def waiting_wishes() -> QuerySet[ForgetRequest]:
    """Return what the office has to decide, the oldest first."""
    asked = ForgetRequest.objects.filter(state=ForgetRequest.State.ASKED)
    return asked.select_related("player", "account__player").order_by("asked_at", "pk")


def meant(wishes: Iterable[ForgetRequest]) -> set[int]:
    """Return those whose accounts still speak for the member (two queries)."""
    wishes = list(wishes)
    readers = readers_of({wish.player_id for wish in wishes})
    return {
        wish.pk
        for wish in wishes
        if any(one.account == wish.account_id for one in readers[wish.player_id])
    }


def decided_wishes() -> QuerySet[ForgetRequest]:
    decided = ForgetRequest.objects.exclude(state=ForgetRequest.State.ASKED)
    return decided.select_related("player", "decided_by").order_by("-decided_at", "-pk")
