"""Counting how ratings are spread, for pages that cannot count everybody."""

from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from ratings.engine.systems import System
from ratings.lists.queries.spreads import Figures, rated_now, spreads_in
from ratings.models import CountedRatings, SeenRating
from ratings_site.common.database.bulk import copy_rows, put_rows
from ratings_site.common.database.locks import hold

FIGURES = tuple(Figures.__dataclass_fields__)
SEEN = ("player_id", "system", "seen", "tells_start", "games", "rated_on")
COLUMNS = ("system", "standing", "activity", "of", "group", *FIGURES)


def count_ratings() -> None:
    """Count all current ratings in place of what was counted before."""
    with transaction.atomic():
        hold("counted-ratings")
        # Before the books are read: what is rated meanwhile may be left out.
        counted_at = timezone.now()
        _see_ratings()
        rows = [row for system in System for row in _rows(system)]
        CountedRatings.objects.all().delete()
        copy_rows(
            CountedRatings,
            [*COLUMNS, "ratings", "counted_at"],
            ((*row, counted_at) for row in rows),
        )


def _see_ratings() -> None:
    """Write down how each rating is seen; what is so already is left alone."""
    rated = rated_now().order_by()
    put_rows(SeenRating, SEEN, rated.values_list(*SEEN), key=("player_id", "system"))
    still = rated.filter(player=OuterRef("player"), system=OuterRef("system"))
    SeenRating.objects.filter(~Exists(still)).delete()


def _rows(system: System) -> Iterator[tuple[Any, ...]]:
    seen = SeenRating.objects.filter(system=system)
    for key, spread in spreads_in(seen).items():
        figures = (getattr(spread, name) for name in FIGURES)
        yield str(system), *map(str, key), *figures, spread.ratings
