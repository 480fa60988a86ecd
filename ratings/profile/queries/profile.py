"""What a member's profile shows: ratings, charts and history. Never a birth date."""

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.core.paginator import Page, Paginator
from django.db.models import (
    BooleanField,
    Exists,
    Model,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.expressions import Combinable
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from events.models import Entry, Section
from players.members.queries import membership_of
from players.models import Membership, Player
from ratings.access import StartReader
from ratings.engine.classes import CLASSES, RatingClass, class_of
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.floors.queries.floors import (
    ABSOLUTE,
    PEAK,
    Decisions,
    FloorStanding,
    current_ratings,
    decisions_of,
    floors_now,
)
from ratings.floors.queries.titles import NormLine, may_be_norm
from ratings.ledger.queries.grants import OWNER
from ratings.ledger.queries.privacy import (
    difference,
    has_newcomers,
    is_guarded,
    newcomers_before,
    shown,
    tells_start,
)
from ratings.lists.queries.rankings import (
    Place,
    official_ratings_of,
    percent_of,
    ranks_among,
)
from ratings.lists.queries.spreads import Asked, RatingsCounted, spread_of
from ratings.models import (
    Calculation,
    Ceiling,
    Floor,
    FloorLowering,
    OfficialList,
    PlayerRating,
    RatingChange,
    Run,
    RunDifference,
)
from ratings.profile.queries.chart import ChartWish, Known, ProfileChart, chart_of
from ratings.profile.queries.imported import (
    ImportedEntry,
    ImportedLine,
    imported_entries,
    imported_lines,
)
from ratings.profile.queries.performances import performances_in
from ratings.profile.queries.results import Results, results_of
from ratings.rerates.queries import Revision
from ratings_site.common.looks.charts.ratings import Point
from ratings_site.common.looks.figures import About

ROWS = 50
# Before somebody asks for a page of the history.
FIRST_ROWS = 10
# Floors that follow from results; of others the profile says what they are.
EARNED = (ABSOLUTE, PEAK)
ALL_OF_IT = ChartWish()
NOT_ASKED: Mapping[int, int] = {}


@dataclass(frozen=True, slots=True)
class SystemStanding:
    """One of the six ratings; only the system is known of somebody unrated in it."""

    system: System
    rating: float | None = None
    games: int = 0
    has_decimals: bool = False
    is_established: bool = False
    class_name: str = ""
    floor: float | None = None
    floor_kind: str = ""
    peak: float | None = None
    why_url: str = ""

    @property
    def next_class(self) -> RatingClass | None:
        """The class above this one; there is none above the highest."""
        if self.rating is None:
            return None
        higher = [one for one in CLASSES if one.lowest > official(self.rating)]
        return higher[-1] if higher else None

    @property
    def points_to_next_class(self) -> int:
        """How many whole points are missing for the next class."""
        above = self.next_class
        if above is None or self.rating is None:
            return 0
        return above.lowest - official(self.rating)


@dataclass(frozen=True, slots=True)
class Percentile:
    """How many of the established players of a system are rated lower."""

    total: int
    lower: int
    counted_at: datetime

    @property
    def percent(self) -> int:
        return percent_of(self.lower, self.total)


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
    performance: int | None = None

    @property
    def change(self) -> float | None:
        return difference(self.before, self.after)


@dataclass(frozen=True, slots=True)
class Profile:
    player: Player
    membership: str
    standings: list[SystemStanding]
    rated: list[System]
    chart: ProfileChart | None = None
    is_first_view: bool = False
    page: Page | None = None
    lines: list[HistoryLine | ImportedLine] = field(default_factory=list)
    official_list: OfficialList | None = None
    places: list[Place] = field(default_factory=list)

    @property
    def rated_lines(self) -> list[HistoryLine]:
        return [line for line in self.lines if isinstance(line, HistoryLine)]

    @property
    def has_imported(self) -> bool:
        return len(self.rated_lines) < len(self.lines)

    @property
    def can_have_decimals(self) -> bool:
        return any(not line.is_before_rounded for line in self.rated_lines)

    @property
    def has_about(self) -> bool:
        """Tell whether a rating is shown rounded, so that the page says why."""
        numbers = [one.rating for one in self.standings]
        for one in self.rated_lines:
            numbers += [one.before, one.after]
        return any(isinstance(number, About) for number in numbers)

    @property
    def has_rounded_lines(self) -> bool:
        return any(
            line.is_before_rounded or line.is_after_rounded for line in self.rated_lines
        )


@dataclass(frozen=True, slots=True)
class Played:
    """A member's games in one of the systems that they are rated in."""

    rated: list[System]
    results: Results | None = None
    percentile: Percentile | None = None


def player_with_memberships(member_id: str) -> Player | None:
    """Return a member with the last day of membership, and what there is to read.

    Few have merged numbers, floors that were decided on, or revised ratings; those who
    has not costs no query for them.
    """
    last = Membership.objects.filter(player=OuterRef("pk")).order_by("-expires")
    duplicates = Player.objects.filter(merged_into=OuterRef("pk"))
    imported = Entry.objects.filter(
        player=OuterRef("pk"), section__status=Section.Status.IMPORTED
    )
    revised = RunDifference.objects.filter(
        player=OuterRef("pk"), run__status=Run.Status.PUBLISHED
    )
    return (
        Player.objects.filter(member_id=member_id)
        .select_related("merged_into")
        .annotate(
            membership_until=Subquery(last.values("expires")[:1]),
            has_duplicates=Exists(duplicates),
            has_decisions=_decided(Floor) | _decided(FloorLowering) | _decided(Ceiling),
            has_revisions=Exists(revised),
            has_imported=Exists(imported),
        )
        .first()
    )


def _decided(model: type[Model]) -> Exists:
    """Say whether a row of the model is about the person of the query around it."""
    return Exists(model.objects.annotate(owner=OWNER).filter(owner=OuterRef("pk")))


def profile_of(
    player: Player,
    system: System | None,
    page_number: object,
    reader: StartReader | None = None,
    *,
    wish: ChartWish = ALL_OF_IT,
    revisions: Sequence[Revision] = (),
) -> Profile:
    """Return what the profile shows, with chart and history of one system or all.

    Without a *reader* it is what anybody may see.
    """
    decisions = decisions_of(player)
    reader = reader or StartReader(AnonymousUser())
    sees_exact = reader.may_see(player.pk)
    standings = standings_of(player, decisions, reader)
    rated = [one for one in standings if one.rating is not None]
    chain = _chain(player, system)
    listed = list(official_ratings_of(decisions.numbers))
    in_order = sorted(chain, key=lambda link: (link.place, link.pk))
    chart = chart_of(
        player,
        _points(chain, sees_exact=sees_exact),
        wish,
        today=timezone.localdate(),
        floors={one.system: one.floor for one in standings},
        known=Known(listed, decisions, revisions, [one.rated for one in in_order]),
    )
    history: list[_Link | ImportedEntry] = [*chain]
    # What was taken over is of no system, and may stand under another number.
    if system is None and _may_have_imported(player):
        history = _with_imported(chain, imported_entries(decisions.numbers))
    rows = ROWS if page_number else FIRST_ROWS
    page = Paginator(history[::-1], rows).get_page(page_number)
    pks = [one.pk for one in page if isinstance(one, _Link)]
    imported = imported_lines(one.pk for one in page if isinstance(one, ImportedEntry))
    lines = _with_rounding(_lines(pks), reader, player).in_bulk(pks)
    performances = performances_in(
        [change.calculation_id for change in lines.values()], decisions.numbers
    )
    official_list, places = ranks_among(player, listed)
    return Profile(
        player=player,
        membership=membership_of(player),
        standings=standings,
        rated=[one.system for one in rated],
        chart=chart,
        is_first_view=not page_number,
        page=page,
        lines=[
            _line(lines[one.pk], player, performances, sees_exact=sees_exact)
            if isinstance(one, _Link)
            else imported[one.pk]
            for one in page
        ],
        official_list=official_list,
        places=places,
    )


def played_by(player: Player, system: System | None, reader: StartReader) -> Played:
    """Count a member's games in the system asked for, or the first one rated."""
    decisions = decisions_of(player)
    standings = standings_of(player, decisions, reader)
    rated = [one for one in standings if one.rating is not None]
    main = next((one for one in rated if system in (None, one.system)), None)
    if main is None:
        return Played([one.system for one in rated])
    return Played(
        [one.system for one in rated],
        results_of(decisions.numbers, main.system),
        percentile_of(main),
    )


def history_after(
    player: Player, system: System | None, after: int | None, limit: int
) -> list[tuple[int, HistoryLine]] | None:
    """Return up to *limit* lines as anybody may see them, newest first (three queries).

    Each comes with its primary key. They begin behind the line *after*; if there is no
    such line, because a rerate has replaced it, the answer is None.
    """
    pks = [link.pk for link in _chain(player, system)][::-1]
    if after is not None and after not in pks:
        return None
    start = 0 if after is None else pks.index(after) + 1
    wanted = pks[start : start + limit]
    anybody = StartReader(AnonymousUser())
    lines = _with_rounding(_lines(wanted), anybody, player).in_bulk(wanted)
    return [(pk, _line(lines[pk], player)) for pk in wanted]


def standings_of(
    player: Player,
    decisions: Decisions | None = None,
    reader: StartReader | None = None,
) -> list[SystemStanding]:
    """Return the six current ratings in their fixed order.

    Without a *reader* they are as anybody may see them.
    """
    reader = reader or StartReader(AnonymousUser())
    current = list(_with_precision(current_ratings(player), player, reader))
    rows = {System(row.system): row for row in current}
    floors = floors_now(player, current, decisions)
    return [
        _standing(system, rows[system], floors[system], player, reader)
        if system in rows
        else SystemStanding(system)
        for system in System
    ]


def _with_precision(
    rows: QuerySet[PlayerRating], player: Player, reader: StartReader
) -> QuerySet[PlayerRating]:
    """Annotate whether current ratings may have decimals, and what they would tell."""
    rounded: Combinable = Value(False, output_field=BooleanField())
    if is_guarded() and not reader.may_see(player.pk):
        rounded = Value(True, output_field=BooleanField())
    elif not reader.is_office:
        rounded = Subquery(newcomers_before(OuterRef("last_change"), reader.speaks_for))
    return rows.annotate(is_rounded=rounded, tells_start=tells_start())


def _standing(
    system: System,
    row: PlayerRating,
    floors: FloorStanding,
    player: Player,
    reader: StartReader,
) -> SystemStanding:
    rating = row.rating
    if not reader.may_see(player.pk):
        rating = shown(rating, row.tells_start)
    return SystemStanding(
        system=system,
        rating=rating,
        games=row.games,
        has_decimals=not row.is_rounded,
        is_established=row.is_established,
        class_name=class_of(official(rating)).name,
        floor=float(floors.level),
        floor_kind="" if floors.kind in EARNED else floors.kind,
        peak=row.peak,
        why_url=_place(row.last_change.calculation, player).why_url,
    )


class _Link(NamedTuple):
    """A current line of the ledger, as much as its place and the chart need."""

    pk: int
    previous_id: int | None
    system: str
    post_rating: float
    tells_start: int
    home: str | None
    abroad: str | None
    adjustment: int | None
    rated: NormLine
    place: tuple[Any, ...]


def _chain(player: Player, system: System | None) -> list[_Link]:
    """Return the member's lines, each after the one it goes on from (one query).

    A section that was reported late stands where it took effect: after the line whose
    rating it began with.
    """
    changes = RatingChange.objects.filter(player=player, calculation__is_current=True)
    if system is not None:
        changes = changes.filter(calculation__system=system)
    rows = changes.order_by("calculation_id").values_list(
        "pk",
        "previous_id",
        "calculation__system",
        "post_rating",
        tells_start("post_games", "player", "calculation__system"),
        "calculation__section__event__name",
        "calculation__foreign__event__name",
        "calculation__adjustment",
        "calculation_id",
        "calculation__rules_day",
        "post_games",
        "calculation__section",
        "calculation__section__kind",
        "calculation__section__rounds",
        *(f"calculation__{column}" for column in Calculation.ORDER),
    )
    links = {row[0]: _link(*row) for row in rows}
    effects: dict[int, _Effect] = {}
    for pk in links:
        _take_effect(pk, links, effects)
    return sorted(links.values(), key=lambda link: (*effects[link.pk], link.pk))


def _link(
    pk: int,
    previous_id: int | None,
    system: str,
    post_rating: float,
    tells_start: int,
    home: str | None,
    abroad: str | None,
    adjustment: int | None,
    calculation_id: int,
    rules_day: date,
    games: int,
    section_id: int | None,
    kind: str | None,
    rounds: int | None,
    *place: Any,
) -> _Link:
    rated = NormLine(
        system=system,
        day=place[0],
        rules_day=rules_day,
        rating=post_rating,
        games=games,
        calculation_id=calculation_id,
        section_id=section_id,
        may_be_norm=kind is not None and may_be_norm(kind, rounds or 0),
    )
    source = (home, abroad, adjustment)
    return _Link(
        pk, previous_id, system, post_rating, tells_start, *source, rated, place
    )


def _may_have_imported(player: Player) -> bool:
    told = ("has_imported", "has_duplicates")
    return any(getattr(player, name, True) for name in told)


def _with_imported(
    chain: Sequence[_Link], imported: Sequence[ImportedEntry]
) -> list[_Link | ImportedEntry]:
    """Put events taken over among the lines, each before what took effect later."""
    history: list[_Link | ImportedEntry] = []
    waiting = deque(imported)
    day = date.min
    for link in chain:
        day = max(day, link.place[0])
        while waiting and waiting[0].day <= day:
            history.append(waiting.popleft())
        history.append(link)
    return [*history, *waiting]


class _Effect(NamedTuple):
    """When a line took effect, for sorting: with which source, and how long after."""

    place: tuple[Any, ...]
    steps_after: int


def _take_effect(pk: int, links: dict[int, _Link], effects: dict[int, _Effect]) -> None:
    """Find out when lines took effect, back to one that is known or the first."""
    waiting = []
    step: int | None = pk
    while step in links and step not in effects:
        waiting.append(links[step])
        step = links[step].previous_id
    latest = effects.get(step or 0)
    for link in reversed(waiting):
        if latest is None or link.place >= latest.place:
            latest = _Effect(link.place, 0)
        else:
            latest = _Effect(latest.place, latest.steps_after + 1)
        effects[link.pk] = latest


def _lines(pks: list[int]) -> QuerySet[RatingChange]:
    return RatingChange.objects.filter(pk__in=pks).select_related(
        "calculation__section__event",
        "calculation__opening",
        "calculation__adjustment",
        "calculation__foreign__event",
    )


def _with_rounding(
    history: QuerySet[RatingChange], reader: StartReader, player: Player
) -> QuerySet[RatingChange]:
    """Annotate which numbers of a line the reader gets without decimals, or rounded."""
    history = history.annotate(
        tells_before=tells_start("pre_games", "player", "calculation__system"),
        tells_after=tells_start("post_games", "player", "calculation__system"),
    )
    if reader.is_office or (is_guarded() and not reader.may_see(player.pk)):
        all_of_them = Value(not reader.is_office, output_field=BooleanField())
        return history.annotate(rounds_before=all_of_them, rounds_after=all_of_them)
    before = newcomers_before(OuterRef("previous_id"), reader.speaks_for)
    return history.annotate(
        rounds_before=Subquery(before), rounds_after=has_newcomers(reader.speaks_for)
    )


def _line(
    change: RatingChange,
    player: Player,
    performances: Mapping[int, int] = NOT_ASKED,
    *,
    sees_exact: bool = False,
) -> HistoryLine:
    calculation = change.calculation
    before, after = change.pre_rating, change.post_rating
    if not sees_exact:
        before = None if before is None else shown(before, change.tells_before)
        after = shown(after, change.tells_after)
    place = _place(calculation, player)
    return HistoryLine(
        day=calculation.age_day,
        title=place.title,
        section=place.section,
        url=place.url,
        why_url=place.why_url,
        system=System(calculation.system),
        half_points=change.half_points,
        games=change.games,
        before=before,
        after=after,
        marks=tuple(_marks(change, tells_bonus=not isinstance(after, About))),
        source=place.source,
        # Every number of a section is rounded, the rating before too.
        is_before_rounded=bool(change.rounds_before or change.rounds_after),
        is_after_rounded=change.rounds_after,
        performance=performances.get(calculation.pk),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a line of the ledger comes from, in words and addresses."""

    title: str
    section: str = ""
    url: str = ""
    why_url: str = ""
    source: str = ""


def _place(calculation: Calculation, player: Player) -> _Place:
    if calculation.section is not None:
        return _home(calculation, player)
    if calculation.foreign is not None:
        event = calculation.foreign.event
        why = reverse("ratings:foreign_why", args=[event.pk, player.member_id])
        return _Place(event.name, _("Foreign event"), event.get_absolute_url(), why)
    if calculation.adjustment is not None:
        kind = calculation.adjustment.get_kind_display()
        return _Place(_("Adjusted by the office"), source=kind)
    return _Place(_("Opening entry"), source=calculation.opening.source)


def _home(calculation: Calculation, player: Player) -> _Place:
    section = calculation.section
    event = section.event
    where = [event.event_id, section.number]
    return _Place(
        event.name,
        section.name or _("Section {number}").format(number=section.number),
        reverse("ratings:crosstable", args=where),
        reverse("ratings:why", args=[*where, player.member_id, calculation.system]),
    )


def _marks(change: RatingChange, *, tells_bonus: bool) -> list[tuple[str, str]]:
    """Return the letters behind a rating, each with its meaning.

    How large a bonus is gives away the start of a newcomer, or of who is shown rounded.
    """
    marks = []
    if change.bonus:
        has_size = tells_bonus and change.pre_rating is not None
        marks.append(("b", _bonus(change) if has_size else _("Bonus")))
    if change.floor_used is not None:
        marks.append(
            (
                "f",
                _("Held by the floor of {floor_used:.0f}").format(
                    floor_used=change.floor_used
                ),
            )
        )
    if change.ceiling_used is not None:
        marks.append(
            (
                "c",
                _("Held by the ceiling of {ceiling_used:.0f}").format(
                    ceiling_used=change.ceiling_used
                ),
            )
        )
    if change.calculation.is_late:
        marks.append(
            ("late", _("Reported late, so rated from the ratings of that day"))
        )
    return marks


def _bonus(change: RatingChange) -> str:
    if change.rounds_after:
        return _("Bonus of about {bonus} points").format(bonus=official(change.bonus))
    return _("Bonus of {bonus:.1f} points").format(bonus=change.bonus)


def percentile_of(standing: SystemStanding) -> Percentile | None:
    """Return how an established rating stands among the others (one query).

    A provisional rating is not compared.
    """
    if standing.rating is None or not standing.is_established:
        return None
    compared = Asked(standing.system, standing=RatingsCounted.ESTABLISHED)
    spread, counted_at = spread_of(compared)
    lower = spread.lower_than(official(standing.rating))
    return Percentile(spread.people, lower, counted_at)


def _points(chain: list[_Link], *, sees_exact: bool) -> dict[System, list[Point]]:
    """Return the points of each system in the order in which they took effect.

    A late section stands on the day of the line before it; otherwise the line would
    run back, and not end at the current rating.
    """
    points: defaultdict[System, list[Point]] = defaultdict(list)
    for link in chain:
        line = points[System(link.system)]
        day = link.place[0]
        shown_day = max(day, line[-1].day) if line else day
        # The place of a point tells decimals too, and some are for nobody.
        other = (
            _("Opening entry")
            if link.adjustment is None
            else _("Adjusted by the office")
        )
        name = link.home or link.abroad or other
        rating = shown(link.post_rating, 0 if sees_exact else link.tells_start)
        if not isinstance(rating, About):
            rating = official(rating)
        line.append(Point(shown_day, rating, name))
    return {system: points[system] for system in System if system in points}
