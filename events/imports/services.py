"""Dry run, import and undo for affiliates and directors.

There are only some thousands of them, so each record is written separately.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError
from django.utils import timezone

from events.imports.files import (
    AFFILIATES,
    DAYS,
    DIRECTORS,
    Row,
    affiliate_of,
    director_of,
    read_rows,
)
from events.models import Affiliate, Official
from players.formats.dates import DateColumns
from players.formats.errors import InputRefused
from players.imports.kinds import ApplyRefused, ProgressCallback
from players.imports.services.actions import chosen_columns, chosen_date_orders
from players.imports.services.staging import (
    UNCHANGED,
    RowResult,
    chunks_of,
    refused,
    stage,
)
from players.models import Intake, IntakeRow, Player
from ratings_site.common.db.locks import acquire_lock
from ratings_site.common.models import User
from ratings_site.common.uploads.services import local_upload

Fields = dict[str, Any]


class RecordImporter(ABC):
    """The records of one kind, with their fields as in files."""

    model: type[Affiliate] | type[Official]
    spellings: Mapping[str, str]
    row_of: Callable[[Mapping[str, str]], Fields]
    needed: tuple[str, ...]

    @abstractmethod
    def known(self, keys: Collection[str]) -> dict[str, Fields]:
        """Return the fields of the records with these keys."""

    def check(self, rows: Iterable[Row]) -> dict[str, InputRefused]:
        """Return the reasons why keys cannot be imported, by key."""
        return {}

    @abstractmethod
    def write(self, key: str, fields: Fields) -> None: ...

    @abstractmethod
    def remove(self, key: str) -> None: ...

    # Check, import, undo

    def read(self, intake: Intake, beat: ProgressCallback) -> None:
        days = DateColumns(DAYS, timezone.localdate(), chosen_date_orders(intake))
        with local_upload(intake.stored_as) as path:
            table, rows = read_rows(
                *(path, self.spellings, type(self).row_of),
                days=days,
                columns=chosen_columns(intake),
            )
            intake.on_record = self.model.objects.count()
            stage(intake, table, rows, _RowChecker(self).results, beat)

    def apply(self, intake: Intake, actor: User | None) -> dict[str, Any]:
        acquire_lock(intake.kind)
        for chunk in chunks_of(intake, IntakeRow.Kind.NEW):
            known = self.known([row.key for row in chunk])
            for row in chunk:
                if row.key in known:
                    raise _changed_since(row)
                self.write(row.key, row.values)
        self._change(intake, before=0)
        return {"new": intake.new, "changed": intake.changed}

    def undo(self, intake: Intake, actor: User | None) -> None:
        acquire_lock(intake.kind)
        self._change(intake, before=1)
        for chunk in chunks_of(intake, IntakeRow.Kind.NEW):
            known = self.known([row.key for row in chunk])
            for row in chunk:
                held = known.get(row.key)
                if held is None or any(
                    held[name] != said for name, said in row.values.items()
                ):
                    raise _changed_since(row)
                self._remove(row)

    def _change(self, intake: Intake, *, before: int) -> None:
        """Write the changes; *before* tells which of each pair must be current."""
        for chunk in chunks_of(intake, IntakeRow.Kind.CHANGED):
            known = self.known([row.key for row in chunk])
            for row in chunk:
                held = known.get(row.key, {})
                for name, pair in row.values.items():
                    if held.get(name) != pair[before]:
                        raise _changed_since(row)
                    held[name] = pair[1 - before]
                self.write(row.key, held)

    def _remove(self, row: IntakeRow) -> None:
        try:
            with transaction.atomic():
                self.remove(row.key)
        except ProtectedError:
            raise ApplyRefused("record_rested_on", cell=row.key) from None


def _changed_since(row: IntakeRow) -> ApplyRefused:
    return ApplyRefused("record_changed_since", cell=row.key, line=row.line)


@dataclass(slots=True)
class _RowChecker:
    records: RecordImporter
    lines: dict[str, int] = field(default_factory=dict)

    def results(self, rows: list[Row]) -> list[RowResult]:
        known = self.records.known([row.key for row in rows])
        faults = self.records.check(rows)
        return [self._check_row(row, known.get(row.key), faults) for row in rows]

    def _check_row(
        self, row: Row, held: Fields | None, faults: dict[str, InputRefused]
    ) -> RowResult:
        if row.reason is not None:
            return refused(row.line, row.key, row.cells, row.reason)
        try:
            return self._classify(row, held, faults)
        except InputRefused as refusal:
            return refused(row.line, row.key, row.cells, refusal.reason)

    def _classify(
        self, row: Row, held: Fields | None, faults: dict[str, InputRefused]
    ) -> RowResult:
        first = self.lines.setdefault(row.key, row.line)
        if first != row.line:
            raise InputRefused("key_twice", line=first)
        if fault := faults.get(row.key):
            raise fault
        if held is None:
            missing = [name for name in self.records.needed if name not in row.fields]
            if missing:
                raise InputRefused("new_lacks", missing=", ".join(missing))
            return RowResult(IntakeRow.Kind.NEW, row.line, row.key, row.fields)
        changes = {
            name: [held[name], said]
            for name, said in row.fields.items()
            if held[name] != said
        }
        kind = IntakeRow.Kind.CHANGED if changes else UNCHANGED
        return RowResult(kind, row.line, row.key, changes)


class AffiliateImporter(RecordImporter):
    model = Affiliate
    spellings = AFFILIATES
    row_of = staticmethod(affiliate_of)
    needed = ("name", "expires")

    def known(self, keys: Collection[str]) -> dict[str, Fields]:
        rows = Affiliate.objects.filter(affiliate_id__in=keys)
        return {
            key: {"name": name, "state": state, "expires": expires.isoformat()}
            for key, name, state, expires in rows.values_list(
                "affiliate_id", "name", "state", "expires"
            )
        }

    def write(self, key: str, fields: Fields) -> None:
        Affiliate.objects.update_or_create(affiliate_id=key, defaults=fields)

    def remove(self, key: str) -> None:
        affiliate = Affiliate.objects.get(affiliate_id=key)
        if affiliate.official_set.exists():
            raise ApplyRefused("record_rested_on", cell=key)
        affiliate.delete()


class DirectorImporter(RecordImporter):
    model = Official
    spellings = DIRECTORS
    row_of = staticmethod(director_of)
    needed = ("level", "certified_until")

    def known(self, keys: Collection[str]) -> dict[str, Fields]:
        rows = Official.objects.filter(player__member_id__in=keys)
        return {
            official.player.member_id: {
                "level": official.level,
                "certified_until": official.certified_until.isoformat(),
                "safe_play_until": official.safe_play_until
                and official.safe_play_until.isoformat(),
                "affiliates": sorted(
                    one.affiliate_id for one in official.affiliates.all()
                ),
            }
            for official in rows.select_related("player").prefetch_related("affiliates")
        }

    def check(self, rows: Iterable[Row]) -> dict[str, InputRefused]:
        rows = list(rows)
        found = Player.objects.filter(member_id__in={row.key for row in rows})
        merged = dict(found.values_list("member_id", "merged_into__member_id"))
        named = {one for row in rows for one in row.fields.get("affiliates", ())}
        there = set(
            Affiliate.objects.filter(affiliate_id__in=named).values_list(
                "affiliate_id", flat=True
            )
        )
        return {
            row.key: fault
            for row in rows
            if (fault := _fault_of_director(row, merged, there))
        }

    def write(self, key: str, fields: Fields) -> None:
        official, _ = Official.objects.update_or_create(
            player=Player.objects.get(member_id=key),
            defaults={
                name: fields[name]
                for name in (*self.needed, "safe_play_until")
                if name in fields
            },
        )
        if "affiliates" in fields:
            official.affiliates.set(
                Affiliate.objects.filter(affiliate_id__in=fields["affiliates"])
            )

    def remove(self, key: str) -> None:
        Official.objects.get(player__member_id=key).delete()


def _fault_of_director(
    row: Row, merged: Mapping[str, str | None], affiliates: set[str]
) -> InputRefused | None:
    if row.key not in merged:
        return InputRefused("director_unknown", cell=row.key)
    if other := merged[row.key]:
        return InputRefused("member_is_merged", other=other)
    for affiliate_id in row.fields.get("affiliates", ()):
        if affiliate_id not in affiliates:
            return InputRefused("affiliate_unknown", cell=affiliate_id)
    return None
