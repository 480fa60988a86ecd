"""Counting how ratings are spread, for pages that cannot count everybody."""

from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.utils import timezone

from ratings.engine.systems import System
from ratings.lists.queries.spreads import Figures, spreads_in
from ratings.models import CountedRatings
from ratings_site.common.database.bulk import copy_rows
from ratings_site.common.database.locks import hold

FIGURES = tuple(Figures.__dataclass_fields__)
COLUMNS = ("system", "standing", "activity", "of", "group", *FIGURES)


def count_ratings() -> None:
    """Count all current ratings in place of what was counted before."""
    with transaction.atomic():
        hold("counted-ratings")
        # Before the books are read: what is rated meanwhile may be left out.
        counted_at = timezone.now()
        rows = [row for system in System for row in _rows(system)]
        CountedRatings.objects.all().delete()
        copy_rows(
            CountedRatings,
            [*COLUMNS, "ratings", "counted_at"],
            ((*row, counted_at) for row in rows),
        )


def _rows(system: System) -> Iterator[tuple[Any, ...]]:
    for key, spread in spreads_in(system).items():
        figures = (getattr(spread, name) for name in FIGURES)
        yield str(system), *map(str, key), *figures, spread.ratings
