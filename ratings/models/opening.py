from django.db import models
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings.models.systems import (
    at_least,
    plausible_rating,
    record_field,
    system_field,
    system_is_known,
)
from ratings_site.common.models.constraints import not_blank


class OpeningEntry(models.Model):
    """A rating imported from the office's earlier records, with its source.

    The running counts are those of the earlier records; unknown ones stay at what can
    be shown (0), and the absolute floor begins from there.
    """

    player = player_key("opening_entries")
    system = system_field()
    as_of = models.DateField(help_text=_("End date of the last event included."))
    rating = models.FloatField()
    games = models.PositiveIntegerField()
    record = record_field()
    wins = models.PositiveIntegerField(default=0)
    draws = models.PositiveIntegerField(default=0)
    losses = models.PositiveIntegerField(default=0)
    three_game_events = models.PositiveIntegerField(_("three-game events"), default=0)
    peak = models.FloatField(
        _("peak rating"),
        null=True,
        blank=True,
        help_text=_("Highest established rating, if known."),
    )
    source = models.CharField(max_length=200)

    class Meta:
        verbose_name = _("opening rating")
        verbose_name_plural = _("opening ratings")
        constraints = [
            models.UniqueConstraint(
                fields=["player", "system"],
                name="one_opening_entry_per_player_and_system",
                violation_error_message=_("This member already has an opening rating."),
            ),
            system_is_known("opening_system_is_known"),
            plausible_rating("opening_rating_is_plausible"),
            at_least("games", 1, "opening_rating_rests_on_games"),
            not_blank("source", "opening_entry_names_its_source"),
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.system} {self.rating}"


class PublishedRating(models.Model):
    """A rating printed elsewhere for an entry, to compare with our own number."""

    entry = models.ForeignKey(
        "events.Entry", on_delete=models.CASCADE, related_name="published_ratings"
    )
    system = system_field()
    post_rating = models.FloatField(_("rating after"))
    decimals = models.PositiveSmallIntegerField(default=0)
    source = models.CharField(max_length=200)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["entry", "system"],
                name="one_published_rating_per_entry_and_system",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system} {self.post_rating} ({self.source})"
