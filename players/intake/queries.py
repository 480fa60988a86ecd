"""What is on record of members, and what pages read of files that move in."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

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

# The fields of a member that a row may name, as they are called in both.
OF_THE_RECORD = (
    "given_name",
    "family_name",
    "suffix",
    "birth_date",
    "gender",
    "state",
    "residence",
    "federation",
    "fide_id",
    "status",
)
ADDRESSES = {"email": Contact, "guardian_email": Guardian}
FIELDS = (*OF_THE_RECORD, *ADDRESSES)
# The members whose accounts speak for somebody, by their IDs with blanks between.
GUARDIAN_ID = "guardian_id"


@dataclass(frozen=True, slots=True, order=True)
class Stretch:
    """The days of a membership, and its type by name."""

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


@dataclass(slots=True)
class OnRecord:
    """A member as the office knows them: fields as texts, dates as in ISO 8601."""

    pk: int
    member_id: str
    fields: dict[str, str]
    merged_into: str = ""
    account_id: int | None = None
    stretches: list[Stretch] = field(default_factory=list)

    def stretch(self, said: dict[str, str]) -> Stretch | None:
        return next((one for one in self.stretches if one.as_json() == said), None)


def on_record(member_ids: Collection[str]) -> dict[str, OnRecord]:
    """Return the members with these IDs, in five queries however many they are."""
    rows = Player.objects.filter(member_id__in=member_ids).values_list(
        "pk", "member_id", "merged_into__member_id", "account_id", *OF_THE_RECORD
    )
    found: dict[int, OnRecord] = {}
    for pk, member_id, merged_into, account_id, *values in rows:
        fields = dict(zip(OF_THE_RECORD, map(_as_text, values), strict=True))
        found[pk] = OnRecord(pk, member_id, fields, merged_into or "", account_id)
    if found:
        _add_addresses(found)
        _add_guardians(found)
        _add_stretches(found)
    return {member.member_id: member for member in found.values()}


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return value.isoformat() if isinstance(value, date) else str(value)


def _add_addresses(found: dict[int, OnRecord]) -> None:
    for name, model in ADDRESSES.items():
        for member in found.values():
            member.fields[name] = ""
        rows = model.objects.filter(player__among=found)
        for player_id, email in rows.values_list("player_id", "email"):
            found[player_id].fields[name] = email


def _add_guardians(found: dict[int, OnRecord]) -> None:
    for member in found.values():
        member.fields[GUARDIAN_ID] = ""
    rows = GuardianAccount.objects.filter(player__among=found, ended_at=None)
    for player_id, guardian in rows.values_list(
        "player_id", "account__player__member_id"
    ):
        before = found[player_id].fields[GUARDIAN_ID]
        found[player_id].fields[GUARDIAN_ID] = f"{before} {guardian or ''}".strip()


def _add_stretches(found: dict[int, OnRecord]) -> None:
    rows = Membership.objects.filter(player__among=found)
    for player_id, *told in rows.values_list(
        "player_id", "expires", "starts", "type__name", "pk"
    ):
        found[player_id].stretches.append(Stretch(*told))


@dataclass(frozen=True, slots=True)
class GuardianOnRecord:
    """A member whom a row names as a guardian."""

    merged_into: str = ""
    birth_date: date | None = None
    has_account: bool = False
    email: str = ""


def guardians_on_record(member_ids: Collection[str]) -> dict[str, GuardianOnRecord]:
    rows = Player.objects.filter(member_id__in=member_ids).values_list(
        "member_id",
        "merged_into__member_id",
        "birth_date",
        "account_id",
        "contact__email",
        "account__email",
    )
    return {
        member_id: GuardianOnRecord(
            merged or "", born, bool(account), contact or email or ""
        )
        for member_id, merged, born, account, contact, email in rows
    }


def namesakes(search_names: Iterable[str]) -> dict[tuple[str, str], str]:
    """Return who has these names: {(name as searched, birth date): member ID}."""
    rows = Player.objects.filter(
        search_name__in=set(search_names), merged_into=None, birth_date__isnull=False
    )
    return {
        (name, born.isoformat()): member_id
        for name, born, member_id in rows.values_list(
            "search_name", "birth_date", "member_id"
        )
    }


def holders_of(fide_ids: Iterable[str]) -> dict[str, str]:
    """Return who has these FIDE IDs: {FIDE ID: member ID}."""
    rows = Player.objects.filter(fide_id__in=set(fide_ids))
    return dict(rows.values_list("fide_id", "member_id"))


# Pages


def intakes() -> QuerySet[Intake]:
    return Intake.objects.select_related("received_by")


def last_options() -> dict[str, str]:
    """Return what was chosen beside the last archive that was entered.

    The day from which history is ours is the office's, if it has stated one.
    """
    entered = Intake.objects.filter(
        kind=Intake.Kind.HISTORY, state=Intake.State.ENTERED
    )
    said = list(entered.values_list("options", flat=True))
    days = (options["ours_from"] for options in said if options.get("ours_from"))
    day = office_day() or next(days, "")
    return {**(said[0] if said else {}), **({"ours_from": day} if day else {})}


def office_day() -> str:
    """Return the day from which the office says that history is its own."""
    day = Office.objects.values_list("ours_from", flat=True).first()
    return day.isoformat() if day else ""


def refused_rows(intake: Intake) -> Iterator[IntakeRow]:
    rows = intake.rows.filter(kind=IntakeRow.Kind.REFUSED).order_by("line")
    return rows.iterator(chunk_size=2000)


SAMPLES = 20


def sample(intake: Intake, kind: str) -> list[IntakeRow]:
    """Return the first rows of one kind."""
    return list(intake.rows.filter(kind=kind)[:SAMPLES])


def suspects(intake: Intake) -> list[IntakeRow]:
    """Return the first rows that seem to be somebody who is known."""
    return list(intake.rows.exclude(twin="")[:SAMPLES])
