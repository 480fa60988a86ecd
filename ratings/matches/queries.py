"""Matches between two players: what they have used of the limits, and what is left."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from django.urls import reverse
from django.utils.translation import gettext_lazy

from events.importers.sentences import Sentence, say
from events.models import Section
from players.models import Player
from ratings.engine.matches import (
    MatchChange,
    MatchNets,
    MatchPlayer,
    match_faults,
    match_nets,
    windows_open,
)
from ratings.engine.numbers import official
from ratings.engine.rules import Rules
from ratings.engine.systems import System
from ratings.ledger.queries.published import (
    list_in_force,
    published,
    published_before,
    published_for,
)
from ratings.ledger.queries.refusals import sentence_of
from ratings.models import PlayerRating, RatingChange
from ratings_site.common.looks.figures import MINUS, plain

FEWEST_GAMES, MOST_GAMES = 1, 20
WINDOW_NAMES = (gettext_lazy("180 days"), gettext_lazy("three years"))


@dataclass(frozen=True, slots=True)
class EarlierMatch:
    """A match a player has been rated for. *change* is in points."""

    day: date
    title: str
    url: str
    change: float


@dataclass(frozen=True, slots=True)
class Window:
    """One limit on the net change by matches, and what it leaves for the next match.

    *opens* is the day after which matches count; all figures are points. *may_win*
    and *may_lose* are not negative.
    """

    name: str
    opens: date
    limit: float
    net: float
    matches: tuple[EarlierMatch, ...]

    @property
    def may_win(self) -> float:
        return max(0.0, self.limit - self.net)

    @property
    def may_lose(self) -> float:
        return max(0.0, self.limit + self.net)

    @property
    def winning_room(self) -> str:
        """The arithmetic of what may still be won, in whole points: 100 − 88 = 12."""
        return room_in_words(self.limit, -official(self.net))

    @property
    def losing_room(self) -> str:
        return room_in_words(self.limit, official(self.net))


def room_in_words(limit: float, net: float, places: int = 0) -> str:
    """Write how *net*, what is used up or gained, changes the room under a limit.

    >>> room_in_words(100.0, -88), room_in_words(100.0, 88), room_in_words(100.0, -104)
    ('100 − 88 = 12', '100 + 88 = 188', '100 − 104 = −4 → 0')
    >>> room_in_words(100.0, 0)
    '100 − 0 = 100'
    """
    sign = "+" if net > 0 else MINUS
    room = limit + net
    reckoning = (
        f"{plain(limit, 0)} {sign} {plain(abs(net), places)} = {plain(room, places)}"
    )
    if room >= 0:
        return reckoning
    return f"{reckoning} → 0"


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a match may still do to one player's rating, and why."""

    match_limit: float
    windows: tuple[Window, ...]

    @property
    def may_win(self) -> float:
        return min(self.match_limit, *(window.may_win for window in self.windows))

    @property
    def may_lose(self) -> float:
        return min(self.match_limit, *(window.may_lose for window in self.windows))


def earlier_matches(
    numbers: Iterable[int],
    system: System,
    *,
    day: date,
    before: int | None = None,
    is_published: bool = False,
) -> list[EarlierMatch]:
    """Return the rated matches that may count with one that ends on *day*.

    *numbers* are the keys a member's records stand under; *before* is the key of the
    match itself, if it is rated already. With *is_published*, changes are those of the
    published numbers, which anyone may see.
    """
    _, opens = windows_open(day)
    lines = (
        RatingChange.objects.filter(
            player__in=list(numbers),
            calculation__is_current=True,
            calculation__system=system,
            calculation__section__kind=Section.Kind.MATCH,
            calculation__age_day__gt=opens,
            calculation__age_day__lte=day,
            pre_rating__isnull=False,
        )
        .select_related("calculation__section__event")
        .order_by("calculation__age_day", "calculation_id")
    )
    if before is not None:
        lines = lines.exclude(calculation__section=before)
    return [_earlier(line, is_published=is_published) for line in lines]


def _earlier(line: RatingChange, *, is_published: bool) -> EarlierMatch:
    before, after = line.pre_rating, line.post_rating
    if is_published:
        before, after = published_before(line), published(line)
    calculation = line.calculation
    section = calculation.section
    return EarlierMatch(
        day=calculation.age_day,
        title=section.event.name,
        url=reverse(
            "ratings:crosstable", args=[section.event.event_id, section.number]
        ),
        change=after - before,
    )


def allowance(earlier: Sequence[EarlierMatch], day: date, rules: Rules) -> Allowance:
    """Return what a match that ends on *day* may do to a rating after *earlier*."""
    nets = match_nets(day, [MatchChange(one.day, one.change) for one in earlier])
    return allowance_of(nets, earlier, day, rules)


def allowance_of(
    nets: MatchNets, earlier: Sequence[EarlierMatch], day: date, rules: Rules
) -> Allowance:
    """Return the same for *nets* that are known already, as the ledger keeps them."""
    limits = (rules.match_limit_180_days, rules.match_limit_3_years)
    windows = zip(WINDOW_NAMES, windows_open(day), limits, nets, strict=True)
    return Allowance(
        match_limit=rules.match_limit,
        windows=tuple(
            Window(
                name,
                opens,
                limit,
                net,
                tuple(one for one in earlier if opens < one.day <= day),
            )
            for name, opens, limit, net in windows
        ),
    )


@dataclass(frozen=True, slots=True)
class Eligibility:
    """Whether two players may play a rated match; *faults* say why not.

    *basis* says which ratings were compared.
    """

    faults: tuple[Sentence, ...]
    basis: Sentence

    @property
    def is_given(self) -> bool:
        return not self.faults


def eligibility(
    players: Sequence[Player], system: System, day: date, rules: Rules
) -> Eligibility:
    """Return whether two members may play a match that starts on *day*.

    The ratings are those of the official list in force on the day. Where there is
    none, because the office had not published any yet, they are the present ones.
    """
    in_force = list_in_force(day)
    if in_force is None:
        basis = say(
            "By present ratings, because no official list was in force on that day."
        )
        values = _present(players, system)
    else:
        basis = say(
            "By the official list of {month} {year}.",
            month=say(f"{in_force.month:%B}"),
            year=in_force.month.year,
        )
        values = _published(players, system, day)
    first, second = (
        MatchPlayer(player.name, *values.get(player.pk, (None, 0)))
        for player in players
    )
    faults = match_faults(first, second, rules)
    return Eligibility(tuple(sentence_of(fault) for fault in faults), basis)


def _published(
    players: Sequence[Player], system: System, day: date
) -> dict[int, tuple[float, int]]:
    values = published_for([player.pk for player in players], system, on=day)
    return {pk: (float(value.rating), value.games) for pk, value in values.items()}


def _present(players: Sequence[Player], system: System) -> dict[int, tuple[float, int]]:
    rows = PlayerRating.objects.filter(player__in=players, system=system)
    return {row.player_id: (published(row), row.games) for row in rows}
