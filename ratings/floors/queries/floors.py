"""Floors and ceilings: which holds a rating on a day, and where each comes from."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.models import Player
from ratings.engine.floors import absolute_floor, peak_floor
from ratings.engine.numbers import official
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.systems import System
from ratings.ledger.queries.grants import floors_that_count, newest_lowering
from ratings.models import (
    Calculation,
    Ceiling,
    Floor,
    FloorLowering,
    PlayerRating,
    RatingChange,
)
from ratings_site.common.looks.figures import MINUS, in_words

ABSOLUTE, PEAK, LOWERED = (
    gettext_lazy("Absolute floor"),
    gettext_lazy("Peak floor"),
    gettext_lazy("Lowered floor"),
)
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
        target = f"{in_words(self.peak)} {MINUS} {drop} = {peak - drop}"
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
    numbers = numbers_of(player)
    # What is known is known of the member's own number.
    there_are_any = len(numbers) > 1 or getattr(player, "has_decisions", True)
    return Decisions(numbers, there_are_any=there_are_any)


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
