"""Checks for merges and for FIDE lists that change a member."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date

from django.utils.translation import gettext as _

from events.models import ForeignEvent, ForeignResult, Game
from players.models import Player
from ratings.engine.systems import System
from ratings.models import PlayerRating, RatingChange
from ratings_site.common.ui.formatting import whole

Pairs = Sequence[tuple[Player, Player]]


def merge_denial_reasons(pairs: Pairs) -> list[list[str]]:
    """Return for each pair why they cannot be merged (three queries for all)."""
    numbers = _numbers_of(pairs)
    met, foreign = _games_between(numbers), _foreign_events(numbers)
    return [
        [
            *_met_reasons(met, numbers[kept.pk], numbers[merged.pk]),
            *_foreign_reasons(foreign, numbers[kept.pk], numbers[merged.pk]),
        ]
        for kept, merged in pairs
    ]


# All member numbers of each person, by member.
Numbers = dict[int, set[int]]


def _numbers_of(pairs: Pairs) -> Numbers:
    numbers = {player.pk: {player.pk} for pair in pairs for player in pair}
    merged = Player.objects.filter(merged_into__in=list(numbers))
    for pk, kept in merged.values_list("pk", "merged_into"):
        if kept is not None:
            numbers[kept].add(pk)
    return numbers


def _games_between(numbers: Numbers) -> dict[tuple[int, int], Game]:
    """Return the first game of any two of these numbers, by who played which side."""
    all_players = set().union(*numbers.values())
    games = Game.objects.filter(
        first__player__in=all_players, second__player__in=all_players
    ).select_related("section__event", "first", "second")
    found: dict[tuple[int, int], Game] = {}
    for game in games.order_by("pk"):
        found.setdefault((game.first.player_id, game.second.player_id), game)
    return found


def _met_reasons(
    met: dict[tuple[int, int], Game], kept: set[int], merged: set[int]
) -> Iterator[str]:
    """Refuse to merge two members who played each other over the board."""
    games = [
        game
        for (one, other), game in met.items()
        if (one in kept and other in merged) or (one in merged and other in kept)
    ]
    for game in games[:1]:
        yield _(
            "They played each other in round {round_number} of {section}, so they "
            "are two different people."
        ).format(round_number=game.round_number, section=game.section)


def _foreign_events(numbers: Numbers) -> dict[int, list[ForeignEvent]]:
    """Return by number the foreign events with a result.

    Excluded results do not count, so that a mistaken entry can be fixed first.
    """
    results = ForeignResult.objects.exclude(
        status=ForeignResult.Status.EXCLUDED
    ).filter(player__in=set().union(*numbers.values()))
    found: dict[int, list[ForeignEvent]] = {}
    for result in results.select_related("event"):
        found.setdefault(result.player_id, []).append(result.event)
    return found


def _foreign_reasons(
    foreign: dict[int, list[ForeignEvent]], kept: set[int], merged: set[int]
) -> Iterator[str]:
    """Refuse to merge two members who both have a result in one foreign event."""
    ours = {event.pk for pk in merged for event in foreign.get(pk, ())}
    both = [event for pk in kept for event in foreign.get(pk, ()) if event.pk in ours]
    for event in sorted(both, key=lambda event: (event.ends, event.pk))[:1]:
        yield _(
            "Both have a result in the foreign event {event}. If one was entered by "
            "mistake, remove it first."
        ).format(event=event)


def ratings_to_compare(player: Player) -> list[tuple[str, str]]:
    """Return a member's current ratings, and the number of sections behind them."""
    facts = [
        (System(row.system).label, f"{whole(row.rating)} ({row.games} games)")
        for row in PlayerRating.objects.filter(player=player).order_by("system")
    ]
    sections = (
        RatingChange.objects.filter(
            player=player,
            calculation__is_current=True,
            calculation__section__isnull=False,
        )
        .values("calculation__section")
        .distinct()
        .count()
    )
    return [*facts, (_("Rated sections"), str(sections))]


def started_since(player_ids: Collection[int], day: date) -> set[int]:
    """Return those who were unrated in some system on *day* or later.

    A FIDE or CFC rating affects initial ratings only.
    """
    return set(
        RatingChange.objects.filter(
            player__in=player_ids,
            pre_rating__isnull=True,
            games__gt=0,
            calculation__is_current=True,
            calculation__order_date__gte=day,
        ).values_list("player_id", flat=True)
    )
