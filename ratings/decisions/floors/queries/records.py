"""Floors, ceilings and adjustments of a member, with pending approvals."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from typing import Any

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from events.models import Event
from players.models import Player
from ratings.decisions.floors.queries.floors import (
    LATEST_FIRST,
    FloorStatus,
    current_floors,
    numbers_of,
    title_of,
)
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import current_published, published_number
from ratings.models import (
    Adjustment,
    Ceiling,
    Floor,
    FloorLowering,
    FloorRequest,
    RatingChange,
)
from ratings_site.common.models import PendingAct, User

# Actions that need a second approval: granting a floor, ending a money floor, making
# an adjustment, and withdrawing it.
FLOORS = (
    "floors.grant_office",
    "floors.grant_money",
    "floors.end_money",
    "floors.confirm_life_master",
)
ADJUSTING = ("ratings.adjust", "ratings.withdraw_adjustment")


@dataclass(frozen=True, slots=True)
class PeakReached:
    """The source of a peak; without a URL if it is from earlier records."""

    day: date
    title: str
    url: str = ""
    age_start: float | None = None


Row = Floor | FloorLowering | FloorRequest | Ceiling | Adjustment


class Viewer(Enum):
    """Who views a member's floors; decides how much is shown."""

    PUBLIC = "anybody"
    MEMBER = "member"
    OFFICE = "office"


@dataclass(frozen=True, slots=True)
class DatedRecord:
    """One line of the history: a decision or request about a rating.

    *why* is the reason if this viewer may see it. *evidence*, *by* and *act*, the
    action open to the office at *url*, are filled for the office only.
    """

    what: str
    level: float
    starts: date
    ends: date | None = None
    state: str = ""
    why: str = ""
    event: Event | None = None
    evidence: str = ""
    by: str = ""
    url: str = ""
    act: str = ""


@dataclass(frozen=True, slots=True)
class SystemFloors:
    """The floors of one rating: those in force, and all decisions.

    *peak_reached* is None if there is no peak.
    """

    standing: FloorStatus
    peak_reached: PeakReached | None
    history: tuple[DatedRecord, ...]

    @property
    def system(self) -> System:
        return self.standing.system


def member_floors(
    player: Player, reader: Viewer = Viewer.PUBLIC, *, can_see_rating: bool = False
) -> list[SystemFloors]:
    """Return the floors of every rating of a member, with their history.

    The persons who decided, the evidence, and the reasons of ceilings, adjustments and
    requests are not public. *can_see_rating* is True for a viewer who sees ratings
    exactly, such as a guardian.
    """
    numbers = numbers_of(player)
    standings = current_floors(player)
    reached = _peaks_reached(numbers, standings)
    if reader is Viewer.PUBLIC and not can_see_rating:
        ratings = current_published([player.pk])[player.pk]
        standings = {
            system: replace(
                standing, rating=ratings[system], peak=_peak(standing, reached)
            )
            for system, standing in standings.items()
        }
    history = _history(numbers, reader)
    return [
        SystemFloors(
            standing=standing,
            peak_reached=reached.get(system),
            history=tuple(history[system]),
        )
        for system, standing in standings.items()
    ]


def _history(
    numbers: list[int], reader: Viewer
) -> defaultdict[System, list[DatedRecord]]:
    """Return the dated records by system, the newest day first (five queries)."""
    mine = Q(player__in=numbers)
    rows: list[Row] = [
        *Floor.objects.filter(mine).select_related(
            "section__event", "granted_by", "approved_by"
        ),
        *FloorLowering.objects.filter(mine).select_related(
            "request__section__event", "decided_by"
        ),
        *FloorRequest.objects.filter(mine)
        .exclude(status=FloorRequest.Status.GRANTED)
        .select_related("section__event", "asked_by", "decided_by"),
        *Ceiling.objects.filter(mine).select_related("imposed_by"),
        *Adjustment.objects.filter(mine).select_related("decided_by", "approved_by"),
    ]
    found: defaultdict[System, list[DatedRecord]] = defaultdict(list)
    for row in rows:
        if _is_visible(row, reader):
            line = _RECORDS[type(row)](row)
            found[System(row.system)].append(_as_seen(line, row, reader))
    for lines in found.values():
        lines.sort(key=lambda line: line.starts, reverse=True)
    return found


def _is_visible(row: Row, reader: Viewer) -> bool:
    """Requests from matches are public; a member's own are not."""
    is_own_request = isinstance(row, FloorRequest) and row.section is None
    return not is_own_request or reader is not Viewer.PUBLIC


def _as_seen(line: DatedRecord, row: Row, reader: Viewer) -> DatedRecord:
    """Return a record without what only the office, or only the member, may see."""
    if reader is Viewer.OFFICE:
        return line
    is_for_member = isinstance(row, FloorLowering | FloorRequest)
    sees_reason = isinstance(row, Floor) or (is_for_member and reader is Viewer.MEMBER)
    why = line.why if sees_reason else ""
    return replace(line, why=why, evidence="", by="", url="", act="")


def _floor_record(floor: Floor) -> DatedRecord:
    prize = ""
    if floor.prize:
        words = _("${prize:,} under {prize_limit}.")
        prize = words.format(prize=floor.prize, prize_limit=floor.prize_limit)
    return DatedRecord(
        what=floor.get_kind_display(),
        level=floor.level,
        starts=floor.starts,
        ends=floor.ends,
        why=floor.reason,
        event=floor.section.event if floor.section else None,
        evidence=f"{prize} {floor.evidence}".strip(),
        by=_names(floor.granted_by, floor.approved_by),
        url=reverse("ratings:end_floor", args=[floor.pk]),
        act="" if floor.ends else _("End"),
    )


def _lowering_record(lowering: FloorLowering) -> DatedRecord:
    request = lowering.request
    return DatedRecord(
        what=_("Floor lowered"),
        level=lowering.level,
        starts=lowering.starts,
        why=lowering.reason,
        event=request.section.event if request and request.section else None,
        by=_names(lowering.decided_by),
    )


def _request_record(request: FloorRequest) -> DatedRecord:
    is_open = request.status == FloorRequest.Status.ASKED
    return DatedRecord(
        what=_("Request to lower the floor"),
        level=request.floor,
        starts=request.day,
        state=request.get_status_display(),
        why=request.decision_reason or request.reason,
        event=request.section.event if request.section else None,
        by=_names(request.decided_by or request.asked_by),
        url=reverse("ratings:floor_request", args=[request.pk]),
        act=_("Decide") if is_open else _("View"),
    )


def _ceiling_record(ceiling: Ceiling) -> DatedRecord:
    return DatedRecord(
        what=_("Ceiling"),
        level=ceiling.level,
        starts=ceiling.starts,
        ends=ceiling.ends,
        why=ceiling.reason,
        by=_names(ceiling.imposed_by),
        url=reverse("ratings:end_ceiling", args=[ceiling.pk]),
        act="" if ceiling.ends else _("End"),
    )


def _adjustment_record(adjustment: Adjustment) -> DatedRecord:
    is_withdrawn = adjustment.withdrawn_at is not None
    return DatedRecord(
        what=adjustment.get_kind_display(),
        level=adjustment.rating,
        starts=adjustment.day,
        state="Withdrawn" if is_withdrawn else "",
        why=adjustment.reason,
        by=_names(adjustment.decided_by, adjustment.approved_by),
        url=reverse("ratings:withdraw_adjustment", args=[adjustment.pk]),
        act="" if is_withdrawn else "Withdraw it",
    )


_RECORDS: dict[type, Callable[[Any], DatedRecord]] = {
    Floor: _floor_record,
    FloorLowering: _lowering_record,
    FloorRequest: _request_record,
    Ceiling: _ceiling_record,
    Adjustment: _adjustment_record,
}


def _names(*people: User | None) -> str:
    return " and ".join(str(person) for person in people if person is not None)


def _peak(standing: FloorStatus, reached: dict[System, PeakReached]) -> float | None:
    """Return the published peak of a rating."""
    line = reached.get(standing.system)
    return published_number(standing.peak, line.age_start if line else None)


def _peaks_reached(
    numbers: list[int], standings: dict[System, FloorStatus]
) -> dict[System, PeakReached]:
    """Return the source of each peak (one query)."""
    wanted = Q(pk__in=[])
    for system, standing in standings.items():
        if standing.peak is not None:
            at_peak = Q(calculation__system=system, post_rating=standing.peak)
            if standing.lowering is not None:
                at_peak &= Q(calculation__order_date__gte=standing.lowering.starts)
            wanted |= at_peak
    lines = (
        RatingChange.objects.filter(
            wanted, player__in=numbers, calculation__is_current=True
        )
        .select_related("calculation__section__event")
        .order_by(*LATEST_FIRST)
    )
    return {System(line.calculation.system): _reached(line) for line in lines}


def _reached(line: RatingChange) -> PeakReached:
    calculation = line.calculation
    day, section, start = calculation.age_day, calculation.section, line.age_start
    if section is None:
        name = calculation.get_order_rank_display()
        return PeakReached(day, name, age_start=start)
    return PeakReached(day, title_of(section), section.get_absolute_url(), start)


def pending_approvals_for(player: Player) -> QuerySet[PendingAct]:
    """Return the pending approvals about this member."""
    return PendingAct.objects.filter(
        status=PendingAct.Status.WAITING,
        kind__in=[*FLOORS, *ADJUSTING],
        payload__player_id=player.pk,
    ).select_related("proposed_by")


def pending_requests() -> QuerySet[FloorRequest]:
    """Return the open requests to lower a floor, the oldest first."""
    return (
        FloorRequest.objects.filter(status=FloorRequest.Status.ASKED)
        .select_related("player", "section__event", "asked_by")
        .order_by("asked_at", "pk")
    )


def decided_requests() -> QuerySet[FloorRequest]:
    return (
        FloorRequest.objects.exclude(status=FloorRequest.Status.ASKED)
        .select_related("player", "section__event", "decided_by")
        .order_by("-decided_at", "-pk")
    )


def adjustments() -> QuerySet[Adjustment]:
    """Return every adjustment, the latest decision first."""
    return Adjustment.objects.select_related(
        "player", "decided_by", "approved_by"
    ).order_by("-decided_at", "-pk")


def pending_adjustments() -> QuerySet[PendingAct]:
    """Return the pending approvals of adjustments."""
    return PendingAct.objects.filter(
        status=PendingAct.Status.WAITING, kind__in=ADJUSTING
    ).select_related("proposed_by")
