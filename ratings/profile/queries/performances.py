"""How strongly a member played in an event, as a rating (up to three queries)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.db.models import F

from events.importers.played import HALF_POINTS
from events.models import Game
from ratings.engine.numbers import official
from ratings.laboratory.performance import linear_performance
from ratings.ledger.queries.books import numbers_of_side, ratings_seen
from ratings.profile.queries.results import SIDES


def performances_in(
    systems: Mapping[int, str], numbers: Sequence[int]
) -> dict[int, int]:
    """Return a person's performance rating by calculation, in whole rating points.

    *systems* are those of the calculations.

    It is the average of the opponents' ratings before the section, as everybody sees
    them, and 400 points for each win more than losses, divided by the games. Unrated
    opponents do not count; who met nobody else is left out.
    """
    first, second = (
        Game.objects.filter(
            **{f"{mine}__player__in": numbers},
            section__calculations__in=systems,
        )
        .annotate(calculation=F("section__calculations"))
        .order_by()
        .values_list("calculation", *numbers_of_side(other), f"{mine}_outcome")
        for mine, other in SIDES
    )
    opponents: defaultdict[int, list[int]] = defaultdict(list)
    half_points: defaultdict[int, int] = defaultdict(int)
    games = list(first.union(second, all=True))
    then = ratings_seen((game[:3] for game in games), "pre_rating", systems)
    for calculation, number, kept, outcome in games:
        rating = then[calculation, number, kept].rating
        if rating is None:
            continue
        opponents[calculation].append(official(rating))
        half_points[calculation] += HALF_POINTS[outcome]
    return {
        calculation: official(linear_performance(met, half_points[calculation] / 2))
        for calculation, met in opponents.items()
    }
