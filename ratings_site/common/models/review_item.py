"""What the models of requests that the office decides share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from django.db import models
from django.utils import timezone

if TYPE_CHECKING:
    from ratings_site.common.models.user import User


Item = TypeVar("Item", bound="ReviewItem", covariant=True)


class ReviewQuerySet(models.QuerySet[Item]):
    """Requests, by whether they are decided."""

    def open(self) -> Self:
        return self.filter(**self._is_open)

    def decided(self) -> Self:
        """Return the decided ones, the latest decision first."""
        return self.exclude(**self._is_open).order_by("-decided_at", "-pk")

    @property
    def _is_open(self) -> dict[str, Any]:
        return {f"{self.model.STATE_FIELD}__in": self.model.OPEN_STATES}


ReviewManager = models.Manager.from_queryset(ReviewQuerySet)


class ReviewItem(models.Model):
    """A request that is open until it is decided.

    Each model declares ``decided_by`` and ``decided_at`` at their places among its own
    fields, because admin pages and downloads show the fields in order.
    """

    STATE_FIELD: ClassVar = "state"
    REASON_FIELD: ClassVar = "reason"
    OPEN_STATES: ClassVar[tuple[str, ...]]

    decided_by: Any
    decided_at: Any

    objects = ReviewManager()

    class Meta:
        abstract = True

    @property
    def is_open(self) -> bool:
        return getattr(self, self.STATE_FIELD) in self.OPEN_STATES

    def decide(self, state: str, *, by: User | None, reason: str | None = None) -> None:
        """Set the new state, and who decided when and why; the caller saves.

        Without a *reason*, an earlier one stays.
        """
        setattr(self, self.STATE_FIELD, state)
        self.decided_by, self.decided_at = by, timezone.now()
        if reason is not None:
            setattr(self, self.REASON_FIELD, reason)
