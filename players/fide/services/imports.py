"""The import of a FIDE list, in steps that can be resumed.

1. ``stage``: copies the rows into the staging table, chunk by chunk.
2. ``check_gates``: checks that the list is complete and the next one.
3. ``compare``: writes the changes since the list before to history, chunk by chunk.
4. ``activate_list``: puts the list in force, in one transaction.

Each chunk is written together with the import's progress, so a worker that replaces a
dead one resumes from there.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from players.fide.services.lists import MAX_FINDINGS, enqueue_cleanup, merge_findings
from players.fide.services.ratings import write_external_ratings
from players.formats.fide_list import open_list
from players.formats.fide_rows import FideRow, Problem
from players.models import FideList, FidePlayer, FideRating, Player
from ratings_site.common.audit.services import record
from ratings_site.common.db.bulk import copy_rows
from ratings_site.common.names.phonetics import searchable
from ratings_site.common.ui.formatting import format_month
from ratings_site.common.uploads.services import local_upload
from ratings_site.common.web.files import groups

CHUNK = 20_000
MAX_UNREADABLE_SHARE = 0.001
MAX_LOST_SHARE = 0.02
# Reading stops at this many unreadable lines above the allowed share.
UNREADABLE_ALLOWANCE = 100
# For the progress bar: reading takes about three quarters of the time.
READ_PERCENT = 75

# Heartbeat with (steps done, total steps, current step). Raises if another worker has
# the job.
ProgressCallback = Callable[[int, int, str], None]

_STAGED = ("list_id", "search_name", *FideRow._fields)
_STANDING = ("rating", "games", "k", "federation", "title", "inactive")
FideStanding = tuple[int | None, int, int | None, str, str, bool]


class ListRefused(Exception):
    """The list is not imported and nothing changes; *problems* say why."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(problems[0].text)
        self.problems = list(problems)


class ImportCanceled(Exception):
    """Staff have canceled the import."""


# The fields that hold the import's progress.
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


def _save_progress(fide_list: FideList) -> None:
    """Save the import's progress together with the rows of the chunk."""
    mine = FideList.objects.filter(pk=fide_list.pk, state=FideList.State.LOADING)
    if not mine.update(**{name: getattr(fide_list, name) for name in _PROGRESS}):
        raise ImportCanceled(
            gettext("Import of the {fide_list} was canceled.").format(
                fide_list=fide_list
            )
        )


@dataclass
class _Chunk:
    """Some rows of the file, and the problems found in them."""

    rows: list[FideRow]
    problems: list[Problem]
    items: int


# --- 1. Reading ---


def stage(fide_list: FideList, beat: ProgressCallback) -> None:
    """Copy the rows of the file to the staging table, resuming an earlier attempt."""
    with local_upload(fide_list.stored_as) as path, open_list(path) as (reader, size):
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


def _skip(
    items: Iterator[FideRow | Problem], count: int, beat: ProgressCallback
) -> None:
    """Skip the rows that an earlier attempt has written, with heartbeats."""
    for start in range(0, count, CHUNK):
        beat(0, 100, f"{start:,} players were read before")
        for _ in islice(items, min(CHUNK, count - start)):
            pass


def _other_month(fide_list: FideList, month: date) -> Problem:
    return Problem(
        gettext_noop("The file is the list of {month}, but you chose {chosen}."),
        gettext_noop("Upload it again, and choose the month of the file."),
        line=1,
        byte=0,
        final=True,
        values={
            "month": format_month(month),
            "chosen": format_month(fide_list.list_date),
        },
    )


def _chunks(items: Iterator[FideRow | Problem]) -> Iterator[_Chunk]:
    for taken in groups(items, CHUNK):
        rows = [item for item in taken if isinstance(item, FideRow)]
        problems = [item for item in taken if isinstance(item, Problem)]
        yield _Chunk(rows, problems, len(taken))


def _stage_chunk(
    fide_list: FideList, chunk: _Chunk, beat: ProgressCallback, percent: int
) -> None:
    final = next((one for one in chunk.problems if one.final), None)
    if final is not None:
        raise ListRefused(final)
    with transaction.atomic():
        beat(percent, 100, f"{fide_list.rows + len(chunk.rows):,} players read")
        _write_staged(fide_list, chunk)
        fide_list.items_read += chunk.items
        fide_list.rows += len(chunk.rows)
        fide_list.rated += sum(row.rating is not None for row in chunk.rows)
        fide_list.unreadable += len(chunk.problems)
        fide_list.findings = merge_findings(fide_list, chunk.problems[:MAX_FINDINGS])
        _save_progress(fide_list)
    allowed = UNREADABLE_ALLOWANCE + MAX_UNREADABLE_SHARE * fide_list.items_read
    if fide_list.unreadable > allowed:
        raise ListRefused(_unreadable(fide_list))


def _write_staged(fide_list: FideList, chunk: _Chunk) -> None:
    """Write the rows; report and skip rows whose FIDE ID is already staged."""
    try:
        copy_rows(FidePlayer, _STAGED, _staged_rows(fide_list, chunk.rows))
    except IntegrityError:
        _drop_repeated(fide_list, chunk)
        copy_rows(FidePlayer, _STAGED, _staged_rows(fide_list, chunk.rows))


def _staged_rows(
    fide_list: FideList, rows: list[FideRow]
) -> Iterator[tuple[object, ...]]:
    # Sorted by FIDE ID, the order of the index, which is faster to write.
    for row in sorted(rows):
        yield (fide_list.pk, searchable(row.name), *row)


def _drop_repeated(fide_list: FideList, chunk: _Chunk) -> None:
    staged = FidePlayer.objects.filter(
        list=fide_list, fide_id__in=[row.fide_id for row in chunk.rows]
    )
    seen = set(staged.values_list("fide_id", flat=True))
    rows = []
    for row in chunk.rows:
        if row.fide_id in seen:
            chunk.problems.append(
                Problem(
                    gettext_noop("FIDE ID {fide_id} ({name}) is in the list twice."),
                    gettext_noop("We used the first row. Check the ID on FIDE’s site."),
                    values={"fide_id": row.fide_id, "name": row.name},
                )
            )
        else:
            seen.add(row.fide_id)
            rows.append(row)
    chunk.rows = rows


# --- 2. Gates ---


def check_gates(fide_list: FideList) -> None:
    """Raise ListRefused for an incomplete list, or one that lost too many players."""
    if fide_list.rows < settings.FIDE_LIST_LEAST_ROWS:
        raise ListRefused(_too_short(fide_list))
    if fide_list.unreadable > MAX_UNREADABLE_SHARE * fide_list.items_read:
        raise ListRefused(_unreadable(fide_list))
    before = _neighbor(fide_list, "lt")
    if before is None or fide_list.allow_smaller:
        return
    # Lists of one rating type omit unrated players, combined lists include them.
    if fide_list.rated < (1 - MAX_LOST_SHARE) * before.rated:
        raise ListRefused(
            Problem(
                gettext_noop(
                    "The list has {rated:,} rated players, but the {before} has "
                    "{rated_before:,}. More than {most_lost:.0%} are missing."
                ),
                gettext_noop(
                    "Check that the file is complete. If the list is smaller on "
                    "purpose, upload it again and check that box."
                ),
                final=True,
                values={
                    "rated": fide_list.rated,
                    "before": str(before),
                    "rated_before": before.rated,
                    "most_lost": MAX_LOST_SHARE,
                },
            )
        )


def _too_short(fide_list: FideList) -> Problem:
    return Problem(
        gettext_noop("The list has {rows:,} players. It needs at least {least:,}."),
        gettext_noop("Check that the file is complete."),
        final=True,
        values={"rows": fide_list.rows, "least": settings.FIDE_LIST_LEAST_ROWS},
    )


def _unreadable(fide_list: FideList) -> Problem:
    first = next((one for one in fide_list.findings if one["line"]), None)
    return Problem(
        gettext_noop("We can’t read {unreadable:,} of {lines:,} lines."),
        gettext_noop("The columns may have moved. Check the first line shown below."),
        line=first["line"] if first else None,
        byte=first["byte"] if first else None,
        final=True,
        values={
            "unreadable": fide_list.unreadable,
            "lines": fide_list.items_read,
        },
    )


def _neighbor(fide_list: FideList, side: str) -> FideList | None:
    """Return the list in use before ("lt") or after ("gt") this one."""
    order = "-list_date" if side == "lt" else "list_date"
    wanted = {f"list_date__{side}": fide_list.list_date}
    lists = FideList.objects.filter(state__in=FideList.IN_USE, **wanted)
    return lists.order_by(order).first()


# --- 3. Comparing ---


def compare(fide_list: FideList, beat: ProgressCallback) -> None:
    """Write the changes of this list to history, in the order of FIDE IDs."""
    after = _neighbor(fide_list, "gt")
    compared = 0
    while (upper := _upper_end(fide_list)) is not None:
        with transaction.atomic():
            percent = READ_PERCENT + (100 - READ_PERCENT) * compared // fide_list.rows
            beat(percent, 100, f"{compared:,} players compared")
            _compare_chunk(fide_list, after, upper)
            fide_list.compared_to = upper
            _save_progress(fide_list)
        compared += CHUNK


_HIGHEST = 10**12


def _upper_end(fide_list: FideList) -> int | None:
    """Return the last FIDE ID of the next chunk, or None when all are compared."""
    if fide_list.compared_to >= _HIGHEST:
        return None
    left = FidePlayer.objects.filter(list=fide_list, fide_id__gt=fide_list.compared_to)
    ids = left.order_by("fide_id").values_list("fide_id", flat=True)
    # The last chunk has no upper limit, to include players missing from this list.
    return next(iter(ids[CHUNK - 1 : CHUNK]), _HIGHEST)


def _compare_chunk(fide_list: FideList, after: FideList | None, upper: int) -> None:
    within = {"fide_id__gt": fide_list.compared_to, "fide_id__lte": upper}
    rated = FidePlayer.objects.filter(list=fide_list, rating__isnull=False, **within)
    history = FideRating.objects.filter(list__state__in=FideList.IN_USE, **within)
    earlier = history.filter(list__list_date__lt=fide_list.list_date)
    before = _standings(earlier.order_by("list__list_date"))
    changes = list(_changes(before, _standings(rated)))
    _write_changes(fide_list, changes)
    fide_list.changed += len(changes)
    if after is not None:
        _carry_forward(after, before, changes, within)


def _write_changes(
    fide_list: FideList, changes: Iterable[tuple[int, FideStanding]]
) -> None:
    rows = ((fide_list.pk, fide_id, *standing) for fide_id, standing in changes)
    copy_rows(FideRating, ("list_id", "fide_id", *_STANDING), rows)


def _standings(
    rows: QuerySet[FidePlayer] | QuerySet[FideRating],
) -> dict[int, FideStanding]:
    """Return the values by FIDE ID; the last row of an ID overwrites the others."""
    return {row[0]: row[1:] for row in rows.values_list("fide_id", *_STANDING)}


def _changes(
    before: dict[int, FideStanding], staged: dict[int, FideStanding]
) -> Iterator[tuple[int, FideStanding]]:
    """Yield the rows for history: changed values, and values with games."""
    for fide_id, standing in staged.items():
        if standing != before.get(fide_id) or standing[1]:
            yield fide_id, standing
    for fide_id, standing in before.items():
        if fide_id not in staged and standing[0] is not None:
            yield fide_id, (None, 0, None, *standing[3:])


def _carry_forward(
    after: FideList,
    before: dict[int, FideStanding],
    changes: list[tuple[int, FideStanding]],
    within: dict[str, int],
) -> None:
    """Copy values to the list after an older one where that list has no row.

    It omitted the players who had not changed since the list before both.
    """
    rows = FideRating.objects.filter(list=after, **within)
    noted = set(rows.values_list("fide_id", flat=True))
    missing = (fide_id for fide_id, _ in changes if fide_id not in noted)
    _write_changes(after, ((one, before.get(one, _UNRATED)) for one in missing))


_UNRATED: FideStanding = (None, 0, None, "", "", False)


# --- 4. Activation ---


def activate_list(fide_list: FideList) -> None:
    """Put the list in force, in the caller's transaction."""
    _save_progress(fide_list)
    after = _neighbor(fide_list, "gt")
    fide_list.previous = _neighbor(fide_list, "lt")
    fide_list.state = FideList.State.STORED
    if after is None:
        current = FideList.objects.filter(state=FideList.State.CURRENT)
        current.update(state=FideList.State.STORED)
        fide_list.state = FideList.State.CURRENT
    fide_list.finished_at = timezone.now()
    fide_list.save()
    touched = [fide_list.pk] if after is None else [fide_list.pk, after.pk]
    changed = write_external_ratings(
        _members_of(touched),
        actor=fide_list.received_by,
        note=f"The {fide_list} was imported.",
    )
    flags = _update_federations(fide_list) if after is None else 0
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
    enqueue_cleanup()


def _members_of(list_ids: list[int]) -> dict[int, int]:
    """Return {player: FIDE ID} of the linked members on these lists."""
    linked = linked_players()
    found: dict[int, int] = {}
    for ids in groups(sorted(linked), CHUNK // 2):
        named = FideRating.objects.filter(list__in=list_ids, fide_id__in=ids)
        for fide_id in named.values_list("fide_id", flat=True):
            found[linked[fide_id]] = fide_id
    return found


def linked_players() -> dict[int, int]:
    """Return {FIDE ID: player} of all members with a FIDE ID."""
    linked = Player.objects.exclude(fide_id=None).only("fide_id")
    return {
        number: player.pk
        for player in linked.iterator()
        if (number := player.fide_number) is not None
    }


def _update_federations(fide_list: FideList) -> int:
    """Give linked members the federation of the list; return how many changed."""
    linked = linked_players()
    flags = dict(Player.objects.exclude(fide_id=None).values_list("pk", "federation"))
    changed = 0
    for ids in groups(sorted(linked), CHUNK // 2):
        rows = FidePlayer.objects.filter(list=fide_list, fide_id__in=ids)
        movers: defaultdict[str, list[int]] = defaultdict(list)
        for fide_id, flag in rows.values_list("fide_id", "federation"):
            if flags[linked[fide_id]] != flag:
                movers[flag].append(linked[fide_id])
        for flag, players in movers.items():
            changed += Player.objects.filter(pk__in=players).update(federation=flag)
    return changed


# --- Afterward ---


def delete_old_rows(beat: ProgressCallback) -> int:
    """Delete the rows of lists that are neither in force nor being imported."""
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


def _last_of_chunk(rows: QuerySet[FidePlayer]) -> int | None:
    """Return the FIDE ID that ends the first chunk, or None if there are no rows."""
    ids = list(rows.order_by("fide_id").values_list("fide_id", flat=True)[:CHUNK])
    return ids[-1] if ids else None
