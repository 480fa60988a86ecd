"""What of a section's working can be shown without giving away a birth date.

An unrated player starts from a rating by age, or from a blend in which the age
counts. Anyone who knows that start knows the birth date. So it is hidden, and so is
every figure that it could be solved from: the first estimate, and what was computed
from it. Where it went into a standard formula, where one point more or less of an
opponent hardly moves the result, the whole number is shown. And because all players
together, with their decimals, would give the start away to a hundredth of a point, a
section with a hidden start shows whole numbers only.

Decimals of others are for nobody, and where even the whole number would be the start,
or hold much of it, it is shown rounded: "about 500", or "about 510" where it
holds little of it (`tells_start`, `shown`). What that
bounds, and what it does not, stands in docs/privacy.md; tests/privacy attacks it.
"""

import math
from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from datetime import date
from enum import Enum
from functools import cache, cached_property
from itertools import starmap
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db.models import (
    Case,
    Exists,
    F,
    FloatField,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Floor
from django.db.models.lookups import LessThan

from players.guardians.notices import is_of_age
from ratings.engine.cards import PlayerId, Record
from ratings.engine.numbers import official
from ratings.engine.outcomes import Formula
from ratings.engine.section import Entry, Steps
from ratings.engine.systems import System
from ratings.models import PlayerRating, RatingChange
from ratings.models.official import FEWEST_GAMES
from ratings_site.common.database import among  # noqa: F401 (registers the lookup)
from ratings_site.common.looks.figures import About

# A start by age: points for a year, and where age counts no longer.
POINTS_A_YEAR = 50.0
HIGHEST_START = 1300.0
ADULT = 26  # from which age on all start alike
# The rule of the engine (established_after), for conditions of the database.
MOST_PROVISIONAL = 25
# How much of the start a rating tells, and to what it is rounded then.
SOME, MOST = 1, 2
STEPS = {SOME: 10, MOST: 50}
PLAYERS_AT_A_TIME = 5000
UNMIXED = (Record.ALL_WINS, Record.ALL_LOSSES)


class Shown(Enum):
    """How much of a number may be seen."""

    EXACT = "exact"
    WHOLE = "whole"
    HIDDEN = "hidden"


class Curtain:
    """Decides number by number; *may_see* tells whose start the reader may know."""

    def __init__(self, steps: Steps, may_see: Callable[[PlayerId], bool]) -> None:
        self._entries = steps.entries
        self._intermediates = steps.intermediates
        self._places = {
            entry.competitor.id: place for place, entry in enumerate(steps.entries)
        }
        self._hidden = [
            entry.competitor.rating is None
            and entry.competitor.initial is None
            and not may_see(entry.competitor.id)
            for entry in steps.entries
        ]

    @property
    def rounds(self) -> bool:
        """Tell whether a hidden start went into the section, so that it is rounded."""
        return any(
            hidden and entry.opponents
            for hidden, entry in zip(self._hidden, self._entries, strict=True)
        )

    def hides_start(self, player: PlayerId) -> bool:
        return self._hidden[self._places[player]]

    def hides_blend(self, player: PlayerId) -> bool:
        """Tell whether the hidden start takes part in every formula of the player."""
        place = self._places[player]
        return self._hidden[place] and self._entries[place].start.games > 0

    def start(self, player: PlayerId) -> Shown:
        return Shown.HIDDEN if self.hides_start(player) else Shown.EXACT

    def strength(self, player: PlayerId) -> Shown:
        """How a player's rating as an opponent in step 4 may be shown."""
        place = self._places[player]
        entry = self._entries[place]
        is_estimated = entry.competitor.rating is None and entry.start.games == 0
        if self._hidden[place] or (is_estimated and self._meets_hidden(entry)):
            return Shown.HIDDEN
        return Shown.EXACT

    def intermediate(self, player: PlayerId) -> Shown:
        """How a player's result of step 4, used in step 5, may be shown."""
        place = self._places[player]
        entry = self._entries[place]
        if self.hides_blend(player) or self._equals_hidden_start(place):
            return Shown.HIDDEN
        strengths = {
            self.strength(self._entries[opponent].competitor.id)
            for opponent in entry.opponents
        }
        if Shown.HIDDEN not in strengths:
            return Shown.EXACT
        is_standard = entry.formula is Formula.STANDARD
        return Shown.WHOLE if is_standard else Shown.HIDDEN

    def _meets_hidden(self, entry: Entry) -> bool:
        return any(self._hidden[opponent] for opponent in entry.opponents)

    def _equals_hidden_start(self, place: int) -> bool:
        """A result that any rating of a range balances is the start itself."""
        start = self._entries[place].start.rating
        return self._hidden[place] and self._intermediates[place] == start


def is_guarded() -> bool:
    return settings.BIRTH_DATE_WINDOW > 0


def step(told: int) -> int:
    """Return to what a rating is rounded of whose start so much is told.

    At the window of 90 days to tens and fifties, at longer ones more: fifty points are
    at least four times what a start moves in the window.
    """
    points = settings.BIRTH_DATE_WINDOW * POINTS_A_YEAR / 365.25
    times = max(1, -int(-4 * points // STEPS[MOST]))
    return STEPS[told] * times


def about(rating: float, told: int) -> About:
    """Return *rating* as it is shown where more of it would tell the start."""
    return About(step(told) * math.floor(rating / step(told) + 0.5))


def shown(rating: float, told: int) -> float:
    """Return *rating* as somebody sees it who must not learn the start."""
    return about(rating, told) if told and is_guarded() else rating


def printed(rating: float, before: str, born: date | None, day: date) -> float:
    """Return a rating after that a report of *day* prints, as everybody sees it.

    Of somebody young whom it prints as unrated *before*, it may be a start by age.
    """
    was_rated = any(digit in before for digit in "123456789")
    is_young = born is not None and not is_of_age(born, day, ADULT)
    return shown(rating, 0 if was_rated or not is_young else MOST)


def difference(before: float | None, after: float | None) -> int | None:
    """Return the change of the whole numbers that people see.

    Of a newcomer, and of what is shown rounded, there is none: it would tell more.
    """
    if before is None or after is None:
        return None
    if isinstance(before, About) or isinstance(after, About):
        return None
    return official(after) - official(before)


# A player's first line in a system. Opening entries and adjustments are no sections.
_BEGAN: Final = {
    "calculation__is_current": True,
    "calculation__section__isnull": False,
    "pre_rating__isnull": True,
}
# Of adults (26 and older) and those not known to be younger the start says nothing.
_BY_AGE: Final = Q(initial_games=0, initial_rating__lt=HIGHEST_START)
# From what was blended from ratings by age, another start may be blended.
BLENDED_TWICE: Final = 2


def _began_by_age(blends: int = BLENDED_TWICE) -> Q:
    """The condition that a rating by age began a line, itself or through a blend.

    Who started from other ratings had games; of one source alone the start is that
    rating, so it tells as much. A source that was established by then tells nothing.
    """
    if not blends:
        return _BY_AGE
    established = RatingChange.objects.filter(
        player=OuterRef("player"),
        calculation__system=OuterRef("calculation__system"),
        calculation__is_current=True,
        calculation__age_day__lt=OuterRef(OuterRef("calculation__age_day")),
        post_games__gt=MOST_PROVISIONAL,
    )
    sources = RatingChange.objects.filter(
        _began_by_age(blends - 1),
        ~Exists(established),
        **_BEGAN,
        player=OuterRef("player"),
        calculation__age_day__lte=OuterRef("calculation__age_day"),
    )
    return _BY_AGE | Q(Exists(sources), initial_games__gt=0)


def _first_by_age(player: str, system: str) -> QuerySet[RatingChange]:
    """Return for a subquery the line that a rating by age began, if one did."""
    return RatingChange.objects.filter(
        _began_by_age(),
        **_BEGAN,
        player=OuterRef(player),
        calculation__system=OuterRef(system),
    ).order_by()


def _keeps_start(games: str) -> Q:
    """The condition that a rating on so many games may hold much of the start."""
    return Q(LessThan(OuterRef(games), FEWEST_GAMES)) | _result_keeps_start()


def _result_keeps_start() -> Q:
    """The condition that the first result may have been the start, or held much of it.

    After only wins or losses it usually is the start; after others, where any rating of
    a range balances the score. Through newcomers met it comes back from them, and a
    blend counts as games itself. So a rating may hold much of the start on more games
    too.
    """
    others = RatingChange.objects.filter(
        calculation=OuterRef("calculation"), pre_rating__isnull=True
    ).exclude(player=OuterRef("player"))
    return (
        Q(record__in=UNMIXED)
        | Q(post_rating=F("initial_rating"))
        | Q(initial_games__gt=0)
        | Q(Exists(others))
    )


class _Begun(NamedTuple):
    """A player's first line in a system, and how much of a start by age it tells."""

    player: int
    system: str
    day: date
    is_by_age: bool
    told: int


class Starts:
    """What `tells_start` says, for many ratings at once: of all, or of some *players*.

    Or only of *ratings*, which are players with a system: so nobody looks at how
    others of theirs were blended. More of them can be asked for later, best before the
    first answer.

    It asks the database when a rating comes that may tell anything (two queries at
    most). As a part of the query that reads the ratings it would be said in SQL for
    each column again, which takes longer to write and to plan than to answer.
    """

    def __init__(
        self,
        players: Iterable[int] | None = None,
        ratings: Iterable[tuple[int, str]] | None = None,
    ) -> None:
        self._is_of_all = players is None and ratings is None
        self._players = frozenset(players or ())
        self._ratings = set(ratings or ())

    def ask(self, ratings: Iterable[tuple[int, str]]) -> None:
        """Ask for more *ratings*; what was answered before is read again with them."""
        more = set(ratings) - self._ratings
        if more:
            self._ratings |= more
            self.__dict__.pop("_told", None)

    @cached_property
    def _told(self) -> dict[tuple[int, str], int]:
        begun: defaultdict[int, list[_Begun]] = defaultdict(list)
        players = self._players.union(player for player, _ in self._ratings)
        for line in _begun_lines(None if self._is_of_all else players):
            begun[line.player].append(line)
        asked = [
            line
            for lines in begun.values()
            for line in lines
            if self._asks(line.player, line.system)
        ]
        blended = {
            line.player
            for line in asked
            if not line.is_by_age and any(one.is_by_age for one in begun[line.player])
        }
        established = _established_since(list(blended))
        told: dict[tuple[int, str], int] = {}
        for line in asked:
            if _line_began_by_age(line, begun[line.player], established):
                key = line.player, line.system
                told[key] = max(line.told, told.get(key, 0))
        return told

    def _asks(self, player: int, system: str) -> bool:
        return (
            self._is_of_all
            or player in self._players
            or (player, system) in self._ratings
        )

    def told(self, player: int, system: str, games: int) -> int:
        if games > MOST_PROVISIONAL or not self._began(player, system):
            return 0
        return MOST if games < FEWEST_GAMES else self._told[player, system]

    def told_by(self, line: RatingChange, system: str) -> tuple[int, int]:
        """Return what the ratings before and after a line tell."""
        before = self.told(line.player_id, system, line.pre_games)
        return before, self.told(line.player_id, system, line.post_games)

    def ever_told(self, player: int, system: str) -> int:
        """Return what a rating tells of which the games are not known."""
        return MOST if self._began(player, system) else 0

    def _began(self, player: int, system: str) -> bool:
        if not self._asks(player, system):
            raise LookupError(f"Nobody asked how player {player} began in {system}.")
        return (player, system) in self._told


def _line_began_by_age(
    line: _Begun,
    lines: Sequence[_Begun],
    established: Mapping[tuple[int, str], date],
    blends: int = BLENDED_TWICE,
) -> bool:
    """Tell what `_began_by_age` tells, of one of a player's *lines*."""
    if line.is_by_age or not blends:
        return line.is_by_age
    return any(
        one.day <= line.day
        and established.get((one.player, one.system), date.max) >= line.day
        and _line_began_by_age(one, lines, established, blends - 1)
        for one in lines
    )


def _begun_lines(players: Collection[int] | None) -> Iterable[_Begun]:
    if players is None:
        return starmap(_Begun, _all_begun_lines().iterator())
    if not players:
        return []
    # For a few a cursor in the database takes longer than they do.
    return starmap(_Begun, _all_begun_lines().filter(player__among=players))


# Made once: it takes longer to write than to answer for one player.
@cache
def _all_begun_lines() -> QuerySet[RatingChange, tuple[Any, ...]]:
    lines = RatingChange.objects.filter(_BY_AGE | Q(initial_games__gt=0), **_BEGAN)
    is_by_age = Case(When(_BY_AGE, then=True), default=False)
    keeps = Case(When(_result_keeps_start(), then=MOST), default=SOME)
    return lines.order_by().values_list(
        "player_id", "calculation__system", "calculation__age_day", is_by_age, keeps
    )


def _established_since(players: Sequence[int]) -> dict[tuple[int, str], date]:
    """Return the first day on which each rating of these players was established."""
    found: dict[tuple[int, str], date] = {}
    for start in range(0, len(players), PLAYERS_AT_A_TIME):
        rows = RatingChange.objects.filter(
            player__among=players[start : start + PLAYERS_AT_A_TIME],
            calculation__is_current=True,
            post_games__gt=MOST_PROVISIONAL,
        ).order_by()
        grouped = rows.values_list("player_id", "calculation__system")
        for player, system, day in grouped.annotate(first=Min("calculation__age_day")):
            found[player, system] = day
    return found


# Made once: an expression is copied into each query, and dear to make.
@cache
def tells_start(
    games: str = "games", player: str = "player", system: str = "system"
) -> Combinable:
    """Annotate rows with how much of a start their rating, on so many games, tells.

    That is MOST where the rating may be the start or hold much of it, SOME for those
    who began by age until the rating is established, else 0. The arguments are the
    columns of the row, whatever its table. A row without *games* stands for all times.
    """
    first = _first_by_age(player, system)
    if not games:
        return Coalesce(Subquery(first.values(told=Value(MOST))[:1]), 0)
    told = Case(When(_keeps_start(games), then=MOST), default=SOME)
    return Case(
        When(_is_provisional(games), then=Coalesce(_of(first, told), 0)),
        default=Value(0),
    )


def coarse(
    rating: str = "rating",
    games: str = "games",
    player: str = "player",
    system: str = "system",
) -> Combinable:
    """Return the rating of a row as everybody sees it, for sorting and counting."""
    if not is_guarded():
        return F(rating)
    return _coarse(rating, games, player, system, step(MOST), step(SOME))


@cache
def _coarse(
    rating: str, games: str, player: str, system: str, most: int, some: int
) -> Case:
    rounded = Case(
        When(_keeps_start(games), then=_rounded(rating, most)),
        default=_rounded(rating, some),
        output_field=FloatField(),
    )
    first = _of(_first_by_age(player, system), rounded)
    return Case(
        When(_is_provisional(games), then=Coalesce(first, F(rating))),
        default=F(rating),
    )


def _is_provisional(games: str) -> Q:
    return Q(**{f"{games}__lte": MOST_PROVISIONAL})


def _of(first: QuerySet[RatingChange], value: Combinable) -> Subquery:
    return Subquery(first.values(value=value)[:1])


def _rounded(rating: str, to: int) -> Combinable:
    return Floor(OuterRef(rating) / float(to) + 0.5) * float(to)


def current_shown(players: Collection[int]) -> dict[int, dict[System, float]]:
    """Return the current ratings of members as everybody sees them (one query)."""
    found: dict[int, dict[System, float]] = {pk: {} for pk in players}
    if not found:
        return found
    rows = PlayerRating.objects.filter(player__in=players)
    for row in rows.annotate(tells_start=tells_start()):
        found[row.player_id][System(row.system)] = shown(row.rating, row.tells_start)
    return found


def has_newcomers(own: Collection[int]) -> Exists:
    """Annotate lines of the ledger: was anybody unrated there who is none of *own*?

    Those who were have no rating before, which in opening entries nobody has.
    """
    newcomers = RatingChange.objects.filter(
        calculation=OuterRef("calculation_id"),
        calculation__section__isnull=False,
        pre_rating__isnull=True,
    )
    return Exists(newcomers.exclude(player__in=own) if own else newcomers)


def newcomers_before(previous: object, own: Collection[int]) -> QuerySet[RatingChange]:
    """Return for a subquery whether the rating before came out of such a section.

    That rating is the "after" of the line before, *previous*, with the same decimals.
    """
    return (
        RatingChange.objects.filter(pk=previous)
        .annotate(has_newcomers=has_newcomers(own))
        .order_by()
        .values("has_newcomers")
    )
