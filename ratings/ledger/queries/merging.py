"""What ratings know when two members may be one, and when a list changes a member."""

from collections.abc import Collection
from datetime import date

from django.db.models import Q
from django.utils.translation import gettext as _

from events.models import ForeignEvent, ForeignResult, Game
from players.models import Player
from ratings.engine.systems import System
from ratings.models import PlayerRating, RatingChange
from ratings_site.common.looks.figures import whole


def who_met_cannot_be_one(kept: Player, merged: Player) -> list[str]:
    """Refuse to merge two careers that met each other over the board."""
    numbers = [_numbers_of(kept), _numbers_of(merged)]
    one, other = (Q(first__player__in=mine) for mine in numbers)
    their, our = (Q(second__player__in=mine) for mine in numbers)
    game = (
        Game.objects.filter((one & our) | (other & their))
        .select_related("section__event")
        .first()
    )
    if game is None:
        return []
    return [
        _(
            "They played each other in round {round_number} of {section}: "
            "nobody plays against themselves, so they are two people."
        ).format(round_number=game.round_number, section=game.section)
    ]


def who_both_played_abroad_cannot_be_one(kept: Player, merged: Player) -> list[str]:
    """Refuse to merge two members who both have a result in one foreign event.

    What was left out is no result: so one entered by mistake is put right first.
    """
    theirs, ours = (
        ForeignResult.objects.exclude(status=ForeignResult.Status.EXCLUDED)
        .filter(player__in=_numbers_of(player))
        .values("event")
        for player in (kept, merged)
    )
    events = ForeignEvent.objects.filter(pk__in=theirs).filter(pk__in=ours)
    return [
        _(
            "Both have a result in {event}, abroad: nobody plays in one event twice. "
            "If "
            "one of the results was entered by mistake, leave it out first."
        ).format(event=event)
        for event in events.order_by("ends", "pk")[:1]
    ]


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


def _numbers_of(player: Player) -> list[int]:
    return [player.pk, *player.duplicates.values_list("pk", flat=True)]
