"""Store counts of ratings for the pages of classes and the distribution."""

from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.utils import timezone

from ratings.engine.systems import System
from ratings.lists.queries.histograms import GroupStatistics, count_histograms
from ratings.models import CountedRatings
from ratings_site.common.db.bulk import copy_rows
from ratings_site.common.db.locks import acquire_lock

STATISTICS = tuple(GroupStatistics.__dataclass_fields__)
COLUMNS = ("system", "standing", "activity", "of", "group", *STATISTICS)


def count_ratings() -> None:
    """Count all current ratings, and replace the earlier counts."""
    with transaction.atomic():
        acquire_lock("counted-ratings")
        # The time before reading, because ratings made meanwhile may be missing.
        counted_at = timezone.now()
        rows = [row for system in System for row in _rows(system)]
        CountedRatings.objects.all().delete()
        copy_rows(
            CountedRatings,
            [*COLUMNS, "ratings", "counted_at"],
            ((*row, counted_at) for row in rows),
        )


def _rows(system: System) -> Iterator[tuple[Any, ...]]:
    for key, histogram in count_histograms(system).items():
        figures = (getattr(histogram, name) for name in STATISTICS)
        yield str(system), *map(str, key), *figures, histogram.ratings
