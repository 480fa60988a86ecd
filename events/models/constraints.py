"""The constraint that days are in order."""

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
