"""Foreign keys to the accounts that did something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.db.models.expressions import Combinable

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

    from ratings_site.common.models.user import User


def account_key(
    label: _StrOrPromise | None = None, **options: Any
) -> models.ForeignKey[User | Combinable, User]:
    """Return a key to the account that did something, which keeps it from deletion."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=label,
        on_delete=models.PROTECT,
        **{"related_name": "+", **options},
    )


def optional_account_key(
    label: _StrOrPromise | None = None, *, blank: bool = True, **options: Any
) -> models.ForeignKey[User | Combinable | None, User | None]:
    """Return such a key for what has not been done yet, or was done by a job."""
    options |= {"null": True, "blank": blank}
    key: models.ForeignKey[Any, Any] = account_key(label, **options)
    return key
