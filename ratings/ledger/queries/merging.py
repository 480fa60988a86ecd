"""What ratings know when two members may be one, and when a list changes a member."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date

from django.utils.translation import gettext as _

from events.models import ForeignEvent, ForeignResult, Game
from players.models import Player
from ratings.engine.systems import System
from ratings.models import PlayerRating, RatingChange
from ratings_site.common.looks.figures import whole

Pairs = Sequence[tuple[Player, Player]]


def why_not_one_person(pairs: Pairs) -> list[list[str]]:
    """Say of each pair why the two careers cannot be one (three queries for all)."""
    numbers = _numbers_of(pairs)
    met, abroad = _games_between(numbers), _events_abroad(numbers)
    return [
        [
            *_who_met(met, numbers[kept.pk], numbers[merged.pk]),
            *_who_both_played_abroad(abroad, numbers[kept.pk], numbers[merged.pk]),
        ]
        for kept, merged in pairs
    ]


# By member, all the numbers of the person.
Numbers = dict[int, set[int]]


def _numbers_of(pairs: Pairs) -> Numbers:
    numbers = {player.pk: {player.pk} for pair in pairs for player in pair}
    merged = Player.objects.filter(merged_into__in=list(numbers))
    for pk, kept in merged.values_list("pk", "merged_into"):
        numbers[kept].add(pk)
    return numbers


def _games_between(numbers: Numbers) -> dict[tuple[int, int], Game]:
    """Return the first game of any two of these numbers, by who had which side."""
    everybody = set().union(*numbers.values())
    games = Game.objects.filter(
        first__player__in=everybody, second__player__in=everybody
    ).select_related("section__event", "first", "second")
    found: dict[tuple[int, int], Game] = {}
    for game in games.order_by("pk"):
        found.setdefault((game.first.player_id, game.second.player_id), game)
    return found


def _who_met(
    met: dict[tuple[int, int], Game], kept: set[int], merged: set[int]
) -> Iterator[str]:
    """Refuse to merge two careers that met each other over the board."""
    games = [
        game
        for (one, other), game in met.items()
        if (one in kept and other in merged) or (one in merged and other in kept)
    ]
    for game in games[:1]:
        yield _(
            "They played each other in round {round_number} of {section}: "
            "nobody plays against themselves, so they are two people."
        ).format(round_number=game.round_number, section=game.section)


def _events_abroad(numbers: Numbers) -> dict[int, list[ForeignEvent]]:
    """Return by number the foreign events in which it has a result.

    What was left out is no result: so one entered by mistake is put right first.
    """
    results = ForeignResult.objects.exclude(
        status=ForeignResult.Status.EXCLUDED
    ).filter(player__in=set().union(*numbers.values()))
    found: dict[int, list[ForeignEvent]] = {}
    for result in results.select_related("event"):
        found.setdefault(result.player_id, []).append(result.event)
    return found


def _who_both_played_abroad(
    abroad: dict[int, list[ForeignEvent]], kept: set[int], merged: set[int]
) -> Iterator[str]:
    """Refuse to merge two members who both have a result in one foreign event."""
    ours = {event.pk for pk in merged for event in abroad.get(pk, ())}
    both = [event for pk in kept for event in abroad.get(pk, ()) if event.pk in ours]
    for event in sorted(both, key=lambda event: (event.ends, event.pk))[:1]:
        yield _(
            "Both have a result in {event}, abroad: nobody plays in one event twice. "
            "If "
            "one of the results was entered by mistake, leave it out first."
        ).format(event=event)


def ratings_to_compare(player: Player) -> list[tuple[str, str]]:
    """Return a member's current ratings, and how many sections they rest on."""
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

    A FIDE or CFC rating goes into a start and into nothing else.
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
