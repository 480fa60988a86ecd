"""Floors and ceilings: which holds a rating on a day, and where each comes from."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.models import Event
from players.models import Player
from ratings.engine.floors import absolute_floor, peak_floor
from ratings.engine.numbers import official
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.systems import System
from ratings.ledger.queries.grants import floors_that_count, newest_lowering
from ratings.ledger.queries.privacy import current_shown
from ratings.models import (
    Adjustment,
    Calculation,
    Ceiling,
    Floor,
    FloorLowering,
    FloorRequest,
    PlayerRating,
    RatingChange,
)
from ratings_site.common.looks.figures import MINUS
from ratings_site.common.models import PendingAct, User

ABSOLUTE, PEAK, LOWERED = (
    gettext_lazy("Absolute floor"),
    gettext_lazy("Peak floor"),
    gettext_lazy("Lowered floor"),
)
# Acts that need a second person: granting a floor, ending one of a prize; making an
# adjustment, and taking it back.
FLOORS = (
    "floors.grant_office",
    "floors.grant_money",
    "floors.end_money",
    "floors.confirm_life_master",
)
ADJUSTING = ("ratings.adjust", "ratings.withdraw_adjustment")
# In rating order, the last source first.
LAST_FIRST = tuple(
    f"-calculation__{name}"
    for name in (
        "order_date",
        "order_rank",
        "order_starts",
        "order_event_id",
        "order_section",
    )
)


@dataclass(frozen=True, slots=True)
class PeakReached:
    """The source that a peak came from; no address if it is from earlier books."""

    day: date
    title: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class FloorStanding:
    """The floors of one rating on a day. The highest of them holds.

    *peak* is the highest established rating, or that since the floor was lowered; in
    points, None if there is none. *granted* are those that count on the day.
    """

    system: System
    day: date
    rating: float
    is_established: bool
    wins: int
    draws: int
    three_game_events: int
    absolute: int
    peak: float | None
    peak_level: int | None
    lowering: FloorLowering | None
    granted: tuple[Floor, ...]
    ceiling: Ceiling | None

    @property
    def own(self) -> int:
        """The floor that follows from the member's results alone."""
        return max(self.absolute, self.peak_level or 0)

    @property
    def holding(self) -> tuple[int, str]:
        """The level that holds and what it rests on; of equals, what was decided."""
        levels = [(floor.level, floor.get_kind_display()) for floor in self.granted]
        if self.lowering is not None:
            levels.append((self.lowering.level, LOWERED))
        if self.peak_level is not None:
            levels.append((self.peak_level, PEAK))
        levels.append((self.absolute, ABSOLUTE))
        return max(levels, key=lambda one: one[0])

    @property
    def level(self) -> int:
        return self.holding[0]

    @property
    def kind(self) -> str:
        return self.holding[1]

    @property
    def arithmetic(self) -> str:
        """How the absolute floor adds up, or why it is 100."""
        rules = rules_in_force(self.day, settings.RATING_EDITION)
        if self.system.is_online or not rules.personal_absolute_floor:
            return _("{lowest_rating}, as for every rating").format(
                lowest_rating=official(rules.lowest_rating)
            )
        formula = rules.absolute_floor
        earned = (
            formula.base
            + formula.per_win * self.wins
            + formula.per_draw * self.draws
            + formula.per_event * self.three_game_events
        )
        terms = (
            f"{formula.base} + {formula.per_win} × {self.wins} "
            f"+ {formula.per_draw} × {self.draws} "
            f"+ {formula.per_event} × {self.three_game_events} = {earned}"
        )
        if earned > formula.highest:
            return _("{terms}, at most {highest}").format(
                terms=terms, highest=formula.highest
            )
        return terms

    @property
    def peak_arithmetic(self) -> str:
        """How the peak floor follows from the peak, or why there is none."""
        if self.peak is None:
            return _("none: there is no established rating that counts")
        rules = rules_in_force(self.day, settings.RATING_EDITION)
        peak, drop = official(self.peak), rules.peak_floor_drop
        target = f"{peak} {MINUS} {drop} = {peak - drop}"
        if self.peak_level is None:
            return _("none: {target}, and the lowest is {lowest_peak_floor}").format(
                target=target, lowest_peak_floor=rules.lowest_peak_floor
            )
        return _("{target}, so {peak_level}").format(
            target=target, peak_level=self.peak_level
        )


def numbers_of(player: Player) -> list[int]:
    """Return the keys a member's records stand under, merged duplicates included."""
    if not getattr(player, "has_duplicates", True):
        return [player.pk]
    return [player.pk, *player.duplicates.values_list("pk", flat=True)]


def floor_now(
    player: Player, system: System, on: date | None = None
) -> FloorStanding | None:
    """Return the floors of a rating today, or on the day *on*; None if unrated then.

    Grants and lowerings since the last rating count, which the line of that rating
    could not know.
    """
    if on is None:
        return floors_now(player).get(system)
    numbers = numbers_of(player)
    line = _line_on(numbers, system, on)
    if line is None:
        return None
    return _standing(system, line, Decisions(numbers), on)


def floor_before_play(
    player: Player, system: System, day: date
) -> FloorStanding | None:
    """Return the floors of a rating on *day* before the day's games; None if unrated.

    What was decided from that day on counts already.
    """
    numbers = numbers_of(player)
    earlier = Q(calculation__order_date__lt=day) | Q(
        calculation__order_date=day,
        calculation__order_rank__lt=Calculation.Rank.SECTION,
    )
    lines = ledger_of(numbers, system).filter(earlier)
    line = lines.order_by(*LAST_FIRST).first()
    if line is None:
        return None
    return _standing(system, line, Decisions(numbers), day)


def floors_now(
    player: Player,
    rows: Iterable[PlayerRating] | None = None,
    decisions: "Decisions | None" = None,
) -> dict[System, FloorStanding]:
    """Return today's floors in every system the member is rated in.

    *rows* are the member's current ratings with their lines, and *decisions* what was
    decided, where they are known already.
    """
    today = timezone.localdate()
    decisions = decisions or decisions_of(player)
    rows = current_ratings(player) if rows is None else rows
    lines = {System(row.system): row.last_change for row in rows}
    return {
        system: _standing(system, lines[system], decisions, today)
        for system in System
        if system in lines
    }


def current_ratings(player: Player) -> QuerySet[PlayerRating]:
    """Return a member's current ratings, each with its line and where that is from."""
    return PlayerRating.objects.filter(player=player).select_related(
        "last_change__calculation__section__event",
        "last_change__calculation__opening",
        "last_change__calculation__adjustment",
        "last_change__calculation__foreign__event",
    )


def _line_on(numbers: list[int], system: System, day: date) -> RatingChange | None:
    """Return the last line up to *day*: the present one, unless later ones exist."""
    lines = ledger_of(numbers, system)
    if not lines.filter(calculation__order_date__gt=day).exists():
        row = (
            PlayerRating.objects.filter(player__in=numbers, system=system)
            .select_related("last_change__calculation")
            .first()
        )
        return row.last_change if row else None
    return lines.filter(calculation__order_date__lte=day).order_by(*LAST_FIRST).first()


def ledger_of(numbers: Iterable[int], system: System) -> QuerySet[RatingChange]:
    """Return a member's current lines in one system, with their calculations."""
    return RatingChange.objects.filter(
        player__in=numbers, calculation__is_current=True, calculation__system=system
    ).select_related("calculation")


def decisions_of(player: Player) -> "Decisions":
    """Return what was decided about a member; nothing is read where nothing was."""
    there_are_any = getattr(player, "has_decisions", True)
    return Decisions(numbers_of(player), there_are_any=there_are_any)


class Decisions:
    """What was decided about a member's floors, read once (three queries)."""

    def __init__(self, numbers: list[int], *, there_are_any: bool = True) -> None:
        self.numbers = numbers
        self.floors: list[Floor] = []
        self.lowerings: list[FloorLowering] = []
        self.ceilings: list[Ceiling] = []
        if there_are_any:
            mine = Q(player__in=numbers)
            self.floors += Floor.objects.filter(mine).order_by("starts", "pk")
            self.lowerings += FloorLowering.objects.filter(mine).order_by("starts")
            self.ceilings += Ceiling.objects.filter(mine).order_by("level")

    def lowering(self, system: System, day: date) -> FloorLowering | None:
        return newest_lowering(self.lowerings, system=system, day=day)

    def granted(
        self, system: System, day: date, lowering: FloorLowering | None
    ) -> tuple[Floor, ...]:
        """Return the granted floors that count."""
        return tuple(floors_that_count(self.floors, lowering, system=system, day=day))

    def ceiling(self, system: System, day: date) -> Ceiling | None:
        """Return the lowest ceiling in force, which is the one that acts."""
        for ceiling in self.ceilings:
            if ceiling.system == system and ceiling.is_in_force_on(day):
                return ceiling
        return None


def _standing(
    system: System, line: RatingChange, decisions: Decisions, day: date
) -> FloorStanding:
    rules = rules_in_force(day, settings.RATING_EDITION)
    lowering = decisions.lowering(system, day)
    since = lowering.starts if lowering else None
    peak = line.peak
    if since is not None:
        until = line.calculation.order_date
        peak = _peak_since(decisions.numbers, system, since, until, rules)
    return FloorStanding(
        system=system,
        day=day,
        rating=line.post_rating,
        is_established=line.post_games > rules.established_after,
        wins=line.wins,
        draws=line.draws,
        three_game_events=line.three_game_events,
        absolute=absolute_floor(
            line.wins, line.draws, line.three_game_events, rules, system
        ),
        peak=peak,
        peak_level=peak_floor(peak, rules),
        lowering=lowering,
        granted=decisions.granted(system, day, lowering),
        ceiling=decisions.ceiling(system, day),
    )


def _peak_since(
    numbers: list[int], system: System, since: date, until: date, rules: Rules
) -> float | None:
    """Return the highest established rating since a lowering.

    It is read from the lines themselves: until a rerate has followed the lowering,
    the peaks they carry are those of before.
    """
    ratings = ledger_of(numbers, system).filter(
        calculation__order_date__gte=since,
        calculation__order_date__lte=until,
        post_games__gt=rules.established_after,
    )
    return max(ratings.values_list("post_rating", flat=True), default=None)


# --- The pages ---


class Reader(Enum):
    """Who looks at a member's floors, and so how much is shown."""

    ANYBODY = "anybody"
    MEMBER = "member"
    OFFICE = "office"


@dataclass(frozen=True, slots=True)
class DatedRecord:
    """One line of the history: something decided or asked about a rating.

    *why* is the reason where it is for the reader. *evidence*, *by* and *act*, what
    the office may do about it at *url*, are filled for the office only.
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
    """Everything about the floors of one rating: what holds, and all that was decided.

    *peak_reached* is None where there is no peak.
    """

    standing: FloorStanding
    peak_reached: PeakReached | None
    history: tuple[DatedRecord, ...]

    @property
    def system(self) -> System:
        return self.standing.system


def floors_of(player: Player, reader: Reader = Reader.ANYBODY) -> list[SystemFloors]:
    """Return the floors of every rating of a member, with their history.

    Who decided, on what evidence, and the reasons of ceilings, adjustments and
    requests are not for everybody.
    """
    numbers = numbers_of(player)
    standings = floors_now(player)
    if reader is Reader.ANYBODY:
        seen = current_shown([player.pk])[player.pk]
        standings = {
            system: replace(standing, rating=seen[system])
            for system, standing in standings.items()
        }
    reached = _peaks_reached(numbers, standings)
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
    numbers: list[int], reader: Reader
) -> defaultdict[System, list[DatedRecord]]:
    """Return the dated records by system, the newest day first (five queries)."""
    mine = Q(player__in=numbers)
    rows = [
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
        line = _RECORDS[type(row)](row, reader)
        if line is not None:
            found[System(row.system)].append(line)
    for lines in found.values():
        lines.sort(key=lambda line: line.starts, reverse=True)
    return found


def _floor_record(floor: Floor, reader: Reader) -> DatedRecord:
    line = DatedRecord(
        what=floor.get_kind_display(),
        level=floor.level,
        starts=floor.starts,
        ends=floor.ends,
        why=floor.reason,
        event=floor.section.event if floor.section else None,
    )
    if reader is not Reader.OFFICE:
        return line
    prize = (
        _("${prize:,} under {prize_limit}.").format(
            prize=floor.prize, prize_limit=floor.prize_limit
        )
        if floor.prize
        else ""
    )
    return replace(
        line,
        evidence=f"{prize} {floor.evidence}".strip(),
        by=_names(floor.granted_by, floor.approved_by),
        url=reverse("ratings:end_floor", args=[floor.pk]),
        act="" if floor.ends else _("End it"),
    )


def _lowering_record(lowering: FloorLowering, reader: Reader) -> DatedRecord:
    request = lowering.request
    line = DatedRecord(
        what=_("Floor lowered"),
        level=lowering.level,
        starts=lowering.starts,
        event=request.section.event if request and request.section else None,
    )
    if reader is Reader.ANYBODY:
        return line
    line = replace(line, why=lowering.reason)
    if reader is Reader.OFFICE:
        return replace(line, by=_names(lowering.decided_by))
    return line


def _request_record(request: FloorRequest, reader: Reader) -> DatedRecord | None:
    """A match asks in public; what a member asks, the office alone sees."""
    if reader is Reader.ANYBODY and request.section is None:
        return None
    line = DatedRecord(
        what=_("Request to lower the floor"),
        level=request.floor,
        starts=request.day,
        state=request.get_status_display(),
        event=request.section.event if request.section else None,
    )
    if reader is Reader.ANYBODY:
        return line
    line = replace(line, why=request.decision_reason or request.reason)
    if reader is Reader.OFFICE:
        url = reverse("ratings:floor_request", args=[request.pk])
        by = _names(request.decided_by or request.asked_by)
        act = _("Decide") if request.status == FloorRequest.Status.ASKED else _("See")
        return replace(line, by=by, url=url, act=act)
    return line


def _ceiling_record(ceiling: Ceiling, reader: Reader) -> DatedRecord:
    line = DatedRecord(
        what=_("Ceiling"), level=ceiling.level, starts=ceiling.starts, ends=ceiling.ends
    )
    if reader is not Reader.OFFICE:
        return line
    return replace(
        line,
        why=ceiling.reason,
        by=_names(ceiling.imposed_by),
        url=reverse("ratings:end_ceiling", args=[ceiling.pk]),
        act="" if ceiling.ends else _("End it"),
    )


def _adjustment_record(adjustment: Adjustment, reader: Reader) -> DatedRecord:
    is_withdrawn = adjustment.withdrawn_at is not None
    line = DatedRecord(
        what=adjustment.get_kind_display(),
        level=adjustment.rating,
        starts=adjustment.day,
        state="Withdrawn" if is_withdrawn else "",
    )
    if reader is not Reader.OFFICE:
        return line
    return replace(
        line,
        why=adjustment.reason,
        by=_names(adjustment.decided_by, adjustment.approved_by),
        url=reverse("ratings:withdraw_adjustment", args=[adjustment.pk]),
        act="" if is_withdrawn else "Withdraw it",
    )


_RECORDS: dict[type, Callable[[Any, Reader], DatedRecord | None]] = {
    Floor: _floor_record,
    FloorLowering: _lowering_record,
    FloorRequest: _request_record,
    Ceiling: _ceiling_record,
    Adjustment: _adjustment_record,
}


def _names(*people: User | None) -> str:
    return " and ".join(str(person) for person in people if person is not None)


def _peaks_reached(
    numbers: list[int], standings: dict[System, FloorStanding]
) -> dict[System, PeakReached]:
    """Return where each peak was reached first (one query)."""
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
        .order_by(*LAST_FIRST)
    )
    return {System(line.calculation.system): _reached(line) for line in lines}


def _reached(line: RatingChange) -> PeakReached:
    calculation = line.calculation
    section = calculation.section
    if section is None:
        name = calculation.get_order_rank_display()
        return PeakReached(calculation.age_day, name)
    where = [section.event.event_id, section.number]
    name = section.name or f"section {section.number}"
    return PeakReached(
        calculation.age_day,
        f"{section.event.name}, {name}",
        reverse("ratings:crosstable", args=where),
    )


def acts_waiting_for(player: Player) -> QuerySet[PendingAct]:
    """Return what a second person has still to approve for this member."""
    return PendingAct.objects.filter(
        status=PendingAct.Status.WAITING,
        kind__in=[*FLOORS, *ADJUSTING],
        payload__player_id=player.pk,
    ).select_related("proposed_by")


def requests_to_decide() -> QuerySet[FloorRequest]:
    """Return the waiting requests to lower a floor, the oldest first."""
    return (
        FloorRequest.objects.filter(status=FloorRequest.Status.ASKED)
        .select_related("player", "section__event", "asked_by")
        .order_by("asked_at", "pk")
    )


def requests_decided() -> QuerySet[FloorRequest]:
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


def adjustments_waiting() -> QuerySet[PendingAct]:
    """Return what a second person has still to approve of adjustments."""
    return PendingAct.objects.filter(
        status=PendingAct.Status.WAITING, kind__in=ADJUSTING
    ).select_related("proposed_by")
