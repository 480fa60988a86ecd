"""Rankings: always of an official list, so that a place is as fixed as the list.

Equal ratings share a place. Ages are those on the first day of the list's quarter, so
that leaving a band does not tell a birthday, and only ever decide who is in a band;
members without a known birth date are in none.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import accumulate

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import Count, F, FilteredRelation, Q, QuerySet, Subquery
from django.db.models.functions import Abs
from django.utils.translation import gettext_lazy

from players.models import Player
from ratings.engine.classes import CLASSES, RatingClass
from ratings.engine.systems import System
from ratings.ledger.queries.published import official_number
from ratings.models import OfficialList, OfficialRating
from ratings_site.common.database.listed import Listed, listed, numbers_in
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE


@dataclass(frozen=True, slots=True)
class Band:
    """Everybody from *youngest* to below *oldest* years of age; None is no limit."""

    slug: str
    name: str
    youngest: int | None = None
    below: int | None = None

    def holds(self, day: date) -> Q:
        """Return the condition that a player has an age of the band on *day*."""
        condition = Q(player__birth_date__isnull=False)
        if self.below is not None:
            condition &= Q(player__birth_date__gt=_years_before(day, self.below))
        if self.youngest is not None:
            condition &= Q(player__birth_date__lte=_years_before(day, self.youngest))
        return condition


def counted_on(month: date) -> date:
    """Return on which day ages count for the list of a month: its quarter's first.

    >>> counted_on(date(2024, 6, 1))
    datetime.date(2024, 4, 1)
    """
    return month.replace(month=3 * ((month.month - 1) // 3) + 1, day=1)


def _years_before(day: date, years: int) -> date:
    return day.replace(year=day.year - years)


BANDS = (
    *(
        Band(f"u{age}", f"Under {age}", below=age)
        for age in (8, 10, 12, 14, 16, 18, 21)
    ),
    Band("50-up", gettext_lazy("50 and older"), youngest=50),
    Band("65-up", gettext_lazy("65 and older"), youngest=65),
)


def band_by_slug(slug: str) -> Band | None:
    return next((band for band in BANDS if band.slug == slug), None)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whom a ranking compares. *top* is for the first hundred only."""

    system: System
    state: str = ""
    band: Band | None = None
    women: bool = False
    rating_class: RatingClass | None = None
    established: bool = False
    top: bool = False

    @property
    def is_cut(self) -> bool:
        """Bands are top lists always: children far down are nobody's business."""
        return self.top or self.band is not None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A line of a ranking. *percent* of those compared are rated lower."""

    place: int
    is_shared: bool
    row: OfficialRating
    percent: int


@dataclass(frozen=True, slots=True)
class Ranking:
    total: int
    page: Page
    lines: list[Ranked]

    @property
    def has_about(self) -> bool:
        return any(line.row.is_about for line in self.lines)


def ranking(official: OfficialList, wanted: Wanted, page_number: object) -> Ranking:
    """Return a page of a ranking in two queries, however many are compared.

    How many have each rating says which ratings are on the page, so that only their
    members are sorted by name.
    """
    compared = _compared(official, wanted)
    members, players = _by_rating(compared, names=wanted.band is not None)
    shown = _cut(members) if wanted.is_cut else members
    page = Paginator(range(sum(shown.values())), ROWS_ON_A_PAGE).get_page(page_number)
    total = sum(members.values())
    if players:
        ratings, _ = _on_page(members, page)
        on_page = [pk for rating in ratings for pk in numbers_in(players[rating])]
        compared = compared.filter(player__among=on_page)
    in_order = compared.select_related("player").order_by("-rating", *NAMES)
    rows = _rows(in_order, members, page, by="rating")
    return Ranking(total, page, _lines(rows, members, total))


NAMES = ("player__search_name", "player__member_id")


def _by_rating(
    compared: QuerySet[OfficialRating], *, names: bool
) -> tuple[dict[int, int], dict[int, str]]:
    """Count the members of each rating, the highest first, and *names* them if asked.

    Named, those on a page need not be looked for among all once more.
    """
    ratings = compared.order_by("-rating").values_list("rating")
    if not names:
        return dict(ratings.annotate(members=Count("*"))), {}
    counted = list(ratings.annotate(members=Count("*"), players=Listed("player_id")))
    return (
        {rating: members for rating, members, _ in counted},
        {rating: players for rating, _, players in counted},
    )


def _rows(
    in_order: QuerySet[OfficialRating], members: dict[int, int], page: Page, *, by: str
) -> list[OfficialRating]:
    """Return the rows whose places in the order are those of the page (one query)."""
    numbers, before = _on_page(members, page)
    if not numbers:
        return []
    rows = in_order.filter(**{f"{by}__range": (numbers[-1], numbers[0])})
    return list(rows[page[0] - before : page[-1] + 1 - before])


def _on_page(members: dict[int, int], page: Page) -> tuple[list[int], int]:
    """Return the numbers that those on the page have, and how many members before."""
    if not page:
        return [], 0
    reached = list(accumulate(members.values()))
    first, last = bisect_right(reached, page[0]), bisect_right(reached, page[-1])
    return list(members)[first : last + 1], reached[first - 1] if first else 0


def own_place(official: OfficialList, wanted: Wanted, player: Player) -> int | None:
    """Return a member's place in a ranking, None if left out (two queries)."""
    compared = _compared(official, wanted)
    rating = compared.filter(player=player).values_list("rating", flat=True).first()
    return None if rating is None else 1 + compared.filter(rating__gt=rating).count()


def _compared(official: OfficialList, wanted: Wanted) -> QuerySet[OfficialRating]:
    rows = official.ratings.filter(system=wanted.system)
    if wanted.state:
        rows = rows.filter(state=wanted.state)
    if wanted.band is not None:
        rows = rows.filter(wanted.band.holds(counted_on(official.month)))
    if wanted.women:
        rows = rows.filter(player__gender=Player.Gender.FEMALE)
    if wanted.rating_class is not None:
        rows = rows.filter(_of_class(wanted.rating_class))
    if wanted.established:
        rows = rows.filter(is_provisional=False)
    return rows


def _of_class(one: RatingClass) -> Q:
    higher = [other.lowest for other in CLASSES if other.lowest > one.lowest]
    condition = Q(rating__gte=one.lowest)
    return condition & Q(rating__lt=min(higher)) if higher else condition


def _cut(members: dict[int, int]) -> dict[int, int]:
    """Keep the first hundred, and those who share the last place among them."""
    higher = [0, *accumulate(members.values())]
    kept = zip(members.items(), higher, strict=False)
    return dict(one for one, before in kept if before < settings.TOP_LIST_LENGTH)


def _lines(
    rows: list[OfficialRating], members: dict[int, int], total: int
) -> list[Ranked]:
    higher = dict(zip(members, [0, *accumulate(members.values())], strict=False))
    return [
        Ranked(
            place=1 + higher[row.rating],
            is_shared=members[row.rating] > 1,
            row=row,
            percent=percent_of(total - higher[row.rating] - members[row.rating], total),
        )
        for row in rows
    ]


def percent_of(part: int, total: int) -> int:
    """Return whole percents, rounded down: nobody is better than 100 %.

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
    """Return the latest list and the member's places on it (two queries)."""
    latest = OfficialList.objects.first()
    if latest is None:
        return None, []
    return latest, _places(latest, latest.ratings.filter(player=player))


def official_ratings_of(numbers: Iterable[int]) -> QuerySet[OfficialRating]:
    """Return all official ratings of a person, the earliest first (one query).

    Each with its ``month`` and whether it ``is_newest``, on the latest list there is.
    """
    newest = OfficialList.objects.order_by("-month").values("pk")[:1]
    return (
        OfficialRating.objects.filter(player__in=list(numbers))
        .annotate(month=F("list__month"), is_newest=Q(list=Subquery(newest)))
        .order_by("list__month")
    )


def ranks_among(
    player: Player, listed: Iterable[OfficialRating]
) -> tuple[OfficialList | None, list[Place]]:
    """Return the same as `ranks_of` out of a person's official ratings (one query).

    A member who is not on the latest list costs none, and hears of no list.
    """
    rows = [row for row in listed if row.is_newest and row.player_id == player.pk]
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


# Two lists beside each other


class Difference(StrEnum):
    """In what a member's rating differs between two lists."""

    CHANGED = "changed"
    UP = "up"
    DOWN = "down"
    NEW = "new"
    DROPPED = "dropped"


def with_earlier(
    later: OfficialList, earlier: OfficialList, system: System
) -> QuerySet[OfficialRating]:
    """Return the ratings of *later*, with those of *earlier* beside them.

    ``before`` is None for those who were not on it; else ``gain`` is the change.
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
        gain=F("rating") - F("then__rating"),
        points=Abs(F("rating") - F("then__rating")),
    )


def improvers(
    later: OfficialList, earlier: OfficialList, system: System, *, state: str = ""
) -> QuerySet[OfficialRating]:
    """Return who has gained points between two lists, most first.

    A rating has to be established on both: a provisional one moves by its nature.
    """
    rows = with_earlier(later, earlier, system).filter(
        gain__gt=0, is_provisional=False, was_provisional=False
    )
    if state:
        rows = rows.filter(state=state)
    return rows.select_related("player").order_by("-gain", "-rating", *NAMES)


def turned_to(
    moved: QuerySet[OfficialRating],
    number: object,
    moves: "Moves",
    kind: Difference,
) -> Page:
    """Turn to a page of `improvers` or of `differing` that have an earlier rating.

    *moves* are theirs. How many changed by so many points says by how many those on
    the page did, so that only these are read and put in order (one query).
    """
    members = moves.by_points(kind)
    page = Paginator(range(sum(members.values())), ROWS_ON_A_PAGE).get_page(number)
    players = moves.players(kind, _on_page(members, page)[0])
    moved = moved.filter(player__among=players)
    page.object_list = _rows(moved, members, page, by="points")
    return page


_DIFFERS = {
    Difference.CHANGED: Q(gain__gt=0) | Q(gain__lt=0),
    Difference.UP: Q(gain__gt=0),
    Difference.DOWN: Q(gain__lt=0),
    Difference.NEW: Q(before__isnull=True),
}


def differing(
    later: OfficialList, earlier: OfficialList, system: System, kind: Difference
) -> QuerySet[OfficialRating]:
    """Return the ratings that differ: the largest change first, or the highest rating.

    Members no longer on the list stand there with the rating of the earlier one.
    """
    if kind is Difference.DROPPED:
        still = later.ratings.filter(system=system).values("player")
        rows = earlier.ratings.filter(system=system).exclude(player__in=still)
        return rows.select_related("player").order_by("-rating", *NAMES)
    rows = with_earlier(later, earlier, system).filter(_DIFFERS[kind])
    first = "-rating" if kind is Difference.NEW else "-points"
    return rows.select_related("player").order_by(first, *NAMES)


@dataclass(frozen=True, slots=True)
class Moves:
    """How many gained so many points, or lost them; None for those who are new.

    *moved* names the players of each gain or loss, as a list within a text.
    """

    members: dict[int | None, int]
    moved: dict[int | None, str | None]

    def by_points(self, kind: Difference) -> dict[int, int]:
        """Count those whose rating moved in this way, the largest change first."""
        found: Counter[int] = Counter()
        for gain, members in self.members.items():
            if gain and _is_of_kind(gain, kind):
                found[abs(gain)] += members
        return dict(sorted(found.items(), reverse=True))

    def players(self, kind: Difference, points: Collection[int]) -> list[int]:
        """Return whose rating moved in this way by one of these numbers of points."""
        gains = {gain for point in points for gain in (point, -point)}
        return [
            player
            for gain in gains & self.moved.keys()
            if _is_of_kind(gain, kind)
            for player in numbers_in(self.moved[gain])
        ]


def _is_of_kind(gain: int, kind: Difference) -> bool:
    return kind in (Difference.CHANGED, Difference.UP if gain > 0 else Difference.DOWN)


# Without the members, whom a query of models cannot leave out: half the time. And whose
# rating moved is asked along with how many, or both lists would be joined once more.
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


def moves_between(
    earlier: OfficialList,
    later: OfficialList,
    system: System,
    *,
    state: str = "",
    established: bool = False,
) -> Moves:
    """Return how ratings moved between two lists, in all or in a state (one query).

    With *established* of those who were so on both.
    """
    narrowed = (_OF_STATE if state else "") + (_ESTABLISHED if established else "")
    query = _GAINS.format(
        players=listed("later.player_id"),
        table=OfficialRating._meta.db_table,
        narrowed=narrowed,
    )
    with connection.cursor() as cursor:
        cursor.execute(query, [earlier.pk, later.pk, system, *([state] * bool(state))])
        rows = cursor.fetchall()
    return Moves(
        members={gain: members for gain, members, _ in rows},
        moved={gain: players for gain, _, players in rows},
    )


@dataclass(frozen=True, slots=True)
class Differences:
    """How two lists differ. Who was *dropped* is on the earlier one only."""

    moves: Moves
    dropped: int

    def counts(self) -> dict[Difference, int]:
        moves = self.moves
        return {
            Difference.CHANGED: sum(moves.by_points(Difference.CHANGED).values()),
            Difference.UP: sum(moves.by_points(Difference.UP).values()),
            Difference.DOWN: sum(moves.by_points(Difference.DOWN).values()),
            Difference.NEW: moves.members.get(None, 0),
            Difference.DROPPED: self.dropped,
        }


def differences(
    later: OfficialList, earlier: OfficialList, system: System
) -> Differences:
    """Count how two lists differ (one query)."""
    moves = moves_between(earlier, later, system)
    on_both = sum(moves.members.values()) - moves.members.get(None, 0)
    then = earlier.summary["totals"].get(system, {}).get("", 0)
    return Differences(moves, then - on_both)


def states_on(official: OfficialList) -> list[str]:
    """Return the states that somebody on the list lives in."""
    totals = official.summary["totals"].values()
    return sorted({state for counts in totals for state in counts if state})
