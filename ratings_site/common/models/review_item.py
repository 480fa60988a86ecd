"""What the models of requests, and of the accounts that decide on them, share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from django.conf import settings
from django.db import models
from django.utils import timezone

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

    from ratings_site.common.models.user import User

    Account = models.ForeignKey[User, User]
    OptionalAccount = models.ForeignKey[User | None, User | None]


def account_field(verbose_name: _StrOrPromise | None = None, **options: Any) -> Account:
    """Return a field for the account that did something."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=verbose_name,
        **{"on_delete": models.PROTECT, "related_name": "+", **options},
    )


def optional_account(
    verbose_name: _StrOrPromise | None = None, **options: Any
) -> OptionalAccount:
    """Return a field for the account that does something later, or never."""
    options |= {"null": True, "blank": True}
    return account_field(verbose_name, **options)  # type: ignore[return-value]


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
        decision = {"decided_by": by, "decided_at": timezone.now()}
        for name, value in decision.items():
            setattr(self, name, value)
        if reason is not None:
            setattr(self, self.REASON_FIELD, reason)
