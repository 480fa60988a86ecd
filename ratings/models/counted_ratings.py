from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from ratings.models.systems import system_field, system_is_known


class CountedRatings(models.Model):
    """How many members had which published rating at a moment, in one group.

    Counting all members takes seconds in a large federation, so pages show the counts
    of a job, with their time. *ratings* are published ratings with how many members
    have each; the figures follow from them.
    """

    class Of(models.TextChoices):
        EVERYBODY = "all", _("All players")
        STATE = "state", _("State")
        AGES = "ages", _("Age")

    system = system_field()
    standing = models.CharField(max_length=11, blank=True)
    activity = models.CharField(max_length=4, blank=True)
    of = models.CharField(max_length=5, choices=Of.choices)
    group = models.CharField(
        max_length=2,
        blank=True,
        help_text=_("The state, or the position of the age group."),
    )
    people = models.PositiveIntegerField()
    mean = models.FloatField()
    lower_quartile = models.PositiveIntegerField()
    median = models.PositiveIntegerField()
    upper_quartile = models.PositiveIntegerField()
    ratings: Any = models.JSONField(default=dict)
    counted_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = _("counted ratings")
        constraints = [
            models.UniqueConstraint(
                fields=["system", "standing", "activity", "of", "group"],
                name="each_group_is_counted_once",
            ),
            system_is_known("counted_system_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.system} {self.of} {self.group}: {self.people}"
