from datetime import date

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from ratings.models.systems import SYSTEM_VALUES, system_field


class Floor(models.Model):
    """A floor that somebody granted. Absolute and peak floors are computed instead."""

    class Kind(models.TextChoices):
        LIFE_MASTER = "life_master", "Original Life Master"
        MONEY = "money", "Money floor"
        OFFICE = "office", "Set by the office"

    player = models.ForeignKey(
        "players.Player", on_delete=models.PROTECT, related_name="granted_floors"
    )
    system = system_field()
    kind = models.CharField(max_length=12, choices=Kind.choices)
    level = models.PositiveIntegerField()
    starts = models.DateField()
    ends = models.DateField(null=True, blank=True)
    reason = models.TextField()
    granted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["player", "system", "-starts"]
        constraints = [
            models.CheckConstraint(
                condition=Q(level__gte=100) & Q(level__lte=2200),
                name="floor_lies_between_100_and_2200",
                violation_error_message="A floor lies between 100 and 2200.",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="floor_has_a_reason"),
            models.CheckConstraint(
                condition=Q(ends__isnull=True) | Q(ends__gte=F("starts")),
                name="floor_ends_after_it_starts",
            ),
            models.CheckConstraint(
                condition=Q(system__in=SYSTEM_VALUES), name="floor_system_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(kind="life_master") | Q(system="OTBR"),
                name="life_master_floor_is_regular_only",
                violation_error_message="The floor of an original Life Master exists "
                "in the Regular system only.",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["life_master", "money", "office"]),
                name="floor_kind_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.level} of {self.player}"

    def is_in_force_on(self, day: date) -> bool:
        return self.starts <= day and (self.ends is None or self.ends >= day)


class Ceiling(models.Model):
    """A level above which a rating may not rise (2025 text, section 7)."""

    player = models.ForeignKey(
        "players.Player", on_delete=models.PROTECT, related_name="ceilings"
    )
    system = system_field()
    level = models.PositiveIntegerField()
    starts = models.DateField()
    ends = models.DateField(null=True, blank=True)
    reason = models.TextField()
    imposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["player", "system", "-starts"]
        constraints = [
            models.CheckConstraint(
                condition=Q(level__gte=100), name="ceiling_lies_above_100"
            ),
            models.CheckConstraint(
                condition=~Q(reason=""), name="ceiling_has_a_reason"
            ),
            models.CheckConstraint(
                condition=Q(ends__isnull=True) | Q(ends__gte=F("starts")),
                name="ceiling_ends_after_it_starts",
            ),
            models.CheckConstraint(
                condition=Q(system__in=SYSTEM_VALUES), name="ceiling_system_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"Ceiling {self.level} of {self.player}"
