"""What the preview of an official list says: numbers, changes and checks."""

from collections.abc import Iterator
from datetime import date, datetime
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
        (row.standing.player_id, row.standing.system): row.standing
        for row in computed.rows
    }
    return {
        "members": len(computed.members),
        "previous": previous.slug if previous else "",
        "members_since": listed_members_since(month).isoformat(),
        "systems": [_system_summary(system, now, before) for system in System],
        "largest": _largest(now, before, computed.members),
        "extremes": _extremes(now, before, computed.members),
        "movers": _movers(now, previous) if previous else [],
        "checks": _checks(month, cut_off, previous, computed),
    }


def _ratings_on(published: OfficialList) -> dict[tuple[int, System], int]:
    rows = published.ratings.order_by().values_list("player_id", "system", "rating")
    return {
        (player, System(system)): rating for player, system, rating in rows.iterator()
    }


def _system_summary(
    system: System,
    now: dict[tuple[int, System], StandingAtCutOff],
    before: dict[tuple[int, System], int],
) -> dict[str, Any]:
    listed = {key: one for key, one in now.items() if key[1] is system}
    known = {key: rating for key, rating in before.items() if key[1] is system}
    both = listed.keys() & known.keys()
    return {
        "system": system.value,
        "listed": len(listed),
        "provisional": sum(one.is_provisional for one in listed.values()),
        "new": len(listed.keys() - known.keys()),
        "dropped": len(known.keys() - listed.keys()),
        "changed": sum(listed[key].rating != known[key] for key in both),
    }


def _largest(
    now: dict[tuple[int, System], StandingAtCutOff],
    before: dict[tuple[int, System], int],
    members: dict[int, ListedMember],
) -> list[dict[str, Any]]:
    changes = sorted(
        (
            (abs(now[key].rating - before[key]), key)
            for key in now.keys() & before.keys()
            if now[key].rating != before[key]
        ),
        key=lambda change: (-change[0], change[1]),
    )
    return [_change(key, now, before, members) for _, key in changes[:LARGEST_SHOWN]]


def _extremes(
    now: dict[tuple[int, System], StandingAtCutOff],
    before: dict[tuple[int, System], int],
    members: dict[int, ListedMember],
) -> dict[str, dict[str, Any]]:
    """Return the largest gain and the largest loss, where there is one."""

    def points(key: tuple[int, System]) -> int:
        return now[key].rating - before[key]

    both = sorted(now.keys() & before.keys())
    found = {
        "gain": max(both, key=points, default=None),
        "loss": min(both, key=points, default=None),
    }
    return {
        side: _change(key, now, before, members)
        for side, key in found.items()
        if key is not None and (points(key) > 0 if side == "gain" else points(key) < 0)
    }


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
