from django.db import models
from django.db.models import Case, F, When
from django.db.models.functions import Cast, Floor
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings.engine.rules import rules_in_force
from ratings.models.systems import (
    RECORD_VALUES,
    at_least,
    record_field,
    system_field,
    system_is_known,
)
from ratings_site.common.models.constraints import one_of

# The whole number, or the nearest 50 of a rating that still is an age-based start.
PUBLISHED_RATING = Cast(
    Case(
        When(age_start__isnull=True, then=Floor(F("rating") + 0.5)),
        default=Floor(F("rating") / 50.0 + 0.5) * 50.0,
    ),
    models.IntegerField(),
)


class PlayerRating(models.Model):
    """A player's current rating in one system: the last ledger line, ready to read.

    A projection. ``manage.py audit --mend`` rebuilds it from the ledger.
    """

    # Without keys in the database: the ledger line behind a rating has one to the
    # player, and to check both for each rating would be most of the time of publishing
    # a rerate. The audit checks them. The unique constraint finds a player's ratings.
    player = player_key("ratings", db_index=False, db_constraint=False)
    system = system_field()
    rating = models.FloatField()
    games = models.PositiveIntegerField()
    record = record_field()
    wins = models.PositiveIntegerField()
    draws = models.PositiveIntegerField()
    losses = models.PositiveIntegerField()
    three_game_events = models.PositiveIntegerField(_("three-game events"))
    peak = models.FloatField(_("peak rating"), null=True)
    age_start = models.FloatField(
        _("age-based start"),
        null=True,
        help_text=_("Age-based initial rating, if the rating is still that."),
    )
    # `published`, where the database counts and sorts by it.
    published_rating = models.GeneratedField(
        expression=PUBLISHED_RATING,
        output_field=models.PositiveIntegerField(),
        db_persist=True,
    )
    floor = models.FloatField()
    rated_on = models.DateField(
        _("last rated on"),
        help_text=_("End date of the last rated event."),
    )
    last_change = models.ForeignKey(
        "ratings.RatingChange",
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )

    class Meta:
        verbose_name = _("current rating")
        verbose_name_plural = _("current ratings")
        ordering = ["player", "system"]
        constraints = [
            models.UniqueConstraint(
                fields=["player", "system"],
                name="one_current_rating_per_player_and_system",
            ),
            system_is_known("rating_system_is_known"),
            one_of("record", RECORD_VALUES, "rating_record_is_known"),
            at_least("rating", 100, "no_current_rating_below_100"),
        ]
        indexes = [
            models.Index(
                F("system"), F("published_rating").desc(), name="ratings_from_the_top"
            )
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.system} {self.rating}"

    @property
    def is_established(self) -> bool:
        return self.games > rules_in_force(self.rated_on).established_after
