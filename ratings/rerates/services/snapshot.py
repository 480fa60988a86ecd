"""The data seen by a pass through history, and later arrivals."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Self

from django.db.models import Count, QuerySet

from ratings.models import Calculation, RerateMark, Run


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The pending rerates and the newest calculation when a pass began to read.

    It is taken before anything else is read, so whatever is committed later counts as
    an arrival, even if the pass has read it in part. *published* is the newest rerate
    that was published and not undone, 0 if none was.
    """

    marks: frozenset[int]
    calculation: int
    published: int

    @classmethod
    def now(cls) -> Self:
        rated = _rated_as_it_arrived().order_by("-run_id", "-pk")
        newest = rated.values_list("pk", flat=True).first()
        published = (
            Run.objects.filter(kind=Run.Kind.RERATE, status=Run.Status.PUBLISHED)
            .order_by("-published_at", "-pk")
            .values_list("pk", flat=True)
            .first()
        )
        marks = frozenset(pending_rerates().values_list("pk", flat=True))
        return cls(marks, newest or 0, published or 0)

    @classmethod
    def stored(cls, progress: Mapping[str, Any]) -> Self | None:
        seen = progress.get("seen")
        if not seen:
            return None
        marks, calculation = frozenset(seen["marks"]), seen["calculation"]
        return cls(marks, calculation, seen.get("published", 0))

    def as_json(self) -> dict[str, Any]:
        return {
            "marks": sorted(self.marks),
            "calculation": self.calculation,
            "published": self.published,
        }


def _rated_as_it_arrived() -> QuerySet[Calculation]:
    """Return the calculations of the one incremental run.

    As a range with equal ends: with equality, PostgreSQL may look for the newest past
    all that rerates have written.
    """
    incremental = Run.objects.filter(kind=Run.Kind.INCREMENTAL).values("pk")[:1]
    return Calculation.objects.filter(run__gte=incremental, run__lte=incremental)


def reports_since(seen: Snapshot | None) -> int:
    """Return how many reports have arrived since a pass began to read."""
    came = _rated_as_it_arrived().filter(pk__gt=seen.calculation if seen else 0)
    counted = came.aggregate(number=Count("section__event", distinct=True))
    number: int = counted["number"]
    return number


def pending_rerates() -> QuerySet[RerateMark]:
    """Return the pending rerates that no published rerate has taken in."""
    return RerateMark.objects.filter(run=None)


def earliest_pending_day() -> date | None:
    """Return the first day of the earliest pending rerate, None if there is none."""
    return (
        pending_rerates()
        .order_by("from_day")
        .values_list("from_day", flat=True)
        .first()
    )
