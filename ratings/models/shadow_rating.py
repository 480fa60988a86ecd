from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from ratings.models.systems import SYSTEM_VALUES, record_field, system_field


class ShadowRating(models.Model):
    """A current rating as an open rerate would leave it; publishing copies it.

    Only those that differ have a row, with the same columns as the current rating.
    Without a *rating* the player would not be rated any more. The rows go when the
    run is published or discarded.
    """

    # As few keys and indexes as may be: a rerate of all history has a row for nearly
    # every rating there is.
    run = models.ForeignKey(
        "ratings.Run",
        on_delete=models.CASCADE,
        related_name="shadow_ratings",
        db_index=False,
        db_constraint=False,
    )
    player = models.ForeignKey(
        "players.Player",
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    system = system_field()
    before = models.FloatField(
        null=True,
        help_text=gettext_lazy("The current rating in points; None for unrated."),
    )
    games_before = models.PositiveIntegerField(default=0)
    floor_before = models.FloatField(null=True)
    rating = models.FloatField(null=True)
    games = models.PositiveIntegerField(default=0)
    record = record_field(default="none")
    wins = models.PositiveIntegerField(default=0)
    draws = models.PositiveIntegerField(default=0)
    losses = models.PositiveIntegerField(default=0)
    three_game_events = models.PositiveIntegerField(default=0)
    peak = models.FloatField(null=True)
    floor = models.FloatField(null=True)
    rated_on = models.DateField(null=True)
    last_change_id = models.BigIntegerField(null=True)
    first_change_id = models.BigIntegerField(
        null=True,
        help_text=gettext_lazy("The player's earliest line that the run has written."),
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "player", "system"],
                name="one_shadow_rating_per_run_player_and_system",
            ),
            models.CheckConstraint(
                condition=Q(system__in=SYSTEM_VALUES),
                name="shadow_rating_system_is_known",
            ),
            models.CheckConstraint(
                condition=Q(
                    rating__isnull=True,
                    floor__isnull=True,
                    rated_on__isnull=True,
                    last_change_id__isnull=True,
                )
                | Q(
                    rating__isnull=False,
                    floor__isnull=False,
                    rated_on__isnull=False,
                    last_change_id__isnull=False,
                ),
                name="shadow_rating_is_complete_or_gone",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.system} {self.before} → {self.rating}"
