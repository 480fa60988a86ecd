"""The dry run of a file of members: the effect of each row."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import Any

from django.utils import timezone

from players.formats.dates import latest_birth_date
from players.formats.errors import InputRefused
from players.formats.first_lines import FirstLines
from players.formats.member_words import NO_ANSWERS, Answers
from players.formats.members import (
    LEAVE_BLANK,
    GuardianInFile,
    MemberColumns,
    MemberRow,
    RefusedRow,
    read_guardians,
    read_members,
)
from players.guardians.notices import is_child, is_of_age
from players.imports.kinds import ProgressCallback
from players.imports.queries import (
    FIELDS,
    GUARDIAN_ID,
    MemberRecord,
    MembershipPeriod,
    fide_id_holders,
    members_by_id,
    namesakes,
    on_record,
)
from players.imports.services.actions import (
    chosen_answers,
    chosen_columns,
    chosen_date_orders,
)
from players.imports.services.limits import IMPACT_KEY, CurrentMembers, ImpactCounts
from players.imports.services.staging import UNCHANGED, RowResult, refused, stage
from players.models import Contact, Intake, IntakeRow, MembershipType, Player
from ratings_site.common.names.phonetics import searchable
from ratings_site.common.uploads.services import local_upload

# Fields of existing members that only the office changes, not a feed.
OFFICE_FIELDS = ("status", "fide_id")
DEFAULT_TYPE = "Member"


def read(intake: Intake, beat: ProgressCallback) -> None:
    """Store the effect of each row of a file."""
    today = timezone.localdate()
    prescan = MemberColumns(today, chosen_date_orders(intake), chosen_answers(intake))
    with local_upload(intake.stored_as) as path:
        table, rows = read_members(path, prescan, chosen_columns(intake))
        intake.on_record = Player.objects.count()
        checker = MemberRowChecker(today, answers=prescan.answers)
        if "guardian_id" in table.columns:
            checker.guardians = read_guardians(path, prescan, chosen_columns(intake))
        stage(intake, table, rows, checker.results, beat)
    intake.totals = {IMPACT_KEY: asdict(checker.impact)}


@dataclass(slots=True)
class MemberRowChecker:
    """Compares rows with the records, and with earlier rows."""

    today: date
    by_feed: bool = False
    answers: Answers = NO_ANSWERS
    # First occurrence of each, as numbers and hashes to fit a million rows in memory.
    fide_ids: FirstLines = field(default_factory=FirstLines)
    people: FirstLines = field(default_factory=FirstLines)
    # Guardians from the file itself, by their member IDs.
    guardians: dict[str, GuardianInFile] = field(default_factory=dict)
    # Spelling of membership types, by their case-folded name.
    types: dict[str, str] = field(default_factory=dict)
    current: CurrentMembers = field(init=False)
    impact: ImpactCounts = field(init=False)

    def __post_init__(self) -> None:
        self.current = CurrentMembers.on(self.today)
        self.impact = ImpactCounts(current=self.current.count)
        for name in MembershipType.objects.values_list("name", flat=True):
            self.types[name.casefold()] = name

    def results(self, rows: Iterable[MemberRow | RefusedRow]) -> list[RowResult]:
        rows = list(rows)
        known = _MemberLookup([row for row in rows if isinstance(row, MemberRow)])
        return [self._check_row(row, known) for row in rows]

    def _check_row(
        self, row: MemberRow | RefusedRow, known: "_MemberLookup"
    ) -> RowResult:
        if isinstance(row, RefusedRow):
            return refused(row.line, row.member_id, row.cells, row.reason, row.others)
        try:
            return replace(self._compare(row, known), faults=row.blanked)
        except InputRefused as refusal:
            reason = refusal.reason
        if row.expires and self.answers.fixes.get(reason.kind) == LEAVE_BLANK:
            # Only a last day can be wrong by the records and be left blank.
            blanked = (*row.blanked, reason)
            return self._check_row(replace(row, expires=None, blanked=blanked), known)
        told = refused(row.line, row.member_id, row.cells, reason)
        return replace(told, rows=len(row.lines) or 1)

    def _compare(self, row: MemberRow, known: "_MemberLookup") -> RowResult:
        self._refuse_repeated(row)
        member = known.members.get(row.member_id)
        if member is None:
            return self._new(row, known)
        if member.merged_into:
            raise InputRefused("member_is_merged", other=member.merged_into)
        return self._changed(row, member, known)

    def _refuse_repeated(self, row: MemberRow) -> None:
        """Refuse the second of two members with one FIDE ID."""
        if not row.fide_id:
            return
        first = self.fide_ids.setdefault(int(row.fide_id), row.line)
        if first != row.line:
            raise InputRefused("fide_id_twice", fide_id=row.fide_id, line=first)

    def _new(self, row: MemberRow, known: "_MemberLookup") -> RowResult:
        if not row.family_name:
            raise InputRefused("new_without_name")
        known.refuse_fide_id_of_another(row)
        values: dict[str, Any] = _stated_fields(row) | self._guardian(row, None, known)
        _, period = match_membership([], row, self._type(row), self.today)
        if period is not None:
            values["membership"] = period.as_json()
        if pairs := self._earlier(row, []):
            values["memberships"] = [after for _before, after in pairs]
        twin = self._twin(row, known)
        return _row_result(IntakeRow.Kind.NEW, row, values, twin)

    def _earlier(
        self, row: MemberRow, held: list[MembershipPeriod]
    ) -> list[list[dict[str, str] | None]]:
        """Return the changes to memberships other than the last one."""
        pairs = []
        for term in row.earlier:
            one = replace(row, **term._asdict())
            before, after = match_membership(held, one, self._type(one), self.today)
            if after is not None and before != after:
                pairs.append([before.as_json() if before else None, after.as_json()])
        return pairs

    def _type(self, row: MemberRow) -> str:
        if not row.membership:
            return ""
        return self.types.setdefault(row.membership.casefold(), row.membership)

    def _twin(self, row: MemberRow, known: "_MemberLookup") -> str:
        """Return the member or line with the same name and birth date."""
        if row.birth_date is None:
            return ""
        person = (_search_name(row), row.birth_date.isoformat())
        first = self.people.setdefault(hash(person), row.line)
        if first != row.line:
            return f":{first}"
        return known.namesakes.get(person, "")

    def _changed(
        self, row: MemberRow, member: MemberRecord, known: "_MemberLookup"
    ) -> RowResult:
        _refuse_other_birth_year(row, member)
        wanted = _stated_fields(row) | self._guardian(row, member, known)
        if row.birth_date:
            wanted["birth_year"] = ""
        elif member.fields["birth_date"]:
            wanted.pop("birth_year", None)
        if self.by_feed:
            for name in OFFICE_FIELDS:
                wanted.pop(name, None)
        changes: dict[str, Any] = {
            name: [member.fields[name], text]
            for name, text in wanted.items()
            if name != GUARDIAN_ID and member.fields[name] != text
        }
        if GUARDIAN_ID in wanted:
            # A child may have several guardians; this one is added.
            changes[GUARDIAN_ID] = ["", wanted[GUARDIAN_ID]]
        if "fide_id" in changes:
            if member.fields["fide_id"]:
                raise InputRefused("fide_id_differs", known=member.fields["fide_id"])
            known.refuse_fide_id_of_another(row)
        before, after = match_membership(
            member.periods, row, self._type(row), self.today
        )
        if after is not None and before != after:
            held = before.as_json() if before else None
            changes["membership"] = [held, after.as_json()]
        if pairs := self._earlier(row, member.periods):
            changes["memberships"] = pairs
        self.impact.add(member, changes, self.current)
        kind = IntakeRow.Kind.CHANGED if changes else UNCHANGED
        return _row_result(kind, row, changes)

    def _guardian(
        self, row: MemberRow, member: MemberRecord | None, known: "_MemberLookup"
    ) -> dict[str, str]:
        """Return the fields set by a guardian's member ID: an address and an account.

        Empty for a member who is of age.
        """
        held = member.fields if member else {}
        known_day = held.get("birth_date")
        born = latest_birth_date(
            row.birth_date or (date.fromisoformat(known_day) if known_day else None),
            row.birth_year or int(held.get("birth_year") or 0),
        )
        if not row.guardian_id or is_of_age(born, self.today):
            return {}
        guardian = known.guardians.get(row.guardian_id)
        in_file = self.guardians.get(row.guardian_id)
        # A new member needs a name.
        if guardian is None and not (in_file and in_file.has_name):
            raise InputRefused("guardian_unknown", cell=row.guardian_id)
        if guardian and guardian.merged_into:
            other = guardian.merged_into.member_id
            raise InputRefused("guardian_is_merged", other=other)
        known_as = [one for one in (guardian, in_file) if one]
        if any(is_child(one.latest_birth_date, self.today) for one in known_as):
            raise InputRefused("guardian_is_a_child", cell=row.guardian_id)
        fields: dict[str, str] = {}
        if not row.guardian_email and not held.get("guardian_email"):
            email = _email_of(guardian) or (in_file.email if in_file else "")
            if not email:
                raise InputRefused("guardian_without_email", cell=row.guardian_id)
            fields["guardian_email"] = email
        speaks = row.guardian_id in held.get(GUARDIAN_ID, "").split()
        if guardian and guardian.account and not speaks:
            fields[GUARDIAN_ID] = row.guardian_id
        return fields


def _email_of(guardian: Player | None) -> str:
    """Return the address on record, or else the account's."""
    if guardian is None:
        return ""
    contact: Contact | None = getattr(guardian, "contact", None)
    account = guardian.account
    return (contact and contact.email) or (account.email if account else "")


def _row_result(
    kind: str, row: MemberRow, values: dict[str, Any], twin: str = ""
) -> RowResult:
    rows = len(row.lines) or 1
    return RowResult(kind, row.line, row.member_id, values, twin=twin, rows=rows)


class _MemberLookup:
    """The records for a chunk of rows, read in a fixed number of queries."""

    def __init__(self, rows: list[MemberRow]) -> None:
        self.members = on_record([row.member_id for row in rows])
        self.guardians = members_by_id(
            {row.guardian_id for row in rows if row.guardian_id}
        )
        self.holders = fide_id_holders(row.fide_id for row in rows if row.fide_id)
        self.namesakes = namesakes(
            _search_name(row)
            for row in rows
            if row.birth_date and row.member_id not in self.members
        )

    def refuse_fide_id_of_another(self, row: MemberRow) -> None:
        holder = self.holders.get(row.fide_id, row.member_id)
        if holder != row.member_id:
            raise InputRefused("fide_id_of_another", fide_id=row.fide_id, other=holder)


def _search_name(row: MemberRow) -> str:
    family = searchable(f"{row.family_name} {row.suffix}")
    return f"{family} {searchable(row.given_name)}".strip()


def _stated_fields(row: MemberRow) -> dict[str, str]:
    """Return the values of a row; fields that it leaves out stay unchanged."""
    return {
        name: str(value)
        for name in FIELDS
        if (value := getattr(row, name))
        and not (name == "birth_year" and row.birth_date)
    }


def _refuse_other_birth_year(row: MemberRow, member: MemberRecord) -> None:
    known, said = member.fields["birth_date"][:4], row.birth_year
    if row.birth_date is None and said and known not in ("", str(said)):
        raise InputRefused("birth_year_differs", cell=row.birth_year)
    year = "" if known else member.fields["birth_year"]
    if row.birth_date and year not in ("", str(row.birth_date.year)):
        raise InputRefused("birth_date_differs", cell=row.birth_date, known=year)


def match_membership(
    held: list[MembershipPeriod], row: MemberRow, type_name: str, today: date
) -> tuple[MembershipPeriod | None, MembershipPeriod | None]:
    """Return the membership of a row, as on record and as it should be.

    With a first day it is the one that begins on that day. Otherwise it is the last
    one, extended or shortened, unless that has ended and the new one runs from today.
    """
    if row.expires is None:
        return None, None
    latest = max(held, default=None)
    before = _find_membership(held, latest, row, today)
    if before is not None:
        starts, known_type = before.starts, before.type
    else:
        starts = row.starts or min(today, row.expires)
        known_type = latest.type if latest else DEFAULT_TYPE
    if row.expires < starts:
        raise InputRefused("membership_ends_before_it_starts", cell=row.expires)
    return before, MembershipPeriod(row.expires, starts, type_name or known_type)


def _find_membership(
    held: list[MembershipPeriod],
    latest: MembershipPeriod | None,
    row: MemberRow,
    today: date,
) -> MembershipPeriod | None:
    if row.starts is not None:
        return next((one for one in held if one.starts == row.starts), None)
    same_end = [one for one in held if one.expires == row.expires]
    if same_end or latest is None:
        return max(same_end, default=None)
    has_lapsed = latest.expires < today <= (row.expires or today)
    return None if has_lapsed else latest
