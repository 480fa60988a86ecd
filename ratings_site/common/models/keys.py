"""Foreign keys to the accounts that did or own something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.db.models.expressions import Combinable

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

    from ratings_site.common.models.user import User


def account_key(
    label: _StrOrPromise | None = None,
    *,
    related_name: str = "+",
    on_delete: Any = models.PROTECT,
    **options: Any,
) -> models.ForeignKey[User | Combinable, User]:
    """Return a key to the account that did something, which keeps it from deletion."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete,
        related_name=related_name,
        verbose_name=label,
        **options,
    )


def optional_account_key(
    label: _StrOrPromise | None = None, *, blank: bool = True, **options: Any
) -> models.ForeignKey[User | Combinable | None, User | None]:
    """Return such a key for what has not been done yet, or was done by a job."""
    options |= {"null": True, "blank": blank}
    key: models.ForeignKey[Any, Any] = account_key(label, **options)
    return key


def owner_key(related_name: str) -> models.ForeignKey[User | Combinable, User]:
    """Return a key to the account that something belongs to, and is deleted with."""
    return account_key(related_name=related_name, on_delete=models.CASCADE)
