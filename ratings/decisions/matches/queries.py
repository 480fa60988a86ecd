"""Matches between two players: used and remaining room under the limits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from events.formats.translatable_text import TranslatableText, translatable
from events.models import Section
from players.models import Player
from ratings.engine.matches import (
    MatchChange,
    MatchNets,
    MatchPlayer,
    match_faults,
    match_nets,
    window_starts,
)
from ratings.engine.numbers import official
from ratings.engine.rules import Rules
from ratings.engine.systems import System
from ratings.ledger.queries.engine_errors import to_sentence
from ratings.ledger.queries.published_ratings import (
    list_in_force,
    published,
    published_before,
    published_for,
)
from ratings.models import PlayerRating, RatingChange
from ratings_site.common.ui.formatting import MINUS, format_decimal

MIN_GAMES, MAX_GAMES = 1, 20
WINDOW_NAMES = (_("180 days"), _("three years"))


@dataclass(frozen=True, slots=True)
class EarlierMatch:
    """A rated match of a player. *change* is in points."""

    day: date
    title: str
    url: str
    change: float


@dataclass(frozen=True, slots=True)
class Window:
    """One limit on the net change by matches, and the room left for the next match.

    *opens* is the day after which matches count; all figures are points. *max_gain* and
    *max_loss* are not negative.
    """

    name: str | Promise
    opens: date
    limit: float
    net: float
    matches: tuple[EarlierMatch, ...]

    @property
    def max_gain(self) -> float:
        return max(0.0, self.limit - self.net)

    @property
    def max_loss(self) -> float:
        return max(0.0, self.limit + self.net)

    @property
    def gain_formula(self) -> str:
        """The calculation of the largest gain, in whole points: 100 − 88 = 12."""
        return remaining_limit_text(self.limit, -official(self.net))

    @property
    def loss_formula(self) -> str:
        return remaining_limit_text(self.limit, official(self.net))


def remaining_limit_text(limit: float, net: float, places: int = 0) -> str:
    """Describe how *net*, the net change so far, affects what remains of a limit.

    >>> remaining_limit_text(100.0, -88), remaining_limit_text(100.0, 88)
    ('100 − 88 = 12', '100 + 88 = 188')
    >>> remaining_limit_text(100.0, -104), remaining_limit_text(100.0, 0)
    ('100 − 104 = −4 → 0', '100 − 0 = 100')
    """
    sign = "+" if net > 0 else MINUS
    room = limit + net
    reckoning = (
        f"{format_decimal(limit, 0)} {sign} {format_decimal(abs(net), places)} = "
        f"{format_decimal(room, places)}"
    )
    if room >= 0:
        return reckoning
    return f"{reckoning} → 0"


@dataclass(frozen=True, slots=True)
class Allowance:
    """The largest changes that a match may make to one player's rating, and why."""

    match_limit: float
    windows: tuple[Window, ...]

    @property
    def max_gain(self) -> float:
        return min(self.match_limit, *(window.max_gain for window in self.windows))

    @property
    def max_loss(self) -> float:
        return min(self.match_limit, *(window.max_loss for window in self.windows))


def earlier_matches(
    numbers: Iterable[int],
    system: System,
    *,
    day: date,
    before: int | None = None,
    is_published: bool = False,
) -> list[EarlierMatch]:
    """Return the rated matches that may count with one that ends on *day*.

    *numbers* are the keys of the member and of merged duplicates; *before* is the key
    of the match itself, if it is rated already. With *is_published*, changes are those
    of the published numbers, which are public.
    """
    _, opens = window_starts(day)
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
    assert section is not None  # noqa: S101 (as `earlier_matches` selects)
    assert before is not None  # noqa: S101
    return EarlierMatch(
        day=calculation.age_day,
        title=section.event.name,
        url=section.get_absolute_url(),
        change=after - before,
    )


def allowance(earlier: Sequence[EarlierMatch], day: date, rules: Rules) -> Allowance:
    """Return the limits of a match that ends on *day*, after *earlier* matches."""
    nets = match_nets(day, [MatchChange(one.day, one.change) for one in earlier])
    return build_allowance(nets, earlier, day, rules)


def build_allowance(
    nets: MatchNets, earlier: Sequence[EarlierMatch], day: date, rules: Rules
) -> Allowance:
    """Return the same for *nets* that are known already, as the ledger stores them."""
    limits = (rules.match_limit_180_days, rules.match_limit_3_years)
    windows = zip(WINDOW_NAMES, window_starts(day), limits, nets, strict=True)
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
    """Whether two players may play a rated match; *faults* are the reasons against.

    *basis* says which ratings were compared.
    """

    faults: tuple[TranslatableText, ...]
    basis: TranslatableText

    @property
    def is_eligible(self) -> bool:
        return not self.faults


def eligibility(
    players: Sequence[Player], system: System, day: date, rules: Rules
) -> Eligibility:
    """Return whether two members may play a match that starts on *day*.

    The ratings are those of the official list in force on the day, or the current
    ratings if the office had not published a list by then.
    """
    in_force = list_in_force(day)
    if in_force is None:
        basis = translatable(
            "Based on current ratings, because there was no official rating list on "
            "that date."
        )
        values = _present(players, system)
    else:
        basis = translatable(
            "Based on the official rating list of {month} {year}.",
            month=translatable(f"{in_force.month:%B}"),
            year=in_force.month.year,
        )
        values = _published(players, system, day)
    first, second = (
        MatchPlayer(player.name, *values.get(player.pk, (None, 0)))
        for player in players
    )
    faults = match_faults(first, second, rules)
    return Eligibility(tuple(to_sentence(fault) for fault in faults), basis)


def _published(
    players: Sequence[Player], system: System, day: date
) -> dict[int, tuple[float, int]]:
    values = published_for([player.pk for player in players], system, on=day)
    return {pk: (float(value.rating), value.games) for pk, value in values.items()}


def _present(players: Sequence[Player], system: System) -> dict[int, tuple[float, int]]:
    rows = PlayerRating.objects.filter(player__in=players, system=system)
    return {row.player_id: (published(row), row.games) for row in rows}
