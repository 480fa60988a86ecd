"""Constraints that many models have."""

from collections.abc import Sequence

from django.db import models
from django.db.models import Q


def one_of(
    field: str, values: Sequence[str | int], name: str
) -> models.CheckConstraint:
    """Return the constraint that a field has one of these values."""
    return models.CheckConstraint(condition=Q(**{f"{field}__in": values}), name=name)


def not_blank(field: str, name: str) -> models.CheckConstraint:
    return models.CheckConstraint(condition=~Q(**{field: ""}), name=name)
