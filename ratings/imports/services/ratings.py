"""Import ratings: the dry run, and the opening entries.

Ratings in the ledger are never edited, so the totals of the file and the ledger are
compared before the commit.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from django.db.models import Model, QuerySet
from django.utils import timezone

from players.external.services import report_rating_change
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
from players.members.rating_history import rating_history
from players.models import ExternalRating, Intake, IntakeRow, Player
from ratings.engine.systems import Body
from ratings.imports.files import (
    FloorInput,
    ListDefaults,
    RatingRow,
    RefusedRating,
    read_ratings,
)
from ratings.ledger.services.rating import enter_openings
from ratings.models import Floor, OpeningEntry, PlayerRating
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.models import User
from ratings_site.common.uploads.services import local_upload

Totals = dict[str, list[Any]]
LIST_OPTIONS = ("as_of", "games")
BODIES = frozenset(map(str, Body))


def read(intake: Intake, beat: ProgressCallback) -> None:
    """Stage the changes of each row of a file, and compute the file's totals."""
    with local_upload(intake.stored_as) as path:
        table, rows = read_ratings(
            path,
            timezone.localdate(),
            chosen_columns(intake),
            chosen_date_orders(intake),
            ListDefaults(*(intake.options.get(name, "") for name in LIST_OPTIONS)),
        )
        intake.on_record = PlayerRating.objects.count()
        checker = _RowChecker()
        stage(intake, table, rows, checker.judged, beat)
    intake.totals = {"file": _as_json(checker.totals)}


@dataclass(slots=True)
class _RowChecker:
    """Checks rows against the records, and against the rows before them."""

    lines: dict[tuple[str, str], int] = field(default_factory=dict)
    totals: Totals = field(default_factory=dict)

    def judged(self, rows: Iterable[RatingRow | RefusedRating]) -> list[RowResult]:
        rows = list(rows)
        records = _Records({row.member_id for row in rows})
        return [self._judge(row, records) for row in rows]

    def _judge(self, row: RatingRow | RefusedRating, records: "_Records") -> RowResult:
        if isinstance(row, RefusedRating):
            return refused(row.line, row.member_id, row.cells, row.reason)
        try:
            self._refuse(row, records)
        except InputRefused as refusal:
            return refused(row.line, row.member_id, row.cells, refusal.reason)
        if row.rating == records.rating(row):
            return RowResult(UNCHANGED, row.line, row.member_id)
        _add(self.totals, row.system, row.exact, row.games)
        return RowResult(IntakeRow.Kind.NEW, row.line, row.member_id, _values(row))

    def _refuse(self, row: RatingRow, records: "_Records") -> None:
        if row.member_id not in records.members:
            raise InputRefused("member_unknown", cell=row.member_id)
        if other := records.merged.get(row.member_id):
            raise InputRefused("member_is_merged", other=other)
        known = records.rating(row)
        if known is not None and known != row.rating:
            raise InputRefused("rated_already", cell=known)
        # A member can have ratings from several lists of FIDE or the CFC.
        day = row.as_of.isoformat() if row.is_external else ""
        key = (row.member_id, f"{row.system}{day}")
        first = self.lines.setdefault(key, row.line)
        if first != row.line:
            raise InputRefused("rating_twice", line=first)


class _Records:
    """The records of some members (four queries)."""

    def __init__(self, member_ids: Collection[str]) -> None:
        found = Player.objects.filter(member_id__in=member_ids).values_list(
            "member_id", "pk", "merged_into__member_id"
        )
        self.members = {member_id: pk for member_id, pk, _ in found}
        self.merged = {member_id: other for member_id, _, other in found if other}
        ids = self.members.values()
        self.openings = _by_key(OpeningEntry, ids, "system")
        self.ratings = _by_key(PlayerRating, ids, "system")
        self.external = _by_key(ExternalRating, ids, "body", "list_date")

    def rating(self, row: RatingRow) -> float | None:
        """Return the existing opening entry, or else the existing rating."""
        player = self.members[row.member_id]
        if row.is_external:
            return self.external.get((player, row.system, row.as_of))
        key = (player, str(row.system))
        return self.openings.get(key, self.ratings.get(key))


def _of_players(model: type[Model], ids: Collection[int]) -> QuerySet[Any]:
    return model._default_manager.filter(player__in_array=ids).order_by()


def _by_key(
    model: type[Model], ids: Collection[int], *key: str
) -> dict[tuple[Any, ...], Any]:
    """Return the ratings of players by primary key and the columns of *key*."""
    rows = _of_players(model, ids).values_list("player_id", *key, "rating")
    return {row[:-1]: row[-1] for row in rows}


def _values(row: RatingRow) -> dict[str, Any]:
    values: dict[str, Any] = {
        "system": str(row.system),
        "rating": row.rating,
        "games": row.games,
        "as_of": row.as_of.isoformat(),
    }
    if row.is_external:
        return values
    values["record"] = str(row.record)
    for name in ("wins", "draws", "losses", "three_game_events", "peak"):
        if value := getattr(row, name):
            values[name] = value
    return values | _floor_values(row.floor)


def _floor_values(floor: FloorInput | None) -> dict[str, Any]:
    if floor is None:
        return {}
    return {
        "floor": floor.level,
        "floor_kind": floor.kind,
        "floor_from": floor.starts.isoformat(),
        "floor_evidence": floor.evidence,
    }


# Entering


def apply(intake: Intake, actor: User | None) -> dict[str, Any]:
    """Save floors, ratings and foreign ratings; check the totals before the commit."""
    lock_ratings()
    source = f"{intake.file_name}, {intake.received_at:%Y-%m-%d}"[:200]
    records: Totals = {}
    for chunk in chunks_of(intake, IntakeRow.Kind.NEW):
        players = {
            player.member_id: player
            for player in Player.objects.filter(
                member_id__in=[row.key for row in chunk], merged_into=None
            )
        }
        for row in chunk:
            if row.key not in players:
                raise ApplyRefused("changed_since", member_id=row.key, line=row.line)
        own = [row for row in chunk if row.values["system"] not in BODIES]
        _refuse_rated_since(own, players)
        _enter_floors(own, players, source, actor)
        enter_openings(
            entries=[_opening(row, players[row.key], source) for row in own],
            actor=actor,
        )
        others = [row for row in chunk if row.values["system"] in BODIES]
        _enter_external(others, players, source, actor)
        _add_up(chunk, players, records)
    entered = _as_json(records)
    if entered != intake.totals["file"]:
        raise ApplyRefused("totals_differ", cell=", ".join(sorted(entered)))
    intake.totals = {**intake.totals, "books": entered}
    return {"new": intake.new, "totals": entered}


def _refuse_rated_since(rows: list[IntakeRow], players: dict[str, Player]) -> None:
    ids = [players[row.key].pk for row in rows]
    taken = _by_key(PlayerRating, ids, "system")
    for row in rows:
        if (players[row.key].pk, row.values["system"]) in taken:
            raise ApplyRefused("changed_since", member_id=row.key, line=row.line)


def _opening(row: IntakeRow, player: Player, source: str) -> OpeningEntry:
    known = {
        name: value
        for name, value in row.values.items()
        if not name.startswith("floor")
    }
    known["as_of"] = date.fromisoformat(known["as_of"])
    return OpeningEntry(player=player, source=source, **known)


def _enter_floors(
    rows: list[IntakeRow],
    players: dict[str, Player],
    source: str,
    actor: User | None,
) -> None:
    """Save granted floors before the ratings, to which they then apply."""
    floored = [row for row in rows if "floor" in row.values]
    if floored and actor is None:
        raise ApplyRefused("needs_a_person")
    Floor.objects.bulk_create(
        [
            Floor(
                player=players[row.key],
                system=row.values["system"],
                kind=row.values["floor_kind"],
                level=row.values["floor"],
                starts=date.fromisoformat(row.values["floor_from"]),
                reason=f"Imported from earlier records ({source}).",
                evidence=row.values["floor_evidence"],
                granted_by=actor,
            )
            for row in floored
        ],
        batch_size=1000,
    )


def _enter_external(
    rows: list[IntakeRow],
    players: dict[str, Player],
    source: str,
    actor: User | None,
) -> None:
    entered = [
        ExternalRating(
            player=players[row.key],
            body=row.values["system"],
            list_date=date.fromisoformat(row.values["as_of"]),
            rating=int(row.values["rating"]),
            games=row.values["games"] or None,
            source=source,
        )
        for row in rows
    ]
    ExternalRating.objects.bulk_create(entered, batch_size=1000)
    if not entered:
        return
    first = min(rating.list_date for rating in entered)
    ids = {rating.player_id for rating in entered}
    concerned = rating_history().affected_by_rating(ids, first)
    for rating in entered:
        if rating.player_id in concerned:
            report_rating_change(rating, actor, rating.list_date)


# Checking the totals


def _add_up(rows: list[IntakeRow], players: dict[str, Player], totals: Totals) -> None:
    """Add the ratings that the database now has for these rows."""
    ids = {player.pk for player in players.values()}
    read_back = {
        (pk, system): (rating, games)
        for pk, system, rating, games in _of_players(PlayerRating, ids).values_list(
            "player_id", "system", "rating", "games"
        )
    }
    external = _of_players(ExternalRating, ids)
    for pk, body, day, rating, games in external.values_list(
        "player_id", "body", "list_date", "rating", "games"
    ):
        read_back[pk, f"{body}{day.isoformat()}"] = (rating, games or 0)
    for row in rows:
        system = row.values["system"]
        as_of = row.values["as_of"] if system in BODIES else ""
        value, games = read_back[players[row.key].pk, f"{system}{as_of}"]
        _add(totals, system, Decimal(repr(value)), games)


def _add(totals: Totals, system: str, rating: Decimal, games: int) -> None:
    counted = totals.setdefault(str(system), [0, Decimal(0), 0])
    counted[0] += 1
    counted[1] += rating
    counted[2] += games


def _as_json(totals: Totals) -> dict[str, dict[str, Any]]:
    return {
        system: {"rows": rows, "ratings": f"{ratings.normalize():f}", "games": games}
        for system, (rows, ratings, games) in sorted(totals.items())
    }
