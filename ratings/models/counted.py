from typing import Any

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy

from ratings.engine.rules import rules_in_force
from ratings.models.systems import SYSTEM_VALUES, system_field


class CountedRatings(models.Model):
    """How many members had which whole rating at a moment, in one group of them.

    To count everybody takes seconds in a large federation, so pages show what a job has
    counted, and say when. *ratings* are whole ratings, as everybody sees them, with how
    many members have each; the figures follow from them.
    """

    class Of(models.TextChoices):
        EVERYBODY = "all", gettext_lazy("Everybody")
        STATE = "state", gettext_lazy("A state")
        AGES = "ages", gettext_lazy("Years of age")

    system = system_field()
    standing = models.CharField(max_length=11, blank=True)
    activity = models.CharField(max_length=4, blank=True)
    of = models.CharField(max_length=5, choices=Of.choices)
    group = models.CharField(
        max_length=2,
        blank=True,
        help_text=gettext_lazy("The state, or the place of the years in their list."),
    )
    people = models.PositiveIntegerField()
    mean = models.FloatField()
    lower_quartile = models.PositiveIntegerField()
    median = models.PositiveIntegerField()
    upper_quartile = models.PositiveIntegerField()
    ratings: Any = models.JSONField(default=dict)
    counted_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = gettext_lazy("counted ratings")
        constraints = [
            models.UniqueConstraint(
                fields=["system", "standing", "activity", "of", "group"],
                name="each_group_is_counted_once",
            ),
            models.CheckConstraint(
                condition=Q(system__in=SYSTEM_VALUES), name="counted_system_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system} {self.of} {self.group}: {self.people}"


class SeenRating(models.Model):
    """A current rating as everybody sees it, as it was when ratings were counted.

    To find out what of a rating may be seen takes a look at where it began, too dear
    for all members of a class. Those whom `CountedRatings` leaves out are not here.
    """

    player = models.ForeignKey(
        "players.Player",
        on_delete=models.CASCADE,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    system = system_field()
    seen = models.FloatField()
    tells_start = models.PositiveSmallIntegerField(
        help_text=gettext_lazy("How much of a start it tells, so that it is rounded.")
    )
    games = models.PositiveIntegerField()
    rated_on = models.DateField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["player", "system"], name="a_rating_is_seen_in_one_way"
            ),
            models.CheckConstraint(
                condition=Q(system__in=SYSTEM_VALUES), name="seen_system_is_known"
            ),
        ]
        indexes = [
            models.Index(F("system"), F("seen").desc(), name="seen_from_the_top"),
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.system} {self.seen}"

    @property
    def is_established(self) -> bool:
        return self.games > rules_in_force(self.rated_on).established_after
