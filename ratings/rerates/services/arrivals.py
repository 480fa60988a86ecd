"""What a pass through history has seen, and what has arrived since."""

from dataclasses import dataclass
from datetime import date
from typing import Any, Self

from django.db.models import Count, QuerySet

from ratings.models import Calculation, RerateMark, Run


@dataclass(frozen=True, slots=True)
class Seen:
    """The marks and the newest calculation at the time when a pass began to read.

    It is taken before anything else is read, so whatever is committed later shows as
    an arrival, whether the pass has seen some of it or not. *published* is the newest
    rerate that was published and not undone, 0 if none was.
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
        marks = frozenset(open_marks().values_list("pk", flat=True))
        return cls(marks, newest or 0, published or 0)

    @classmethod
    def stored(cls, progress: dict[str, Any]) -> Self | None:
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
    """Return what the incremental run has, of which there is one.

    Between its number and its number: if they are equal, PostgreSQL may look for the
    newest past all that rerates have written.
    """
    incremental = Run.objects.filter(kind=Run.Kind.INCREMENTAL).values("pk")[:1]
    return Calculation.objects.filter(run__gte=incremental, run__lte=incremental)


def reports_since(seen: Seen | None) -> int:
    """Return how many reports have come in since a pass began to read."""
    came = _rated_as_it_arrived().filter(pk__gt=seen.calculation if seen else 0)
    return came.aggregate(number=Count("section__event", distinct=True))["number"]


def open_marks() -> QuerySet[RerateMark]:
    """Return the marks that no published rerate has taken in."""
    return RerateMark.objects.filter(run=None)


def earliest_mark() -> date | None:
    """Return the day from which open marks ask for a rerate, None if there is none."""
    return open_marks().order_by("from_day").values_list("from_day", flat=True).first()
