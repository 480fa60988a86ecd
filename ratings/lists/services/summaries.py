"""The summary of an official list in its preview: totals, changes and checks."""

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
from ratings.lists.services.rows import ComputedList, StandingAtCutOff
from ratings.models import OfficialList, RerateMark, Run
from ratings.models.official import month_name
from ratings_site.common.ui.formatting import format_day

LARGEST_SHOWN = 15
MOVERS_SHOWN = 5


def blocking_checks() -> list[str]:
    """Return the problems that block publishing any list."""
    if Run.objects.filter(kind=Run.Kind.RERATE, status__in=Run.OPEN_STATUSES).exists():
        return [_("A rerate is in progress. Publish or discard it first.")]
    return []


def summary_of(
    month: date,
    cut_off: datetime,
    computed: ComputedList,
    corrected: OfficialList | None = None,
) -> dict[str, Any]:
    """Compare a list with the one before it, a correction with what it withdraws."""
    month_before = OfficialList.objects.filter(month__lt=month).first()
    previous = corrected or month_before
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
        "movers": _movers(now, month_before) if month_before else [],
        "checks": _checks(month, cut_off, month_before, computed),
    }


Key = tuple[int, System]
Move = tuple[int, Key]
"""The change in points of a member's rating in a system."""


def _largest_first(move: Move) -> tuple[int, Key]:
    points, key = move
    return -abs(points), key


def _extremes(moved: Collection[Move]) -> Iterator[tuple[str, Move]]:
    """Yield the largest gain and the largest loss, if any."""
    loss = min(moved, default=None)
    if loss and loss[0] < 0:
        yield "loss", loss
    # Of equal changes, the first by member.
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
    """Count by system the members on the list, and the differences to the last one."""
    counts = {
        "listed": Counter(system for _, system in now),
        "provisional": Counter(
            one.system for one in now.values() if one.is_provisional
        ),
        "new": Counter(system for _, system in now.keys() - before.keys()),
        "dropped": Counter(system for _, system in before.keys() - now.keys()),
        "changed": Counter(system for _, (_, system) in moved),
    }
    return [
        {"system": system.value, **{name: one[system] for name, one in counts.items()}}
        for system in System
    ]


def _change(
    key: Key,
    now: dict[Key, StandingAtCutOff],
    before: dict[Key, int],
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
    now: dict[Key, StandingAtCutOff], previous: OfficialList
) -> list[dict[str, int]]:
    """Return the largest gains in Regular, established on both lists.

    The home page shows them, where comparing whole lists would be too slow.
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
    month: date,
    cut_off: datetime,
    previous: OfficialList | None,
    computed: ComputedList,
) -> list[dict[str, str]]:
    """Return the warnings before publishing, worst first."""
    with translation.override(None):  # stored as text
        blocking = blocking_checks()
    return [
        *({"level": "error", "sentence": problem} for problem in blocking),
        *(
            {"level": level, "sentence": sentence}
            for level, sentence in _remarks(month, cut_off, previous, computed)
        ),
    ]


def _remarks(
    month: date,
    cut_off: datetime,
    previous: OfficialList | None,
    computed: ComputedList,
) -> Iterator[tuple[str, str]]:
    if cut_off > timezone.now():
        yield (
            "error",
            f"The cutoff is {written_moment(cut_off)}. This draft has only what is "
            "rated now. Prepare the list again after the cutoff.",
        )
    if not computed.rows:
        yield "error", "This list would have no members."
    marks = RerateMark.objects.pending().filter(left_at__lte=cut_off).count()
    if marks:
        yield (
            "warning",
            f"Pending rerates from before the cutoff: {marks:,}. Their changes are "
            "not on this list.",
        )
    waiting = Section.objects.filter(status=Section.Status.READY).count()
    if waiting:
        yield (
            "warning",
            f"Accepted sections that are not rated yet: {waiting:,}. Sections rated "
            "after the cutoff will be on the next list.",
        )
    if previous and months_before(month, 1) != previous.month:
        yield (
            "warning",
            f"There is no {month_name(months_before(month, 1))} list. The "
            f"{previous.name} list stays official until {format_day(month)}.",
        )
    for run in Run.objects.filter(kind=Run.Kind.RERATE, published_at__gt=cut_off):
        yield (
            "note",
            f"Rerate {run.pk} was published after the cutoff. This list has the "
            "ratings from before it.",
        )
    for run in Run.objects.filter(
        kind=Run.Kind.RERATE, published_at__lte=cut_off, undone_at__gt=cut_off
    ):
        yield (
            "warning",
            f"Rerate {run.pk} was undone after the cutoff, so its ratings are on "
            "this list.",
        )
