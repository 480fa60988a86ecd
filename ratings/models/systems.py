"""The six systems and the records as database choices."""

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy, gettext_noop

from ratings.engine.inputs import Record
from ratings.engine.systems import System
from ratings_site.common.models.constraints import one_of

if TYPE_CHECKING:
    from django.db.models.expressions import Combinable

    from events.models import Section

# Names of the engine, which knows no languages.
_NAMES = (
    *(gettext_noop("Regular"), gettext_noop("Quick"), gettext_noop("Blitz")),
    gettext_noop("Online regular"),
    gettext_noop("Online quick"),
    gettext_noop("Online blitz"),
    *(gettext_noop("Senior Master"), gettext_noop("Master"), gettext_noop("Expert")),
    *(gettext_noop("Class A"), gettext_noop("Class B"), gettext_noop("Class C")),
    *(gettext_noop("Class D"), gettext_noop("Class E"), gettext_noop("Class F")),
    *(gettext_noop("Class G"), gettext_noop("Class H"), gettext_noop("Class I")),
    gettext_noop("Class J"),
)

SYSTEM_CHOICES = [(system.value, gettext_lazy(system.label)) for system in System]
SYSTEM_VALUES = [system.value for system in System]
RECORD_CHOICES = [
    (Record.MIXED.value, gettext_lazy("Mixed")),
    (Record.ALL_WINS.value, gettext_lazy("All wins")),
    (Record.ALL_LOSSES.value, gettext_lazy("All losses")),
    (Record.NONE.value, gettext_lazy("No games")),
]
RECORD_VALUES = [value for value, _ in RECORD_CHOICES]


def system_field() -> "models.CharField[str, str]":
    return models.CharField(max_length=4, choices=SYSTEM_CHOICES)


def record_field(**options: Any) -> "models.CharField[str, str]":
    return models.CharField(max_length=10, choices=RECORD_CHOICES, **options)


def optional_section_key(
    related_name: str, **options: Any
) -> "models.ForeignKey[Section | Combinable | None, Section | None]":
    return models.ForeignKey(
        "events.Section",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name=related_name,
        **options,
    )


def at_least(field: str, least: int, name: str) -> models.CheckConstraint:
    return models.CheckConstraint(condition=Q(**{f"{field}__gte": least}), name=name)


def plausible_rating(name: str) -> models.CheckConstraint:
    return models.CheckConstraint(
        condition=Q(rating__gte=100) & Q(rating__lte=3500),
        name=name,
        violation_error_message=gettext_lazy("Enter a rating between 100 and 3500."),
    )


def not_before_start(name: str) -> models.CheckConstraint:
    """Return the constraint that the last day, if any, is not before the first."""
    condition = Q(ends__isnull=True) | Q(ends__gte=F("starts"))
    return models.CheckConstraint(condition=condition, name=name)


def system_is_known(name: str) -> models.CheckConstraint:
    return one_of("system", SYSTEM_VALUES, name)
