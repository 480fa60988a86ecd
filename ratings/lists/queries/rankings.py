"""Rankings, always of an official list, so that places do not change.

Equal ratings share a place. Ages are as of the first day of the list's quarter, so that
leaving a band does not reveal a birthday, and are used for bands only. Members without
a known birth date are in no band.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypedDict

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import (
    Count,
    Exists,
    F,
    FilteredRelation,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextChoices,
    Value,
)
from django.db.models.functions import Abs
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from players.members.queries import PLAYER_BY_NAME
from players.models import Player
from ratings.engine.classes import RatingClass
from ratings.engine.systems import System
from ratings.ledger.queries.point_in_time import in_force
from ratings.ledger.queries.published_ratings import official_number
from ratings.lists.months import months_before
from ratings.lists.queries.classes import highest_of
from ratings.models import OfficialList, OfficialRating, RatingChange
from ratings_site.common.db.array_agg import ArrayAgg, array_agg_sql, parse_numbers
from ratings_site.common.ui.pagination import ROWS_PER_PAGE

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


@dataclass(frozen=True, slots=True)
class Band:
    """An age group from *youngest* to under *below* years; None is no limit."""

    slug: str
    name: str | Promise
    youngest: int | None = None
    below: int | None = None

    def age_condition(self, day: date) -> Q:
        """Return the condition that a player has an age of the band on *day*."""
        condition = Q(player__birth_date__isnull=False)
        if self.below is not None:
            condition &= Q(player__birth_date__gt=_subtract_years(day, self.below))
        if self.youngest is not None:
            condition &= Q(player__birth_date__lte=_subtract_years(day, self.youngest))
        return condition


def age_date(month: date) -> date:
    """Return the day of the ages for the list of a month: the first of its quarter.

    >>> age_date(date(2024, 6, 1))
    datetime.date(2024, 4, 1)
    """
    return month.replace(month=3 * ((month.month - 1) // 3) + 1, day=1)


def active_since(month: date) -> date | None:
    """Return the day from which a member on a top list has to have played, if any.

    >>> active_since(date(2026, 12, 1))
    datetime.date(2025, 11, 1)
    """
    months = settings.TOP_LIST_ACTIVE_MONTHS
    return months_before(month, months) if months else None


def _subtract_years(day: date, years: int) -> date:
    return day.replace(year=day.year - years)


BANDS = (
    *(
        Band(f"u{age}", format_lazy(_("Under {age}"), age=age), below=age)
        for age in (8, 10, 12, 14, 16, 18, 21)
    ),
    Band("50-up", _("50 and older"), youngest=50),
    Band("65-up", _("65 and older"), youngest=65),
)


def band_by_slug(slug: str) -> Band | None:
    return next((band for band in BANDS if band.slug == slug), None)


@dataclass(frozen=True, slots=True)
class RankingFilter:
    """The filter of a ranking.

    *top* is for the first hundred only, of members who played within
    TOP_LIST_ACTIVE_MONTHS (Top 100 lists of US Chess). *most_active* ranks by the games
    of a year, and only members who played.
    """

    system: System
    state: str = ""
    band: Band | None = None
    women: bool = False
    rating_class: RatingClass | None = None
    established: bool = False
    top: bool = False
    most_active: bool = False

    @property
    def ranked_by(self) -> str:
        return "year_games" if self.most_active else "rating"

    @property
    def is_top_list(self) -> bool:
        """Whether only the first hundred are shown, as always for age bands."""
        return self.top or self.band is not None


@dataclass(frozen=True, slots=True)
class RankingRow:
    """A row of a ranking. *percent* of the compared members are rated lower."""

    place: int
    is_shared: bool
    row: OfficialRating
    percent: int


@dataclass(frozen=True, slots=True)
class Ranking:
    total: int
    page: Page[int]
    lines: list[RankingRow]

    @property
    def has_about(self) -> bool:
        return any(line.row.is_about for line in self.lines)


def ranking(
    official: OfficialList,
    ranking_filter: RankingFilter,
    page_number: int | str | None,
    order: Sequence[str] = (),
) -> Ranking:
    """Return a page of a ranking, the highest rating first (two queries).

    The number of members with each rating determines the ratings on the page, so that
    only their members are sorted by name. In another *order*, all are sorted.
    """
    compared, by = _filtered(official, ranking_filter), ranking_filter.ranked_by
    members, players = _counted(compared, by, names=ranking_filter.band is not None)
    shown = _truncate(members) if ranking_filter.is_top_list else members
    page = Paginator(range(sum(shown.values())), ROWS_PER_PAGE).get_page(page_number)
    total = sum(members.values())
    if order:
        ordered = _on(page, _ordered(compared, by, shown, order))
        return Ranking(total, page, list(_lines(ordered, by, members, total)))
    if players:
        ratings, _ = _on_page(members, page)
        on_page = [pk for rating in ratings for pk in parse_numbers(players[rating])]
        compared = compared.filter(player__in_array=on_page)
    in_order = compared.select_related("player").order_by(f"-{by}", *PLAYER_BY_NAME)
    rows = _rows(in_order, members, page, by=by)
    return Ranking(total, page, list(_lines(rows, by, members, total)))


def whole_ranking(
    official: OfficialList, ranking_filter: RankingFilter, order: Sequence[str]
) -> Iterator[RankingRow]:
    """Yield all rows of a ranking (two queries, once the first is asked for)."""
    compared, by = _filtered(official, ranking_filter), ranking_filter.ranked_by
    members, _ = _counted(compared, by, names=False)
    shown = _truncate(members) if ranking_filter.is_top_list else members
    rows = _ordered(compared, by, shown, order or (f"-{by}", *PLAYER_BY_NAME))
    rows_in_turn, total = rows.iterator(chunk_size=500), sum(members.values())
    yield from _lines(rows_in_turn, by, members, total)


def _ordered(
    compared: QuerySet[OfficialRating],
    by: str,
    shown: dict[int, int],
    order: Sequence[str],
) -> QuerySet[OfficialRating]:
    rows = compared.filter(**{f"{by}__gte": min(shown, default=0)})
    return rows.select_related("player").order_by(*order)


def _counted(
    compared: QuerySet[OfficialRating], by: str, *, names: bool
) -> tuple[dict[int, int], dict[int, str]]:
    """Count the members of each rating, highest first; with *names*, list their keys.

    With the keys, the members on a page are found by primary key.
    """
    ratings = compared.order_by(f"-{by}").values_list(by)
    if not names:
        return dict(ratings.annotate(members=Count("*"))), {}
    counted = list(ratings.annotate(members=Count("*"), players=ArrayAgg("player_id")))
    return (
        {rating: members for rating, members, _ in counted},
        {rating: players for rating, _, players in counted},
    )


def _rows(
    in_order: QuerySet[OfficialRating],
    members: dict[int, int],
    page: Page[int],
    *,
    by: str,
) -> list[OfficialRating]:
    """Return the rows of the page, in order (one query)."""
    numbers, before = _on_page(members, page)
    if not numbers:
        return []
    rows = in_order.filter(**{f"{by}__range": (numbers[-1], numbers[0])})
    return list(rows[page[0] - before : page[-1] + 1 - before])


def _on(page: Page[Any], rows: QuerySet[Any]) -> QuerySet[Any]:
    first = max(page.start_index() - 1, 0)
    return rows[first : first + len(page)]


def _on_page(members: dict[int, int], page: Page[int]) -> tuple[list[int], int]:
    """Return the ratings on the page, and the number of members before them."""
    if not page:
        return [], 0
    reached = list(accumulate(members.values()))
    first, last = bisect_right(reached, page[0]), bisect_right(reached, page[-1])
    return list(members)[first : last + 1], reached[first - 1] if first else 0


def own_place(
    official: OfficialList, ranking_filter: RankingFilter, player: Player
) -> int | None:
    """Return a member's place in a ranking, None if left out (two queries)."""
    compared, by = _filtered(official, ranking_filter), ranking_filter.ranked_by
    own = compared.filter(player=player).values_list(by, flat=True).first()
    return None if own is None else 1 + compared.filter(**{f"{by}__gt": own}).count()


def _filtered(
    official: OfficialList, ranking_filter: RankingFilter
) -> QuerySet[OfficialRating]:
    rows = official.ratings.filter(system=ranking_filter.system)
    if ranking_filter.state:
        rows = rows.filter(state=ranking_filter.state)
    if ranking_filter.band is not None:
        rows = rows.filter(ranking_filter.band.age_condition(age_date(official.month)))
    if ranking_filter.women:
        rows = rows.filter(player__gender=Player.Gender.FEMALE)
    if (rating_class := ranking_filter.rating_class) is not None:
        rows = rows.filter(rating__gte=rating_class.lowest)
        if (highest := highest_of(rating_class)) is not None:
            rows = rows.filter(rating__lte=highest)
    if ranking_filter.established:
        rows = rows.filter(is_provisional=False)
    if ranking_filter.most_active:
        rows = rows.filter(year_games__gt=0)
    since = active_since(official.month)
    if ranking_filter.is_top_list and since:
        # An adjustment by the office can be newer than the last event.
        played = RatingChange.objects.filter(
            player=OuterRef("player"),
            calculation__system=OuterRef("system"),
            calculation__adjustment=None,
            calculation__order_date__range=(since, official.month),
        ).filter(in_force(official.cut_off, of="calculation__"))
        rows = rows.filter(latest__order_date__gte=since)
        rows = rows.filter(Q(latest__adjustment=None) | Exists(played))
    return rows


def _truncate(members: dict[int, int]) -> dict[int, int]:
    """Keep the first hundred, with all who share the last place."""
    higher = [0, *accumulate(members.values())]
    kept = zip(members.items(), higher, strict=False)
    return dict(one for one, before in kept if before < settings.TOP_LIST_LENGTH)


def _lines(
    rows: Iterable[OfficialRating], by: str, members: dict[int, int], total: int
) -> Iterator[RankingRow]:
    higher = dict(zip(members, [0, *accumulate(members.values())], strict=False))
    for row in rows:
        number = getattr(row, by)
        yield RankingRow(
            place=1 + higher[number],
            is_shared=members[number] > 1,
            row=row,
            percent=percent_of(total - higher[number] - members[number], total),
        )


def percent_of(part: int, total: int) -> int:
    """Return a whole percentage, rounded down.

    >>> percent_of(999, 1000), percent_of(1, 3), percent_of(0, 0)
    (99, 33, 0)
    """
    return 100 * part // total if total else 0


# One member's places


@dataclass(frozen=True, slots=True)
class Place:
    """A member's place in the country and the state on the latest official list."""

    system: System
    rating: float
    is_provisional: bool
    place: int
    total: int
    above: int
    state: str
    state_place: int | None
    state_total: int

    @property
    def percent(self) -> int:
        return percent_of(self.above, self.total)


def ranks_of(player: Player) -> tuple[OfficialList | None, list[Place]]:
    """Return the latest list, and the member's places on it (two queries)."""
    latest = OfficialList.objects.first()
    if latest is None:
        return None, []
    return latest, _places(latest, latest.ratings.filter(player=player))


class OnList(TypedDict):
    month: date
    is_newest: bool


def official_ratings_of(
    numbers: Iterable[int],
) -> "QuerySet[WithAnnotations[OfficialRating, OnList]]":
    """Return all official ratings of a person, the earliest first (one query).

    Each has its ``month`` and ``is_newest``: whether it is on the latest list.
    """
    newest = OfficialList.objects.values("pk")[:1]
    effective = OfficialList.objects.effective()
    return (
        OfficialRating.objects.filter(player__in=list(numbers), list__in=effective)
        .annotate(month=F("list__month"), is_newest=Q(list=Subquery(newest)))
        .order_by("list__month", *OfficialRating.KEPT_LAST)
    )


def ranks_among(
    player: Player,
    official_ratings: "Iterable[WithAnnotations[OfficialRating, OnList]]",
) -> tuple[OfficialList | None, list[Place]]:
    """Return the same as `ranks_of` from a person's official ratings (one query).

    Without a query, return no list for a member who is not on the latest one.
    """
    rows = [
        row for row in official_ratings if row.is_newest and row.player_id == player.pk
    ]
    if not rows:
        return None, []
    latest = OfficialList.objects.get(pk=rows[0].list_id)
    return latest, _places(latest, rows)


def _places(latest: OfficialList, rows: Iterable[OfficialRating]) -> list[Place]:
    by_system = {System(row.system): row for row in rows}
    totals = latest.summary["totals"]
    return [
        _place(by_system[system], totals[system])
        for system in System
        if system in by_system
    ]


def _place(row: OfficialRating, totals: dict[str, int]) -> Place:
    return Place(
        system=System(row.system),
        rating=official_number(row),
        is_provisional=row.is_provisional,
        place=row.place,
        total=totals[""],
        above=row.above,
        state=row.state,
        state_place=row.state_place,
        state_total=totals.get(row.state, 0) if row.state else 0,
    )


# Comparing two lists


class Difference(TextChoices):
    """How a member's rating differs between two lists."""

    CHANGED = "changed", _("all changes")
    UP = "up", "gains"
    DOWN = "down", "losses"
    NEW = "new", _("new on the list")
    DROPPED = "dropped", _("no longer on the list")


def with_earlier(
    later: OfficialList, earlier: OfficialList, system: System
) -> QuerySet[Any]:
    """Return the ratings of *later*, annotated with those of *earlier*.

    ``before`` is None for members not on *earlier*; ``gain`` is the change.
    """
    then = FilteredRelation(
        "player__official_ratings",
        condition=Q(
            player__official_ratings__list=earlier,
            player__official_ratings__system=system,
        ),
    )
    return later.ratings.filter(system=system).annotate(
        then=then,
        before=F("then__rating"),
        was_about=F("then__is_about"),
        was_provisional=F("then__is_provisional"),
        after=F("rating"),
        gain=F("rating") - F("then__rating"),
        points=Abs(F("rating") - F("then__rating")),
    )


def improvers(
    later: OfficialList, earlier: OfficialList, system: System, *, state: str = ""
) -> QuerySet[OfficialRating]:
    """Return the ratings that rose between two lists, the largest gain first.

    A rating has to be established on both, because provisional ratings move more.
    """
    rows = with_earlier(later, earlier, system).filter(
        gain__gt=0, is_provisional=False, was_provisional=False
    )
    if state:
        rows = rows.filter(state=state)
    return rows.select_related("player").order_by("-gain", "-rating", *PLAYER_BY_NAME)


def page_of_changes(
    moved: QuerySet[OfficialRating],
    number: int | str | None,
    gains: "GainCounts",
    kind: Difference,
    order: Sequence[str] = (),
) -> Page[OfficialRating]:
    """Return a page of `improvers`, or of `changed_ratings` with an earlier rating.

    *gains* are their counts, which determine the gains on the page, so that only these
    rows are read and sorted (one query). In another *order*, all are sorted.
    """
    members = gains.by_points(kind)
    paginator: Paginator[Any] = Paginator(range(sum(members.values())), ROWS_PER_PAGE)
    page = paginator.get_page(number)
    if order:
        page.object_list = list(_on(page, moved.order_by(*order)))
        return page
    players = gains.players(kind, _on_page(members, page)[0])
    moved = moved.filter(player__in_array=players)
    page.object_list = _rows(moved, members, page, by="points")
    return page


_DIFFERS = {
    Difference.CHANGED: Q(gain__gt=0) | Q(gain__lt=0),
    Difference.UP: Q(gain__gt=0),
    Difference.DOWN: Q(gain__lt=0),
    Difference.NEW: Q(before__isnull=True),
}


def changed_ratings(
    later: OfficialList, earlier: OfficialList, system: System, kind: Difference
) -> QuerySet[OfficialRating]:
    """Return the ratings that differ, the largest change or the highest rating first.

    Members no longer on the list have the rating of the earlier one.
    """
    if kind is Difference.DROPPED:
        still = later.ratings.filter(system=system).values("player")
        rows = earlier.ratings.filter(system=system).exclude(player__in=still)
        none = Value(None, IntegerField())
        rows = rows.annotate(
            before=F("rating"), was_about=F("is_about"), after=none, gain=none
        )
        return rows.select_related("player").order_by("-rating", *PLAYER_BY_NAME)
    rows = with_earlier(later, earlier, system).filter(_DIFFERS[kind])
    first = "-rating" if kind is Difference.NEW else "-points"
    return rows.select_related("player").order_by(first, *PLAYER_BY_NAME)


@dataclass(frozen=True, slots=True)
class GainCounts:
    """The number of members by gain in points; the gain is None for new members.

    *moved* has the keys of the players of each gain, joined in a string.
    """

    members: dict[int | None, int]
    moved: dict[int | None, str | None]

    def by_points(self, kind: Difference) -> dict[int, int]:
        """Count the changes of this kind by points, the largest change first."""
        found: Counter[int] = Counter()
        for gain, members in self.members.items():
            if gain and _is_of_kind(gain, kind):
                found[abs(gain)] += members
        return dict(sorted(found.items(), reverse=True))

    def players(self, kind: Difference, points: Collection[int]) -> list[int]:
        """Return the players with a change of this kind by one of these points."""
        gains = {gain for point in points for gain in (point, -point)}
        return [
            player
            for gain in gains & self.moved.keys()
            if _is_of_kind(gain, kind)
            for player in parse_numbers(self.moved[gain])
        ]


def _is_of_kind(gain: int, kind: Difference) -> bool:
    return kind in (Difference.CHANGED, Difference.UP if gain > 0 else Difference.DOWN)


# Raw SQL takes half the time, because the ORM would join the members. It returns the
# players along with the counts, to avoid joining both lists again.
_GAINS = """
SELECT later.rating - earlier.rating, COUNT(*),
{players} FILTER (WHERE later.rating <> earlier.rating)
FROM {table} later LEFT JOIN {table} earlier
ON earlier.player_id = later.player_id
AND earlier.list_id = %s AND earlier.system = later.system
WHERE later.list_id = %s AND later.system = %s{narrowed} GROUP BY 1
"""
_OF_STATE = " AND later.state = %s"
_ESTABLISHED = " AND NOT later.is_provisional AND NOT earlier.is_provisional"


def gains_between(
    earlier: OfficialList,
    later: OfficialList,
    system: System,
    *,
    state: str = "",
    established: bool = False,
) -> GainCounts:
    """Count the changes between two lists, in all states or one (one query).

    With *established*, count only ratings established on both lists.
    """
    narrowed = (_OF_STATE if state else "") + (_ESTABLISHED if established else "")
    query = _GAINS.format(
        players=array_agg_sql("later.player_id"),
        table=OfficialRating._meta.db_table,
        narrowed=narrowed,
    )
    with connection.cursor() as cursor:
        cursor.execute(query, [earlier.pk, later.pk, system, *([state] * bool(state))])
        rows = cursor.fetchall()
    return GainCounts(
        members={gain: members for gain, members, _ in rows},
        moved={gain: players for gain, _, players in rows},
    )


def count_differences(
    gains: GainCounts, earlier: OfficialList, system: System
) -> dict[Difference, int]:
    """Count how two lists differ, from all *gains* between them."""
    new = gains.members.get(None, 0)
    on_both = sum(gains.members.values()) - new
    then = earlier.summary["totals"].get(system, {}).get("", 0)
    moved = (Difference.CHANGED, Difference.UP, Difference.DOWN)
    return {
        **{kind: sum(gains.by_points(kind).values()) for kind in moved},
        Difference.NEW: new,
        Difference.DROPPED: then - on_both,
    }


def states_on(official: OfficialList) -> list[str]:
    """Return the states of the members on the list."""
    totals = official.summary["totals"].values()
    return sorted({state for counts in totals for state in counts if state})
