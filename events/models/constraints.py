"""Constraints that several models have."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from django.db.models import CheckConstraint, F, Q
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

EVENT_ENDS_EARLY = _("The event ends before it starts. Correct one of the dates.")


def days_in_order(
    name: str, message: "_StrOrPromise" = EVENT_ENDS_EARLY
) -> CheckConstraint:
    """Return the constraint that the last day is not before the first."""
    return CheckConstraint(
        condition=Q(ends__gte=F("starts")), name=name, violation_error_message=message
    )


def known_values(name: str, **values: Collection[str | int]) -> CheckConstraint:
    """Return the constraint that each field has one of its values."""
    known = {f"{field}__in": [*choices] for field, choices in values.items()}
    return CheckConstraint(condition=Q(**known), name=name)


def not_blank(name: str, field: str) -> CheckConstraint:
    """Return the constraint that a text is not empty."""
    return CheckConstraint(condition=~Q((field, "")), name=name)
