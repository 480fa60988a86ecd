"""The dry run of a file of members: what each row would do."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.utils import timezone

from players.guardians.notices import is_child, is_of_age
from players.importers.members import (
    GuardianInFile,
    MemberRow,
    RefusedRow,
    read_guardians,
    read_members,
)
from players.importers.tables import Refused
from players.intake.kinds import Beat
from players.intake.queries import (
    FIELDS,
    GUARDIAN_ID,
    GuardianOnRecord,
    OnRecord,
    Stretch,
    guardians_on_record,
    holders_of,
    namesakes,
    on_record,
)
from players.intake.services.receiving import columns_of, path_of
from players.intake.services.staging import UNCHANGED, Judged, refused, stage
from players.models import Intake, IntakeRow, MembershipType, Player
from ratings_site.common.names.sounds import searchable

# What of a member on record the office decides, and no feed.
OWNED_BY_THE_OFFICE = ("status", "fide_id")
DEFAULT_TYPE = "Member"


def read(intake: Intake, beat: Beat) -> None:
    """Say of each row of a file what it would do."""
    today = timezone.localdate()
    table, rows = read_members(path_of(intake), today, columns_of(intake))
    intake.on_record = Player.objects.count()
    judge = Judge(today)
    if "guardian_id" in table.columns:
        judge.guardians = read_guardians(path_of(intake), today, columns_of(intake))
    stage(intake, table, rows, judge.judged, beat)


@dataclass(slots=True)
class Judge:
    """Compares rows with the records, and with the rows before them."""

    today: date
    by_feed: bool = False
    # Where each was seen first: numbers and hashes, so that a million rows fit.
    lines: dict[int, int] = field(default_factory=dict)
    fide_ids: dict[int, int] = field(default_factory=dict)
    people: dict[int, int] = field(default_factory=dict)
    # Guardians whom the file brings itself, by their member IDs.
    guardians: dict[str, GuardianInFile] = field(default_factory=dict)
    # How types of membership are written, by their letters without case.
    types: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in MembershipType.objects.values_list("name", flat=True):
            self.types[name.casefold()] = name

    def judged(self, rows: Iterable[MemberRow | RefusedRow]) -> list[Judged]:
        rows = list(rows)
        known = _Known([row for row in rows if isinstance(row, MemberRow)])
        return [self._judge(row, known) for row in rows]

    def _judge(self, row: MemberRow | RefusedRow, known: "_Known") -> Judged:
        if isinstance(row, RefusedRow):
            return refused(row.line, row.member_id, row.cells, row.reason)
        try:
            return self._compared(row, known)
        except Refused as refusal:
            return refused(row.line, row.member_id, row.cells, refusal.reason)

    def _compared(self, row: MemberRow, known: "_Known") -> Judged:
        self._refuse_repeated(row)
        member = known.members.get(row.member_id)
        if member is None:
            return self._new(row, known)
        if member.merged_into:
            raise Refused("member_is_merged", other=member.merged_into)
        return self._changed(row, member, known)

    def _refuse_repeated(self, row: MemberRow) -> None:
        """Of two rows with one ID the first counts; the same with FIDE IDs."""
        first = self.lines.setdefault(int(row.member_id), row.line)
        if first != row.line:
            raise Refused("member_id_twice", line=first)
        if not row.fide_id:
            return
        first = self.fide_ids.setdefault(int(row.fide_id), row.line)
        if first != row.line:
            raise Refused("fide_id_twice", fide_id=row.fide_id, line=first)

    def _new(self, row: MemberRow, known: "_Known") -> Judged:
        if not row.family_name:
            raise Refused("new_without_name")
        known.refuse_fide_id_of_another(row)
        values: dict[str, Any] = _said(row) | self._guardian(row, None, known)
        _, stretch = membership_wanted([], row, self._type(row), self.today)
        if stretch is not None:
            values["membership"] = stretch.as_json()
        twin = self._twin(row, known)
        return Judged(IntakeRow.Kind.NEW, row.line, row.member_id, values, twin=twin)

    def _type(self, row: MemberRow) -> str:
        if not row.membership:
            return ""
        return self.types.setdefault(row.membership.casefold(), row.membership)

    def _twin(self, row: MemberRow, known: "_Known") -> str:
        """Return the member or line with the same name and birth date."""
        if row.birth_date is None:
            return ""
        person = (_search_name(row), row.birth_date.isoformat())
        first = self.people.setdefault(hash(person), row.line)
        if first != row.line:
            return f":{first}"
        return known.namesakes.get(person, "")

    def _changed(self, row: MemberRow, member: OnRecord, known: "_Known") -> Judged:
        _refuse_other_birth_year(row, member)
        wanted = _said(row) | self._guardian(row, member, known)
        if self.by_feed:
            for name in OWNED_BY_THE_OFFICE:
                wanted.pop(name, None)
        changes: dict[str, Any] = {
            name: [member.fields[name], text]
            for name, text in wanted.items()
            if name != GUARDIAN_ID and member.fields[name] != text
        }
        if GUARDIAN_ID in wanted:
            # Somebody may have several guardians; this one is added.
            changes[GUARDIAN_ID] = ["", wanted[GUARDIAN_ID]]
        if "fide_id" in changes:
            if member.fields["fide_id"]:
                raise Refused("fide_id_differs", known=member.fields["fide_id"])
            known.refuse_fide_id_of_another(row)
        before, after = membership_wanted(
            member.stretches, row, self._type(row), self.today
        )
        if after is not None and before != after:
            held = before.as_json() if before else None
            changes["membership"] = [held, after.as_json()]
        kind = IntakeRow.Kind.CHANGED if changes else UNCHANGED
        return Judged(kind, row.line, row.member_id, changes)

    def _guardian(
        self, row: MemberRow, member: OnRecord | None, known: "_Known"
    ) -> dict[str, str]:
        """Return what a guardian's own member ID means: an address, an account's word.

        For somebody of age it means nothing.
        """
        known_day = member.fields["birth_date"] if member else ""
        birth_date = row.birth_date or (
            date.fromisoformat(known_day) if known_day else None
        )
        if not row.guardian_id or is_of_age(birth_date, self.today):
            return {}
        guardian = known.guardians.get(row.guardian_id)
        in_file = self.guardians.get(row.guardian_id)
        # Without a name nobody becomes a member.
        if guardian is None and not (in_file and in_file.has_name):
            raise Refused("guardian_unknown", cell=row.guardian_id)
        guardian = guardian or GuardianOnRecord()
        if guardian.merged_into:
            raise Refused("guardian_is_merged", other=guardian.merged_into)
        days = [guardian.birth_date, in_file.birth_date if in_file else None]
        if any(is_child(day, self.today) for day in days):
            raise Refused("guardian_is_a_child", cell=row.guardian_id)
        said: dict[str, str] = {}
        held = member.fields if member else {}
        if not row.guardian_email and not held.get("guardian_email"):
            email = guardian.email or (in_file.email if in_file else "")
            if not email:
                raise Refused("guardian_without_email", cell=row.guardian_id)
            said["guardian_email"] = email
        speaks = row.guardian_id in held.get(GUARDIAN_ID, "").split()
        if guardian.has_account and not speaks:
            said[GUARDIAN_ID] = row.guardian_id
        return said


class _Known:
    """What the records say of a chunk of rows, read in a handful of queries."""

    def __init__(self, rows: list[MemberRow]) -> None:
        self.members = on_record([row.member_id for row in rows])
        self.guardians = guardians_on_record(
            {row.guardian_id for row in rows if row.guardian_id}
        )
        self.holders = holders_of(row.fide_id for row in rows if row.fide_id)
        self.namesakes = namesakes(
            _search_name(row)
            for row in rows
            if row.birth_date and row.member_id not in self.members
        )

    def refuse_fide_id_of_another(self, row: MemberRow) -> None:
        holder = self.holders.get(row.fide_id, row.member_id)
        if holder != row.member_id:
            raise Refused("fide_id_of_another", fide_id=row.fide_id, other=holder)


def _search_name(row: MemberRow) -> str:
    family = searchable(f"{row.family_name} {row.suffix}")
    return f"{family} {searchable(row.given_name)}".strip()


def _said(row: MemberRow) -> dict[str, str]:
    """Return what a row says; what it leaves out stays as it is on record."""
    texts = {
        name: value.isoformat() if isinstance(value, date) else value
        for name in FIELDS
        if (value := getattr(row, name))
    }
    return texts


def _refuse_other_birth_year(row: MemberRow, member: OnRecord) -> None:
    known = member.fields["birth_date"][:4]
    if (
        row.birth_date is None
        and row.birth_year
        and known
        not in (
            "",
            str(row.birth_year),
        )
    ):
        raise Refused("birth_year_differs", cell=row.birth_year)


def membership_wanted(
    held: list[Stretch], row: MemberRow, type_name: str, today: date
) -> tuple[Stretch | None, Stretch | None]:
    """Return the membership that a row is about, as it is and as it should be.

    With a first day it is the one that begins on it. Without, it is the last one: it is
    prolonged or shortened, unless it had ended and goes on from today.
    """
    if row.expires is None:
        return None, None
    latest = max(held, default=None)
    before = _meant(held, latest, row, today)
    if before is not None:
        starts, known_type = before.starts, before.type
    else:
        starts = row.starts or min(today, row.expires)
        known_type = latest.type if latest else DEFAULT_TYPE
    if row.expires < starts:
        raise Refused("membership_ends_before_it_starts", cell=row.expires)
    return before, Stretch(row.expires, starts, type_name or known_type)


def _meant(
    held: list[Stretch], latest: Stretch | None, row: MemberRow, today: date
) -> Stretch | None:
    if row.starts is not None:
        return next((one for one in held if one.starts == row.starts), None)
    same_end = [one for one in held if one.expires == row.expires]
    if same_end or latest is None:
        return max(same_end, default=None)
    has_lapsed = latest.expires < today <= (row.expires or today)
    return None if has_lapsed else latest
