"""The dry run, the entering and the undoing of affiliates and directors.

There are some thousands of them, so each record is written by itself.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError

from events.intake.files import (
    AFFILIATES,
    DIRECTORS,
    Row,
    affiliate_of,
    director_of,
    read_rows,
)
from events.models import Affiliate, Official
from players.importers.tables import Refused
from players.intake.kinds import Beat, NotEntered
from players.intake.services.receiving import columns_of, path_of
from players.intake.services.staging import (
    UNCHANGED,
    Judged,
    chunks_of,
    refused,
    stage,
)
from players.models import Intake, IntakeRow, Player
from ratings_site.common.database.locks import hold
from ratings_site.common.models import User

Fields = dict[str, Any]


class Records(ABC):
    """The records of one kind, with their fields as a file writes them."""

    spellings: Mapping[str, str]
    row_of: Callable[[Mapping[str, str]], Fields]
    needed: tuple[str, ...]

    @abstractmethod
    def count(self) -> int: ...

    @abstractmethod
    def known(self, keys: Collection[str]) -> dict[str, Fields]:
        """Return the fields of the records with these keys."""

    @abstractmethod
    def check(self, rows: Iterable[Row]) -> dict[str, Refused]:
        """Return why keys cannot be taken, by key."""

    @abstractmethod
    def write(self, key: str, fields: Fields) -> None: ...

    @abstractmethod
    def remove(self, key: str) -> None: ...

    # The three acts

    def read(self, intake: Intake, beat: Beat) -> None:
        table, rows = read_rows(
            path_of(intake), self.spellings, type(self).row_of, columns_of(intake)
        )
        intake.on_record = self.count()
        stage(intake, table, rows, _Judge(self).judged, beat)

    def enter(self, intake: Intake, actor: User | None) -> dict[str, Any]:
        hold(intake.kind)
        for chunk in chunks_of(intake, IntakeRow.Kind.NEW):
            known = self.known([row.key for row in chunk])
            for row in chunk:
                if row.key in known:
                    raise _changed_since(row)
                self.write(row.key, row.values)
        self._change(intake, before=0)
        return {"new": intake.new, "changed": intake.changed}

    def undo(self, intake: Intake, actor: User | None) -> None:
        hold(intake.kind)
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
        """Write the changes; *before* says which of each pair is to be there now."""
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
            raise NotEntered("record_rested_on", cell=row.key) from None


def _changed_since(row: IntakeRow) -> NotEntered:
    return NotEntered("record_changed_since", cell=row.key, line=row.line)


@dataclass(slots=True)
class _Judge:
    records: Records
    lines: dict[str, int] = field(default_factory=dict)

    def judged(self, rows: list[Row]) -> list[Judged]:
        known = self.records.known([row.key for row in rows])
        faults = self.records.check(rows)
        return [self._judge(row, known.get(row.key), faults) for row in rows]

    def _judge(
        self, row: Row, held: Fields | None, faults: dict[str, Refused]
    ) -> Judged:
        if row.reason is not None:
            return refused(row.line, row.key, row.cells, row.reason)
        try:
            return self._compared(row, held, faults)
        except Refused as refusal:
            return refused(row.line, row.key, row.cells, refusal.reason)

    def _compared(
        self, row: Row, held: Fields | None, faults: dict[str, Refused]
    ) -> Judged:
        first = self.lines.setdefault(row.key, row.line)
        if first != row.line:
            raise Refused("key_twice", line=first)
        if fault := faults.get(row.key):
            raise fault
        if held is None:
            missing = [name for name in self.records.needed if name not in row.fields]
            if missing:
                raise Refused("new_lacks", missing=", ".join(missing))
            return Judged(IntakeRow.Kind.NEW, row.line, row.key, row.fields)
        changes = {
            name: [held[name], said]
            for name, said in row.fields.items()
            if held[name] != said
        }
        kind = IntakeRow.Kind.CHANGED if changes else UNCHANGED
        return Judged(kind, row.line, row.key, changes)


class Affiliates(Records):
    spellings = AFFILIATES
    row_of = staticmethod(affiliate_of)
    needed = ("name", "expires")

    def count(self) -> int:
        return Affiliate.objects.count()

    def known(self, keys: Collection[str]) -> dict[str, Fields]:
        rows = Affiliate.objects.filter(affiliate_id__in=keys)
        return {
            key: {"name": name, "state": state, "expires": expires.isoformat()}
            for key, name, state, expires in rows.values_list(
                "affiliate_id", "name", "state", "expires"
            )
        }

    def check(self, rows: Iterable[Row]) -> dict[str, Refused]:
        return {}

    def write(self, key: str, fields: Fields) -> None:
        Affiliate.objects.update_or_create(affiliate_id=key, defaults=fields)

    def remove(self, key: str) -> None:
        affiliate = Affiliate.objects.get(affiliate_id=key)
        if affiliate.official_set.exists():
            raise NotEntered("record_rested_on", cell=key)
        affiliate.delete()


class Directors(Records):
    spellings = DIRECTORS
    row_of = staticmethod(director_of)
    needed = ("level", "certified_until")

    def count(self) -> int:
        return Official.objects.count()

    def known(self, keys: Collection[str]) -> dict[str, Fields]:
        rows = Official.objects.filter(player__member_id__in=keys)
        return {
            official.player.member_id: {
                "level": official.level,
                "certified_until": official.certified_until.isoformat(),
                "affiliates": sorted(
                    one.affiliate_id for one in official.affiliates.all()
                ),
            }
            for official in rows.select_related("player").prefetch_related("affiliates")
        }

    def check(self, rows: Iterable[Row]) -> dict[str, Refused]:
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
            defaults={name: fields[name] for name in self.needed},
        )
        if "affiliates" in fields:
            official.affiliates.set(
                Affiliate.objects.filter(affiliate_id__in=fields["affiliates"])
            )

    def remove(self, key: str) -> None:
        Official.objects.get(player__member_id=key).delete()


def _fault_of_director(
    row: Row, merged: Mapping[str, str | None], affiliates: set[str]
) -> Refused | None:
    if row.key not in merged:
        return Refused("director_unknown", cell=row.key)
    if other := merged[row.key]:
        return Refused("member_is_merged", other=other)
    for affiliate_id in row.fields.get("affiliates", ()):
        if affiliate_id not in affiliates:
            return Refused("affiliate_unknown", cell=affiliate_id)
    return None
