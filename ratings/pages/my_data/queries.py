"""All data stored about an account and its member, by table.

It is found by following all relations to the two, which includes models that are added
later.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from allauth.account.models import EmailAddress
from django.apps import apps
from django.db import models
from django.db.models import QuerySet

from events.models import Entry
from players.guardians.queries import age_class, linked_members, notice_recipients
from players.members.queries import same_person_ids
from players.models import Claim, Contact, Follow, ForgetRequest, IntakeRow, Player
from ratings.engine.systems import System
from ratings.models import RatingChange, Run, RunDifference
from ratings_site.common.accounts.permissions import LOCAL_APPS
from ratings_site.common.models import AuditEntry, User

# Secrets that would give access to anyone who finds the file.
SECRET_FIELDS = ("password", "secret", "token", "digest", "key", "salt")
# They would tell a requester whether a guessed birth date is right, and whether an
# address is on record.
OFFICE_FIELDS = {"birth_date_agrees", "mailed_at"}
ADDRESS = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+\.\w+")
# Shown elsewhere in the archive, with event names and the results of rerates. Of
# follows, an account gets its own, not who follows the member.
EXCLUDED_TABLES = {
    *("ratings.ratingchange", "events.entry", "ratings.rundifference"),
    "players.follow",
}
# The foreign keys of an account's own rows. Others refer to the account as the actor in
# other people's data, so those rows are only counted.
OWNER_FIELDS = {"account", "owner", "user"}

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one kind: *name* as the admin calls it, *rows* by field."""

    name: str
    rows: list[Row]

    @property
    def columns(self) -> list[str]:
        return list(self.rows[0])


def stored_data(user: User) -> list[Table]:
    """Return the data stored about the account and its linked members."""
    own = [
        Table("account", [_row(user, user)]),
        Table("email addresses", _rows(EmailAddress, user, {"user": user})),
        Table("followed players", _rows(Follow, user, {"account": user})),
    ]
    same = same_person_ids(player.pk for player in linked_members(user))
    numbers = [number for of_one in same.values() for number in of_one]
    if numbers:
        people = Player.objects.filter(pk__in=numbers)
        about = [
            Table("member", [_row(player, user) for player in people]),
            Table("entries", list(_entries(numbers))),
            Table("ratings", list(_ratings(numbers))),
            Table("ratings changed by rerates", list(_revised(numbers))),
            Table("acts about the member", _audit_entries(numbers, user)),
            Table("rows of files", _import_rows(people, user)),
            *_about_member(numbers, user),
        ]
        known = _own_addresses(user)
        own += [Table(one.name, _hide_others(one.rows, known)) for one in about]
    own += _about_account(user)
    return [table for table in own if table.rows]


def _own_addresses(user: User) -> set[str]:
    """Return the account's verified addresses, and the one on record of an adult."""
    own = EmailAddress.objects.filter(user=user, verified=True).values_list("email")
    player = getattr(user, "player", None)
    if player and age_class(player.latest_birth_date) == "of age":
        own = own.union(Contact.objects.filter(player=player).values_list("email"))
    return {email.casefold() for (email,) in own}


def _hide_others(value: Any, known: set[str]) -> Any:
    """Replace email addresses that are not *known*, in text and in what contains it."""
    if isinstance(value, dict):
        return {name: _hide_others(one, known) for name, one in value.items()}
    if isinstance(value, list):
        return [_hide_others(one, known) for one in value]
    for address in ADDRESS.findall(value) if isinstance(value, str) else ():
        if address.casefold() not in known:
            value = value.replace(address, "another address")
    return value


def _about_member(numbers: list[int], user: User) -> Iterator[Table]:
    for model, field in references(Player):
        rows = _rows(model, user, {f"{field.name}__in": numbers})
        yield Table(_table_name(model, field), rows)


def _about_account(user: User) -> Iterator[Table]:
    acted = []
    for model, field in references(User):
        if field.name in OWNER_FIELDS:
            rows = _rows(model, user, {field.name: user})
            yield Table(_table_name(model, field), rows)
        elif number := model._base_manager.filter(**{field.name: user}).count():
            acted.append({"table": _table_name(model, field), "rows": number})
    yield Table("acts of this account", acted)


def _table_name(model: type[models.Model], field: "models.ForeignKey[Any, Any]") -> str:
    return f"{model._meta.verbose_name_plural} ({field.verbose_name})"


def references(
    target: type[models.Model],
) -> list[tuple[type[models.Model], "models.ForeignKey[Any, Any]"]]:
    """Return the models with a foreign key to *target*, and the field."""
    return [
        (model, field)
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label in LOCAL_APPS
        if model._meta.label_lower not in EXCLUDED_TABLES
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
        and not (isinstance(one, Claim) and field.name in OFFICE_FIELDS)
        and not any(word in field.name for word in SECRET_FIELDS)
    }


def _value(one: models.Model, field: "models.Field[Any, Any]", user: User) -> Any:
    """Return a stored value, without other accounts and their messages."""
    if field.related_model is User:
        account = getattr(one, field.attname)
        return {None: None, user.pk: "you"}.get(account, "another account")
    if field.related_model is Player:
        return str(getattr(one, field.name) or "")
    value = field.value_from_object(one)
    if isinstance(one, Claim) and field.name == "text" and one.account_id != user.pk:
        return value and "not shown"
    if field.name == "facts" and value.get("account", user.username) != user.username:
        return {**value, "account": "another account"}
    is_plain = isinstance(value, int | float | str | date | dict | list | None)
    return value if is_plain else str(value)


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
        player__in=numbers, run__status__in=Run.PUBLISHED_STATUSES
    )
    for row in differences.select_related("run").order_by("pk"):
        yield {
            "rerate": str(row.run),
            "system": str(System(row.system).label),
            "before": row.before,
            "after": row.after,
        }


def _import_rows(people: QuerySet[Player], user: User) -> list[Row]:
    """Return the rows of imported files, which identify members by ID."""
    member_ids = people.values_list("member_id", flat=True)
    return _rows(IntakeRow, user, {"key__in": list(member_ids)})


def _audit_entries(numbers: list[int], user: User) -> list[Row]:
    ids = [str(number) for number in numbers]
    wanted = {"subject_type": Player._meta.label_lower, "subject_id__in": ids}
    return _rows(AuditEntry, user, wanted)


# Deletion requests


def pending_deletion_requests() -> QuerySet[ForgetRequest]:
    """Return the requests that the office has to decide, oldest first."""
    asked = ForgetRequest.objects.open()
    return asked.select_related("player", "account__player").order_by("asked_at", "pk")


def still_linked(deletion_requests: Iterable[ForgetRequest]) -> set[int]:
    """Return requests whose accounts are still linked to the member (two queries)."""
    asked = list(deletion_requests)
    readers = notice_recipients({one.player_id for one in asked})
    return {
        one.pk
        for one in asked
        if one.account_id in {reader.account for reader in readers[one.player_id]}
    }


def decided_deletion_requests() -> QuerySet[ForgetRequest]:
    return ForgetRequest.objects.decided().select_related("player", "decided_by")
