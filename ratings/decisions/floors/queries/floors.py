"""Floors and ceilings: which one applies on a day, and its source."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.models import Section
from players.models import Player
from ratings.engine.floors import absolute_floor, peak_floor
from ratings.engine.numbers import official
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.systems import System
from ratings.ledger.queries.grants import floors_in_force, newest_lowering
from ratings.models import (
    Calculation,
    Ceiling,
    Floor,
    FloorLowering,
    PlayerRating,
    RatingChange,
)
from ratings_site.common.ui.formatting import MINUS, format_rating

ABSOLUTE, PEAK, LOWERED = (
    gettext_lazy("Absolute floor"),
    gettext_lazy("Peak floor"),
    gettext_lazy("Lowered floor"),
)
# In rating order, the last source first.
LATEST_FIRST = tuple(f"-calculation__{name}" for name in Calculation.ORDER)


@dataclass(frozen=True, slots=True)
class FloorStatus:
    """The floors of one rating on a day. The highest of them applies.

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
    def effective_floor(self) -> tuple[int, str]:
        """The level that applies and its source; of equal levels, a granted floor."""
        levels = [(floor.level, floor.get_kind_display()) for floor in self.granted]
        if self.lowering is not None:
            levels.append((self.lowering.level, str(LOWERED)))
        if self.peak_level is not None:
            levels.append((self.peak_level, str(PEAK)))
        levels.append((self.absolute, str(ABSOLUTE)))
        return max(levels, key=lambda one: one[0])

    @property
    def level(self) -> int:
        return self.effective_floor[0]

    @property
    def kind(self) -> str:
        return self.effective_floor[1]

    @property
    def arithmetic(self) -> str:
        """The calculation of the absolute floor, or why it is 100."""
        rules = rules_in_force(self.day, settings.RATING_EDITION)
        if self.system.is_online or not rules.personal_absolute_floor:
            return _("{lowest_rating}, the minimum for every rating").format(
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
            return _("{terms}, limited to {highest}").format(
                terms=terms, highest=formula.highest
            )
        return terms

    @property
    def peak_arithmetic(self) -> str:
        """The calculation of the peak floor, or why there is none."""
        if self.peak is None:
            return _("none: no established rating")
        rules = rules_in_force(self.day, settings.RATING_EDITION)
        peak, drop = official(self.peak), rules.peak_floor_drop
        target = f"{format_rating(self.peak)} {MINUS} {drop} = {peak - drop}"
        if self.peak_level is None:
            return _(
                "none: {target} is below the minimum of {lowest_peak_floor}"
            ).format(target=target, lowest_peak_floor=rules.lowest_peak_floor)
        return _("{target}, so {peak_level}").format(
            target=target, peak_level=self.peak_level
        )


def title_of(section: Section) -> str:
    return f"{section.event.name}, {section.name or f'section {section.number}'}"


def numbers_of(player: Player) -> list[int]:
    """Return the keys of a member and of all duplicates merged into the member."""
    if not getattr(player, "has_duplicates", True):
        return [player.pk]
    return [player.pk, *player.duplicates.values_list("pk", flat=True)]


def current_floor(
    player: Player, system: System, on: date | None = None
) -> FloorStatus | None:
    """Return the floors of a rating today, or on the day *on*; None if unrated then.

    Includes grants and lowerings made after the last rating.
    """
    if on is None:
        return current_floors(player).get(system)
    numbers = numbers_of(player)
    line = _line_on(numbers, system, on)
    if line is None:
        return None
    return _standing(system, line, Decisions(numbers), on)


def floor_before_play(player: Player, system: System, day: date) -> FloorStatus | None:
    """Return the floors of a rating on *day* before the day's games; None if unrated.

    Decisions that take effect on that day are included.
    """
    numbers = numbers_of(player)
    earlier = Q(calculation__order_date__lt=day) | Q(
        calculation__order_date=day,
        calculation__order_rank__lt=Calculation.Rank.SECTION,
    )
    lines = current_lines(numbers, system).filter(earlier)
    line = lines.order_by(*LATEST_FIRST).first()
    if line is None:
        return None
    return _standing(system, line, Decisions(numbers), day)


def current_floors(
    player: Player,
    rows: Iterable[PlayerRating] | None = None,
    decisions: "Decisions | None" = None,
) -> dict[System, FloorStatus]:
    """Return today's floors in every system the member is rated in.

    *rows* are the member's current ratings with their lines, and *decisions* the
    decisions on the member's floors, if they have been read already.
    """
    today = timezone.localdate()
    decisions = decisions or read_decisions(player)
    if rows is None:
        current = PlayerRating.objects.filter(player=player)
        rows = current.select_related("last_change__calculation")
    lines = {System(row.system): row.last_change for row in rows}
    return {
        system: _standing(system, lines[system], decisions, today)
        for system in System
        if system in lines
    }


def _line_on(numbers: list[int], system: System, day: date) -> RatingChange | None:
    """Return the last line up to *day*: the current one, unless later ones exist."""
    lines = current_lines(numbers, system)
    if not lines.filter(calculation__order_date__gt=day).exists():
        row = (
            PlayerRating.objects.filter(player__in=numbers, system=system)
            .select_related("last_change__calculation")
            .first()
        )
        return row.last_change if row else None
    return (
        lines.filter(calculation__order_date__lte=day).order_by(*LATEST_FIRST).first()
    )


def current_lines(numbers: Iterable[int], system: System) -> QuerySet[RatingChange]:
    """Return a member's current lines in one system, with their calculations."""
    return RatingChange.objects.filter(
        player__in=numbers, calculation__is_current=True, calculation__system=system
    ).select_related("calculation")


def read_decisions(player: Player) -> "Decisions":
    """Return the decisions on a member's floors; skip the queries if there are none."""
    numbers = numbers_of(player)
    # The annotation covers the member's own number only.
    has_records = len(numbers) > 1 or getattr(player, "has_decisions", True)
    return Decisions(numbers, has_records=has_records)


class Decisions:
    """The decisions on a member's floors, read once (three queries)."""

    def __init__(self, numbers: list[int], *, has_records: bool = True) -> None:
        self.numbers = numbers
        self.floors: list[Floor] = []
        self.lowerings: list[FloorLowering] = []
        self.ceilings: list[Ceiling] = []
        if has_records:
            mine = Q(player__in=numbers)
            self.floors += Floor.objects.filter(mine).order_by("starts", "pk")
            self.lowerings += FloorLowering.objects.filter(mine).order_by("starts")
            self.ceilings += Ceiling.objects.filter(mine).order_by("level")

    def ceiling(self, system: System, day: date) -> Ceiling | None:
        """Return the lowest ceiling in force."""
        here = (one for one in self.ceilings if one.system == system)
        return next((one for one in here if one.is_in_force_on(day)), None)


def _standing(
    system: System, line: RatingChange, decisions: Decisions, day: date
) -> FloorStatus:
    rules = rules_in_force(day, settings.RATING_EDITION)
    lowering = newest_lowering(decisions.lowerings, system=system, day=day)
    granted = floors_in_force(decisions.floors, lowering, system=system, day=day)
    peak = line.peak
    if lowering is not None:
        since, until = lowering.starts, line.calculation.order_date
        peak = _peak_since(decisions.numbers, system, since, until, rules)
    return FloorStatus(
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
        granted=tuple(granted),
        ceiling=decisions.ceiling(system, day),
    )


def _peak_since(
    numbers: list[int], system: System, since: date, until: date, rules: Rules
) -> float | None:
    """Return the highest established rating since a lowering.

    It is read from the lines themselves: until a rerate follows the lowering, they
    still carry the peak from before it.
    """
    ratings = current_lines(numbers, system).filter(
        calculation__order_date__gte=since,
        calculation__order_date__lte=until,
        post_games__gt=rules.established_after,
    )
    return max(ratings.values_list("post_rating", flat=True), default=None)
