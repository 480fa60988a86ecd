"""What the preview of an official list says: numbers, changes and checks."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime
from heapq import nsmallest
from typing import Any

from django.utils import timezone, translation
from django.utils.translation import gettext as _

from events.models import Section
from ratings.engine.systems import System
from ratings.lists.files import ListedMember
from ratings.lists.months import months_before
from ratings.lists.queries.official import listed_members_since, written_moment
from ratings.lists.services.rows import Computed, StandingAtCutOff
from ratings.models import OfficialList, RerateMark, Run
from ratings.models.official import month_name
from ratings_site.common.looks.figures import day_in_words

LARGEST_SHOWN = 15
MOVERS_SHOWN = 5


def blocking_checks() -> list[str]:
    """Return what must be settled before any list is published."""
    if Run.objects.filter(kind=Run.Kind.RERATE, status__in=Run.OPEN_STATUSES).exists():
        return [_("A rerate is open. Publish or discard it first.")]
    return []


def summary_of(month: date, cut_off: datetime, computed: Computed) -> dict[str, Any]:
    previous = OfficialList.objects.filter(month__lt=month).first()
    before = _ratings_on(previous) if previous else {}
    now = {
        (standing.player_id, standing.system): standing
        for standing, *_ in computed.rows
    }
    moved = [
        (standing.rating - before[key], key)
        for key, standing in now.items()
        if key in before and standing.rating != before[key]
    ]
    return {
        "members": len(computed.members),
        "previous": previous.slug if previous else "",
        "members_since": listed_members_since(month).isoformat(),
        "systems": _systems(now, before, moved),
        "largest": [
            _change(key, now, before, computed.members)
            for _, key in nsmallest(LARGEST_SHOWN, moved, key=_largest_first)
        ],
        "extremes": {
            side: _change(one[1], now, before, computed.members)
            for side, one in _extremes(moved)
        },
        "movers": _movers(now, previous) if previous else [],
        "checks": _checks(month, cut_off, previous, computed),
    }


Key = tuple[int, System]
Move = tuple[int, Key]
"""The points that somebody's rating in a system changed by."""


def _largest_first(move: Move) -> tuple[int, Key]:
    points, key = move
    return -abs(points), key


def _extremes(moved: Collection[Move]) -> Iterator[tuple[str, Move]]:
    """Yield the largest gain and the largest loss, where there is one."""
    loss = min(moved, default=None)
    if loss and loss[0] < 0:
        yield "loss", loss
    # Of equals the first by member.
    gain = min(moved, key=lambda move: (-move[0], move[1]), default=None)
    if gain and gain[0] > 0:
        yield "gain", gain


def _ratings_on(published: OfficialList) -> dict[Key, int]:
    systems = {system.value: system for system in System}
    rows = published.ratings.order_by().values_list("player_id", "system", "rating")
    return {
        (player, systems[system]): rating for player, system, rating in rows.iterator()
    }


def _systems(
    now: Mapping[Key, StandingAtCutOff],
    before: Mapping[Key, int],
    moved: Collection[Move],
) -> list[dict[str, Any]]:
    """Count by system who is on the list, and how it differs from the one before."""
    listed = Counter(system for _, system in now)
    provisional = Counter(one.system for one in now.values() if one.is_provisional)
    new = Counter(system for _, system in now.keys() - before.keys())
    dropped = Counter(system for _, system in before.keys() - now.keys())
    changed = Counter(system for _, (_, system) in moved)
    return [
        {
            "system": system.value,
            "listed": listed[system],
            "provisional": provisional[system],
            "new": new[system],
            "dropped": dropped[system],
            "changed": changed[system],
        }
        for system in System
    ]


def _change(
    key: tuple[int, System],
    now: dict[tuple[int, System], StandingAtCutOff],
    before: dict[tuple[int, System], int],
    members: dict[int, ListedMember],
) -> dict[str, Any]:
    return {
        "member_id": members[key[0]].member_id,
        "name": members[key[0]].name,
        "system": key[1].value,
        "before": before[key],
        "after": now[key].rating,
    }


def _movers(
    now: dict[tuple[int, System], StandingAtCutOff], previous: OfficialList
) -> list[dict[str, int]]:
    """Return who gained most in regular, established on both lists.

    The first page shows them, and a sum over a whole list would be too slow there.
    """
    known = previous.ratings.order_by().filter(system=System.OTBR, is_provisional=False)
    gains = [
        (now[key].rating - before, player)
        for player, before in known.values_list("player_id", "rating").iterator()
        if (key := (player, System.OTBR)) in now
        and not now[key].is_provisional
        and now[key].rating > before
    ]
    gains.sort(key=lambda gain: (-gain[0], gain[1]))
    return [
        {"player": player, "gain": gain, "after": now[player, System.OTBR].rating}
        for gain, player in gains[:MOVERS_SHOWN]
    ]


def _checks(
    month: date, cut_off: datetime, previous: OfficialList | None, computed: Computed
) -> list[dict[str, str]]:
    """Return what somebody should know before publishing, worst first."""
    with translation.override(None):  # it is stored
        blocking = blocking_checks()
    return [
        *({"level": "error", "sentence": problem} for problem in blocking),
        *(
            {"level": level, "sentence": sentence}
            for level, sentence in _remarks(month, cut_off, previous, computed)
        ),
    ]


def _remarks(
    month: date, cut_off: datetime, previous: OfficialList | None, computed: Computed
) -> Iterator[tuple[str, str]]:
    if cut_off > timezone.now():
        yield (
            "error",
            f"The books are open until {written_moment(cut_off)}. This is what the "
            "list would be if nothing more were rated; prepare it again then.",
        )
    if not computed.rows:
        yield "error", "Nobody would be on this list."
    marks = RerateMark.objects.filter(run=None, left_at__lte=cut_off).count()
    if marks:
        yield (
            "warning",
            f"Marks left before the cut-off that no rerate has taken in: {marks:,}. "
            "What they stand for is not on this list.",
        )
    waiting = Section.objects.filter(status=Section.Status.READY).count()
    if waiting:
        yield (
            "warning",
            f"Accepted sections that are not rated yet: {waiting:,}. What is rated "
            "after the cut-off comes on the next list.",
        )
    if previous and months_before(month, 1) != previous.month:
        yield (
            "warning",
            f"There is no list of {month_name(months_before(month, 1))}: the one of "
            f"{previous.name} stays in force until {day_in_words(month)}.",
        )
    for run in Run.objects.filter(kind=Run.Kind.RERATE, published_at__gt=cut_off):
        yield (
            "note",
            f"Rerate {run.pk} was published after the cut-off. The list says what "
            "stood in the books before it.",
        )
    for run in Run.objects.filter(
        kind=Run.Kind.RERATE, published_at__lte=cut_off, undone_at__gt=cut_off
    ):
        yield (
            "warning",
            f"Rerate {run.pk} was undone after the cut-off, and so its ratings are "
            "on this list.",
        )
