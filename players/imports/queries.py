"""Member records to compare rows with, and queries for the import pages."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.db.models import QuerySet

from players.models import (
    Contact,
    Guardian,
    GuardianAccount,
    Intake,
    IntakeRow,
    Membership,
    Player,
)
from ratings_site.common.models import Office

# Fields that a row may have, with the same names as on the member.
MEMBER_FIELDS = (
    "given_name",
    "family_name",
    "suffix",
    "birth_date",
    "birth_year",
    "gender",
    "state",
    "residence",
    "federation",
    "fide_id",
    "status",
)
ADDRESSES: dict[str, type[Contact] | type[Guardian]] = {
    "email": Contact,
    "guardian_email": Guardian,
}
FIELDS = (*MEMBER_FIELDS, *ADDRESSES)
# The member IDs of a member's guardians, separated by spaces.
GUARDIAN_ID = "guardian_id"


@dataclass(frozen=True, slots=True, order=True)
class MembershipPeriod:
    """The dates of a membership, and its type by name."""

    expires: date
    starts: date
    type: str
    pk: int = field(default=0, compare=False)

    def as_json(self) -> dict[str, str]:
        return {
            "type": self.type,
            "starts": self.starts.isoformat(),
            "expires": self.expires.isoformat(),
        }


def membership_terms(values: Mapping[str, Any]) -> list[Any]:
    """Return the memberships of a row; for a changed member, pairs of old and new."""
    last = [values["membership"]] if "membership" in values else []
    return [*last, *values.get("memberships", ())]


@dataclass(slots=True)
class MemberRecord:
    """A member on record: fields as text, dates in ISO 8601."""

    pk: int
    member_id: str
    fields: dict[str, str]
    merged_into: str = ""
    account_id: int | None = None
    periods: list[MembershipPeriod] = field(default_factory=list)

    def has_period(self, term: dict[str, str]) -> bool:
        return any(one.as_json() == term for one in self.periods)

    def period(self, term: dict[str, str]) -> MembershipPeriod:
        return next(one for one in self.periods if one.as_json() == term)


def on_record(member_ids: Collection[str]) -> dict[str, MemberRecord]:
    """Return the members with these IDs, in five queries for any number."""
    rows = Player.objects.filter(member_id__in=member_ids).values_list(
        "pk", "member_id", "merged_into__member_id", "account_id", *MEMBER_FIELDS
    )
    found: dict[int, MemberRecord] = {}
    for pk, member_id, merged_into, account_id, *values in rows:
        fields = dict(zip(MEMBER_FIELDS, map(_as_text, values), strict=True))
        fields |= dict.fromkeys((*ADDRESSES, GUARDIAN_ID), "")
        found[pk] = MemberRecord(pk, member_id, fields, merged_into or "", account_id)
    if found:
        _add_addresses(found)
        _add_guardians(found)
        _add_periods(found)
    return {member.member_id: member for member in found.values()}


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return value.isoformat() if isinstance(value, date) else str(value)


def _add_addresses(found: dict[int, MemberRecord]) -> None:
    for name, model in ADDRESSES.items():
        rows = model.objects.filter(player__in_array=found)
        for player_id, email in rows.values_list("player_id", "email"):
            found[player_id].fields[name] = email


def _add_guardians(found: dict[int, MemberRecord]) -> None:
    rows = GuardianAccount.objects.filter(player__in_array=found, ended_at=None)
    for player_id, guardian in rows.values_list(
        "player_id", "account__player__member_id"
    ):
        before = found[player_id].fields[GUARDIAN_ID]
        found[player_id].fields[GUARDIAN_ID] = f"{before} {guardian or ''}".strip()


def _add_periods(found: dict[int, MemberRecord]) -> None:
    rows = Membership.objects.filter(player__in_array=found)
    for player_id, expires, starts, name, pk in rows.values_list(
        "player_id", "expires", "starts", "type__name", "pk"
    ):
        found[player_id].periods.append(MembershipPeriod(expires, starts, name, pk))


def members_by_id(member_ids: Collection[str]) -> dict[str, Player]:
    """Return members with the data that decides whether they can be guardians."""
    rows = Player.objects.filter(member_id__in=member_ids)
    related = rows.select_related("merged_into", "contact", "account")
    return {player.member_id: player for player in related}


def namesakes(search_names: Iterable[str]) -> dict[tuple[str, str], str]:
    """Return the members by name: {(search name, birth date): member ID}."""
    rows = Player.objects.filter(
        search_name__in=set(search_names), merged_into=None, birth_date__isnull=False
    )
    return {
        (name, born.isoformat()): member_id
        for name, born, member_id in rows.values_list(
            "search_name", "birth_date", "member_id"
        )
        if born
    }


def fide_id_holders(fide_ids: Iterable[str]) -> dict[str, str]:
    """Return the members with these FIDE IDs: {FIDE ID: member ID}."""
    rows = Player.objects.filter(fide_id__in=set(fide_ids))
    pairs = rows.values_list("fide_id", "member_id")
    return {fide_id: member_id for fide_id, member_id in pairs if fide_id}


# Pages


def intakes() -> QuerySet[Intake]:
    return Intake.objects.select_related("received_by")


def last_options() -> dict[str, str]:
    """Return the options of the last archive that was applied.

    The day from which events are rated here is the office's, if it is set.
    """
    entered = Intake.objects.filter(
        kind=Intake.Kind.HISTORY, state=Intake.State.ENTERED
    )
    said = list(entered.values_list("options", flat=True))
    days = (options["ours_from"] for options in said if options.get("ours_from"))
    day = office_start_date() or next(days, "")
    return {**(said[0] if said else {}), **({"ours_from": day} if day else {})}


def office_start_date() -> str:
    """Return the first day of events rated here, as set for the office."""
    day = Office.objects.values_list("ours_from", flat=True).first()
    return day.isoformat() if day else ""


def refused_rows(intake: Intake) -> Iterator[IntakeRow]:
    rows = intake.rows.filter(kind=IntakeRow.Kind.REFUSED).order_by("line")
    return rows.iterator(chunk_size=2000)


SAMPLES = 20


def sample(intake: Intake, kind: str) -> list[IntakeRow]:
    """Return the first rows of one kind."""
    return list(intake.rows.filter(kind=kind)[:SAMPLES])


def possible_duplicates(intake: Intake) -> list[IntakeRow]:
    """Return the first rows that may duplicate a known person."""
    return list(intake.rows.exclude(twin="")[:SAMPLES])
