"""The import of a FIDE list, in steps that can be taken up again.

1. ``stage``: the rows go, chunk by chunk, into a table where nobody looks yet.
2. ``check_gates``: is it a whole list, and the next one?
3. ``compare``: what changed since the list before goes, chunk by chunk, into history.
4. ``put_in_force``: one transaction makes the list the one that counts.

Each chunk is written together with how far it reaches, so a worker that takes over from
a dead one goes on from there.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from itertools import islice

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from players.fide.services.lists import (
    MOST_FINDINGS,
    findings_with,
    path_of,
    queue_tidying,
)
from players.fide.services.ratings import write_external_ratings
from players.importers.fide_list import open_list
from players.importers.records import FideRow, Problem
from players.models import FideList, FidePlayer, FideRating, Player
from ratings_site.common.audit.services import record
from ratings_site.common.database.bulk import copy_rows
from ratings_site.common.names.sounds import searchable

CHUNK = 20_000
MOST_UNREADABLE = 0.001
MOST_LOST = 0.02
# So many unreadable lines more than the share allows, and reading on makes no sense.
PATIENCE = 100
# The bar of progress: reading takes about three quarters of the time.
READ_PERCENT = 75

# A sign of life: (steps done, of how many, what is being done). Raises if the job was
# taken over.
Beat = Callable[[int, int, str], None]

_STAGED = (
    "list_id",
    "fide_id",
    "name",
    "search_name",
    "federation",
    "sex",
    "title",
    "birth_year",
    "inactive",
    "rating",
    "games",
    "k",
    "rapid",
    "rapid_games",
    "blitz",
    "blitz_games",
)
_STANDING = ("rating", "games", "k", "federation", "title", "inactive")
FideStanding = tuple[int | None, int, int | None, str, str, bool]


class ListRefused(Exception):
    """The list is not taken in, and nothing changes; *problems* say why."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(problems[0].sentence)
        self.problems = list(problems)


class GivenUp(Exception):
    """Staff have given the list up meanwhile."""


# What the import itself knows of a list.
_PROGRESS = (
    "layout",
    "items_read",
    "compared_to",
    "rows",
    "rated",
    "unreadable",
    "changed",
    "findings",
)


def _note_progress(fide_list: FideList) -> None:
    """Write how far the import has come, with the rows that take it there."""
    mine = FideList.objects.filter(pk=fide_list.pk, state=FideList.State.LOADING)
    if not mine.update(**{name: getattr(fide_list, name) for name in _PROGRESS}):
        raise GivenUp(
            gettext("The {fide_list} was given up.").format(fide_list=fide_list)
        )


@dataclass
class _Chunk:
    """Some rows of the file, and the problems found among them."""

    rows: list[FideRow] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    items: int = 0


# --- 1. Reading ---


def stage(fide_list: FideList, beat: Beat) -> None:
    """Write the rows of the file beside the list in force, from where it was left."""
    path = path_of(fide_list)
    if not path.exists():
        raise FileNotFoundError(
            gettext(
                "{path} is not on this machine. Web and workers share DATA_DIR/fide."
            ).format(path=path)
        )
    with open_list(path) as (reader, size):
        if reader.problem is not None:
            raise ListRefused(reader.problem)
        if reader.month not in (None, fide_list.list_date):
            raise ListRefused(_other_month(fide_list, reader.month))
        fide_list.layout = reader.layout
        items = reader.read()
        _skip(items, fide_list.items_read, beat)
        for chunk in _chunks(items):
            percent = READ_PERCENT * reader.bytes_read // max(size, 1)
            _stage_chunk(fide_list, chunk, beat, percent)


def _skip(items: Iterator[FideRow | Problem], count: int, beat: Beat) -> None:
    """Pass over what an earlier attempt has written, with signs of life."""
    for start in range(0, count, CHUNK):
        beat(0, 100, f"{start:,} players were read before")
        for _ in islice(items, min(CHUNK, count - start)):
            pass


def _other_month(fide_list: FideList, month: date) -> Problem:
    return Problem(
        f"The column of ratings is named after {month:%B %Y}, but the file was sent "
        f"as the list of {fide_list.list_date:%B %Y}.",
        "Send it again with the right month.",
        line=1,
        byte=0,
        final=True,
    )


def _chunks(items: Iterator[FideRow | Problem]) -> Iterator[_Chunk]:
    while taken := list(islice(items, CHUNK)):
        chunk = _Chunk(items=len(taken))
        for item in taken:
            if isinstance(item, Problem):
                chunk.problems.append(item)
            else:
                chunk.rows.append(item)
        yield chunk


def _stage_chunk(fide_list: FideList, chunk: _Chunk, beat: Beat, percent: int) -> None:
    final = next((one for one in chunk.problems if one.final), None)
    if final is not None:
        raise ListRefused(final)
    with transaction.atomic():
        message = f"{fide_list.rows + len(chunk.rows):,} players read"
        beat(percent, 100, message)
        _write_staged(fide_list, chunk)
        fide_list.items_read += chunk.items
        fide_list.rows += len(chunk.rows)
        fide_list.rated += sum(row.rating is not None for row in chunk.rows)
        fide_list.unreadable += len(chunk.problems)
        fide_list.findings = findings_with(fide_list, chunk.problems[:MOST_FINDINGS])
        _note_progress(fide_list)
    if fide_list.unreadable > PATIENCE + MOST_UNREADABLE * fide_list.items_read:
        raise ListRefused(_unreadable(fide_list))


def _write_staged(fide_list: FideList, chunk: _Chunk) -> None:
    """Write the rows; leave out, and name, those whose FIDE ID came before."""
    try:
        copy_rows(FidePlayer, _STAGED, _staged_rows(fide_list, chunk.rows))
    except IntegrityError:
        _drop_repeated(fide_list, chunk)
        copy_rows(FidePlayer, _STAGED, _staged_rows(fide_list, chunk.rows))


def _staged_rows(fide_list: FideList, rows: list[FideRow]) -> Iterator[tuple]:
    list_id = fide_list.pk
    # In the order of the index by FIDE ID, which is quicker to write.
    for row in sorted(rows):
        yield (
            list_id,
            row.fide_id,
            row.name,
            searchable(row.name),
            row.federation,
            row.sex,
            row.title,
            row.birth_year,
            row.inactive,
            row.rating,
            row.games,
            row.k,
            row.rapid,
            row.rapid_games,
            row.blitz,
            row.blitz_games,
        )


def _drop_repeated(fide_list: FideList, chunk: _Chunk) -> None:
    staged = FidePlayer.objects.filter(
        list=fide_list, fide_id__in=[row.fide_id for row in chunk.rows]
    )
    seen = set(staged.values_list("fide_id", flat=True))
    rows = []
    for row in chunk.rows:
        if row.fide_id in seen:
            chunk.problems.append(
                Problem(f"FIDE ID {row.fide_id} ({row.name}) stands there twice.")
            )
        else:
            seen.add(row.fide_id)
            rows.append(row)
    chunk.rows = rows


# --- 2. Gates ---


def check_gates(fide_list: FideList) -> None:
    """Refuse what is no whole list, or has lost too many players."""
    if fide_list.rows < settings.FIDE_LIST_LEAST_ROWS:
        raise ListRefused(_too_short(fide_list))
    if fide_list.unreadable > MOST_UNREADABLE * fide_list.items_read:
        raise ListRefused(_unreadable(fide_list))
    before = _neighbor(fide_list, "lt")
    if before is None or fide_list.allow_smaller:
        return
    # Lists of one kind leave out who is unrated, the combined ones do not.
    if fide_list.rated < (1 - MOST_LOST) * before.rated:
        raise ListRefused(
            Problem(
                gettext(
                    "The list has {rated:,} rated players, the {before} "
                    "{rated_before:,}: more than {most_lost:.0%} are missing."
                ).format(
                    rated=fide_list.rated,
                    before=before,
                    rated_before=before.rated,
                    most_lost=MOST_LOST,
                ),
                gettext(
                    "Is the file whole? If the list really is so much smaller, send it "
                    "again and say so."
                ),
                final=True,
            )
        )


def _too_short(fide_list: FideList) -> Problem:
    return Problem(
        f"The list names {fide_list.rows:,} players; a whole list names at least "
        f"{settings.FIDE_LIST_LEAST_ROWS:,}.",
        "Is the file whole? If it is, ask the people who run the office to lower "
        "the least number of players of a FIDE list.",
        final=True,
    )


def _unreadable(fide_list: FideList) -> Problem:
    first = next((one for one in fide_list.findings if one["line"]), None)
    return Problem(
        f"{fide_list.unreadable:,} of {fide_list.items_read:,} lines cannot be read; "
        f"one in {1 / MOST_UNREADABLE:,.0f} may be so.",
        "Have the columns of the file moved? The first such line is named below.",
        line=first["line"] if first else None,
        byte=first["byte"] if first else None,
        final=True,
    )


def _neighbor(fide_list: FideList, side: str) -> FideList | None:
    """Return the list in use before ("lt") or after ("gt") this one."""
    order = "-list_date" if side == "lt" else "list_date"
    return (
        FideList.objects.filter(
            state__in=FideList.IN_USE,
            **{f"list_date__{side}": fide_list.list_date},
        )
        .order_by(order)
        .first()
    )


# --- 3. Comparing ---


def compare(fide_list: FideList, beat: Beat) -> None:
    """Write into history what this list changes, FIDE ID by FIDE ID."""
    after = _neighbor(fide_list, "gt")
    compared = 0
    while (upper := _upper_end(fide_list)) is not None:
        with transaction.atomic():
            percent = READ_PERCENT + (100 - READ_PERCENT) * compared // fide_list.rows
            beat(percent, 100, f"{compared:,} players compared")
            _compare_chunk(fide_list, after, upper)
            fide_list.compared_to = upper
            _note_progress(fide_list)
        compared += CHUNK


_HIGHEST = 10**12


def _upper_end(fide_list: FideList) -> int | None:
    """Return the last FIDE ID of the next chunk; None when all are compared."""
    if fide_list.compared_to >= _HIGHEST:
        return None
    ids = (
        FidePlayer.objects.filter(list=fide_list, fide_id__gt=fide_list.compared_to)
        .order_by("fide_id")
        .values_list("fide_id", flat=True)[CHUNK - 1 : CHUNK]
    )
    # The last chunk reaches as far as IDs can, for those whom this list has lost.
    return next(iter(ids), _HIGHEST)


def _compare_chunk(fide_list: FideList, after: FideList | None, upper: int) -> None:
    within = {"fide_id__gt": fide_list.compared_to, "fide_id__lte": upper}
    staged = dict(
        _standings(
            FidePlayer.objects.filter(list=fide_list, rating__isnull=False, **within)
        )
    )
    history = FideRating.objects.filter(list__state__in=FideList.IN_USE, **within)
    before = dict(
        _standings(
            history.filter(list__list_date__lt=fide_list.list_date).order_by(
                "list__list_date"
            )
        )
    )
    changes = list(_changes(before, staged))
    copy_rows(
        FideRating,
        ("list_id", "fide_id", *_STANDING),
        ((fide_list.pk, fide_id, *standing) for fide_id, standing in changes),
    )
    fide_list.changed += len(changes)
    if after is not None:
        _repeat_after(after, before, changes, within)


def _standings(rows: QuerySet) -> Iterator[tuple[int, FideStanding]]:
    """Yield FIDE IDs and standings; of several the last counts."""
    for row in rows.values_list("fide_id", *_STANDING):
        yield row[0], row[1:]


def _changes(
    before: dict[int, FideStanding], staged: dict[int, FideStanding]
) -> Iterator[tuple[int, FideStanding]]:
    """Yield what has to be noted: changes, and games, which a rating came from."""
    for fide_id, standing in staged.items():
        if standing != before.get(fide_id) or standing[1]:
            yield fide_id, standing
    for fide_id, standing in before.items():
        if fide_id not in staged and standing[0] is not None:
            yield fide_id, (None, 0, None, *standing[3:])


def _repeat_after(
    after: FideList,
    before: dict[int, FideStanding],
    changes: list[tuple[int, FideStanding]],
    within: dict[str, int],
) -> None:
    """Say again on the list after an older one what that one does not say itself.

    It left out those who had not changed since the list before both.
    """
    noted = set(
        FideRating.objects.filter(list=after, **within).values_list(
            "fide_id", flat=True
        )
    )
    copy_rows(
        FideRating,
        ("list_id", "fide_id", *_STANDING),
        (
            (after.pk, fide_id, *before.get(fide_id, _UNRATED))
            for fide_id, _ in changes
            if fide_id not in noted
        ),
    )


_UNRATED: FideStanding = (None, 0, None, "", "", False)


# --- 4. The switch ---


def put_in_force(fide_list: FideList) -> None:
    """Make the list count, in the transaction of the caller."""
    _note_progress(fide_list)
    before = _neighbor(fide_list, "lt")
    after = _neighbor(fide_list, "gt")
    if after is None:
        FideList.objects.filter(state=FideList.State.CURRENT).update(
            state=FideList.State.STORED
        )
        fide_list.state = FideList.State.CURRENT
    else:
        fide_list.state = FideList.State.STORED
    fide_list.previous = before
    fide_list.finished_at = timezone.now()
    fide_list.save()
    touched = [fide_list.pk] if after is None else [fide_list.pk, after.pk]
    changed = write_external_ratings(
        _members_of(touched),
        actor=fide_list.received_by,
        note=f"The {fide_list} was imported.",
    )
    flags = _follow_flags(fide_list) if after is None else 0
    fide_list.members = len(changed)
    fide_list.save()
    record(
        "fide_list.in_force",
        subject=fide_list,
        actor=fide_list.received_by,
        reason=fide_list.reason,
        facts={
            "rows": fide_list.rows,
            "changed": fide_list.changed,
            "members": len(changed),
            "flags": flags,
        },
    )
    queue_tidying()


def _members_of(list_ids: list[int]) -> dict[int, int]:
    """Return {player: FIDE ID} of the linked members whom these lists name."""
    linked = linked_members()
    found: dict[int, int] = {}
    for ids in _slices(sorted(linked)):
        named = FideRating.objects.filter(list__in=list_ids, fide_id__in=ids)
        for fide_id in named.values_list("fide_id", flat=True):
            found[linked[fide_id]] = fide_id
    return found


def linked_members() -> dict[int, int]:
    """Return {FIDE ID: player} of all members with a FIDE ID."""
    linked = Player.objects.exclude(fide_id=None).only("fide_id")
    return {
        number: player.pk
        for player in linked.iterator()
        if (number := player.fide_number) is not None
    }


def _slices(ids: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(ids), CHUNK // 2):
        yield ids[start : start + CHUNK // 2]


def _follow_flags(fide_list: FideList) -> int:
    """Give linked members the flag of the list; return how many changed it."""
    linked = linked_members()
    flags = dict(Player.objects.exclude(fide_id=None).values_list("pk", "federation"))
    changed = 0
    for ids in _slices(sorted(linked)):
        rows = FidePlayer.objects.filter(list=fide_list, fide_id__in=ids)
        movers: defaultdict[str, list[int]] = defaultdict(list)
        for fide_id, flag in rows.values_list("fide_id", "federation"):
            if flags[linked[fide_id]] != flag:
                movers[flag].append(linked[fide_id])
        for flag, players in movers.items():
            changed += Player.objects.filter(pk__in=players).update(federation=flag)
    return changed


# --- Afterward ---


def tidy(beat: Beat) -> int:
    """Remove the rows of lists that are neither in force nor being read."""
    keeping = [FideList.State.CURRENT, FideList.State.LOADING]
    removed = 0
    for fide_list in FideList.objects.exclude(state__in=keeping):
        mine = FidePlayer.objects.filter(list=fide_list)
        while (last := _last_of_chunk(mine)) is not None:
            with transaction.atomic():
                beat(0, 0, f"{removed:,} old rows removed")
                gone, _ = mine.filter(fide_id__lte=last).delete()
            removed += gone
    return removed


def _last_of_chunk(rows: QuerySet) -> int | None:
    """Return the FIDE ID that ends the first chunk; None if there are no rows."""
    ids = list(rows.order_by("fide_id").values_list("fide_id", flat=True)[:CHUNK])
    return ids[-1] if ids else None
