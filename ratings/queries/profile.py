"""What a member's profile shows: ratings, charts and history. Never a birth date."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date

from django.core.paginator import Page, Paginator
from django.db.models import BooleanField, OuterRef, QuerySet, Subquery, Value
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from players.models import Player
from players.queries import membership_of
from ratings.access import StartReader
from ratings.engine.classes import class_of
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.models import Floor, PlayerRating, RatingChange
from ratings.queries.privacy import has_newcomers, newcomers_before
from ratings_site.common.charts import Point, Series, rating_chart

ROWS = 50
# More points than this cannot be told apart on a chart.
MOST_POINTS = 400


@dataclass(frozen=True, slots=True)
class SystemStanding:
    """One of the six ratings; only the system is known of somebody unrated in it."""

    system: System
    rating: float | None = None
    games: int = 0
    is_established: bool = False
    class_name: str = ""
    floor: float | None = None
    floor_kind: str = ""
    peak: float | None = None


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One line of the ledger, ready to show.

    A number is rounded if its decimals would help to compute a birth date.
    """

    day: date
    title: str
    section: str
    url: str
    why_url: str
    system: System
    half_points: int
    games: int
    before: float | None
    after: float
    marks: tuple[tuple[str, str], ...]
    source: str
    is_before_rounded: bool
    is_after_rounded: bool

    @property
    def change(self) -> float | None:
        """The change of the whole numbers that people see."""
        if self.before is None:
            return None
        return official(self.after) - official(self.before)


@dataclass(frozen=True, slots=True)
class Profile:
    player: Player
    membership: str
    standings: list[SystemStanding]
    rated: list[System]
    charts: list[tuple[System, SafeString]] = field(default_factory=list)
    page: Page | None = None
    lines: list[HistoryLine] = field(default_factory=list)

    @property
    def has_rounded_lines(self) -> bool:
        return any(
            line.is_before_rounded or line.is_after_rounded for line in self.lines
        )


def player_with_memberships(member_id: str) -> Player | None:
    return (
        Player.objects.filter(member_id=member_id)
        .prefetch_related("memberships")
        .first()
    )


def profile_of(
    player: Player,
    system: System | None,
    page_number: object,
    reader: StartReader | None = None,
) -> Profile:
    """Return what the profile shows, with charts and history of one system or all.

    Without a *reader* it is what anybody may see.
    """
    standings = standings_of(player)
    floors = {one.system: one.floor for one in standings}
    history = _with_rounding(_history(player, system), reader)
    page = Paginator(history, ROWS).get_page(page_number)
    return Profile(
        player=player,
        membership=membership_of(player),
        standings=standings,
        rated=[one.system for one in standings if one.rating is not None],
        charts=_charts(player, system, floors),
        page=page,
        lines=[_line(change, player) for change in page],
    )


def standings_of(player: Player) -> list[SystemStanding]:
    """Return the six current ratings in their fixed order (two queries)."""
    rows = {System(row.system): row for row in player.ratings.all()}
    granted = _granted_floors(player)
    return [
        _standing(system, rows[system], granted[system])
        if system in rows
        else SystemStanding(system)
        for system in System
    ]


def _granted_floors(player: Player) -> defaultdict[System, list[Floor]]:
    granted: defaultdict[System, list[Floor]] = defaultdict(list)
    today = timezone.localdate()
    for floor in Floor.objects.filter(player=player):
        if floor.is_in_force_on(today):
            granted[System(floor.system)].append(floor)
    return granted


def _standing(
    system: System, row: PlayerRating, granted: list[Floor]
) -> SystemStanding:
    # A floor granted since the last event is not in the projection yet.
    floor = max([row.floor, *(one.level for one in granted)])
    kinds = [one.get_kind_display() for one in granted if one.level == floor]
    return SystemStanding(
        system=system,
        rating=row.rating,
        games=row.games,
        is_established=row.is_established,
        class_name=class_of(official(row.rating)).name,
        floor=floor,
        floor_kind=kinds[0] if kinds else "",
        peak=row.peak,
    )


def _ledger(player: Player, system: System | None) -> QuerySet[RatingChange]:
    changes = RatingChange.objects.filter(player=player, calculation__is_current=True)
    if system is not None:
        changes = changes.filter(calculation__system=system)
    return changes


def _history(player: Player, system: System | None) -> QuerySet[RatingChange]:
    """The ledger from its last line back, so that each "before" is the "after" below.

    A section that was reported late therefore stands where it took effect.
    """
    return (
        _ledger(player, system)
        .select_related(
            "calculation__section__event",
            "calculation__opening",
        )
        .order_by("-calculation_id")
    )


def _with_rounding(
    history: QuerySet[RatingChange], reader: StartReader | None
) -> QuerySet[RatingChange]:
    """Annotate which numbers of a line the reader gets without decimals."""
    if reader is not None and reader.is_office:
        nothing = Value(False, output_field=BooleanField())
        return history.annotate(rounds_before=nothing, rounds_after=nothing)
    own_pk = reader.own_pk if reader else None
    before = newcomers_before(
        OuterRef("player_id"),
        OuterRef("calculation__system"),
        OuterRef("calculation_id"),
        own_pk,
    )
    return history.annotate(
        rounds_before=Subquery(before), rounds_after=has_newcomers(own_pk)
    )


def _line(change: RatingChange, player: Player) -> HistoryLine:
    calculation = change.calculation
    section = calculation.section
    url = why_url = source = name = ""
    title = "Opening entry"
    if section is not None:
        event = section.event
        where = [event.event_id, section.number]
        url = reverse("ratings:crosstable", args=where)
        why_url = reverse(
            "ratings:why", args=[*where, player.member_id, calculation.system]
        )
        title, name = event.name, section.name or f"Section {section.number}"
    else:
        source = calculation.opening.source
    return HistoryLine(
        day=calculation.age_day,
        title=title,
        section=name,
        url=url,
        why_url=why_url,
        system=System(calculation.system),
        half_points=change.half_points,
        games=change.games,
        before=change.pre_rating,
        after=change.post_rating,
        marks=tuple(_marks(change)),
        source=source,
        # Every number of a section is rounded, the rating before too.
        is_before_rounded=bool(change.rounds_before or change.rounds_after),
        is_after_rounded=change.rounds_after,
    )


def _marks(change: RatingChange) -> list[tuple[str, str]]:
    """Return the letters behind a rating, each with its meaning."""
    marks = []
    if change.bonus:
        marks.append(("b", _bonus(change)))
    if change.floor_used is not None:
        marks.append(("f", f"Held by the floor of {change.floor_used:.0f}"))
    if change.ceiling_used is not None:
        marks.append(("c", f"Held by the ceiling of {change.ceiling_used:.0f}"))
    if change.calculation.is_late:
        marks.append(("late", "Reported late, so rated from the ratings of that day"))
    return marks


def _bonus(change: RatingChange) -> str:
    """Leave out how large a newcomer's bonus is: it gives away where he started."""
    if change.pre_rating is None:
        return "Bonus"
    if change.rounds_after:
        return f"Bonus of about {official(change.bonus)} points"
    return f"Bonus of {change.bonus:.1f} points"


def _charts(
    player: Player, system: System | None, floors: dict[System, float | None]
) -> list[tuple[System, SafeString]]:
    """Draw one chart per system. The ledger decides the order of the points.

    A late section stands on the day of the line before it, where it took effect;
    otherwise the line would run back, and not end at the current rating.
    """
    points: defaultdict[System, list[Point]] = defaultdict(list)
    rows = (
        _ledger(player, system)
        .order_by("calculation_id")
        .values_list(
            "calculation__system",
            "calculation__order_date",
            "post_rating",
            "calculation__section__event__name",
        )
    )
    for name, day, rating, event in rows:
        line = points[System(name)]
        shown_day = max(day, line[-1].day) if line else day
        # The place of a point tells decimals too, and some are for nobody.
        line.append(Point(shown_day, official(rating), event or "Opening entry"))
    return [
        (one, _chart(player, one, points[one], floors[one]))
        for one in System
        if points[one]
    ]


def _chart(
    player: Player, system: System, points: list[Point], floor: float | None
) -> SafeString:
    drawn = rating_chart(
        [Series(system.label, _thinned(points))],
        title=f"{system.label} rating of {player.name}",
        floor=floor,
        chart_id=f"{system.lower()}-chart",
    )
    return mark_safe(drawn)  # noqa: S308 - the chart escapes every text in it


def _thinned(points: list[Point]) -> list[Point]:
    """Leave points out evenly where there are too many; the last one stays."""
    step = -(-len(points) // MOST_POINTS)
    return points[::-1][::step][::-1]
