from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings.engine.norms import LEVELS, TITLES
from ratings_site.common.models.constraints import one_of


class TitleDecision(models.TextChoices):
    KEPT = "kept", _("Kept")
    REVOKED = "revoked", _("Revoked")


class EarnedTitle(models.Model):
    """A norm title that the records showed once, and what happened when they ceased to.

    The titles that the records show now are computed from them. The row keeps a title
    that a correction or a rerate takes away, unless the office revokes such titles.
    """

    Decision = TitleDecision

    player = player_key("earned_titles")
    level = models.PositiveIntegerField()
    earned_on = models.DateField(_("earned on"))
    recorded_at = models.DateTimeField()
    decision = models.CharField(max_length=7, choices=TitleDecision.choices, blank=True)

    class Meta:
        verbose_name = _("norm title")
        verbose_name_plural = _("norm titles")
        ordering = ["player", "-level"]
        constraints = [
            models.UniqueConstraint(
                fields=["player", "level"], name="norm_title_is_earned_once"
            ),
            models.CheckConstraint(
                condition=Q(level__in=LEVELS), name="norm_title_level_is_known"
            ),
            one_of("decision", ["", *TitleDecision.values], "title_decision_is_known"),
        ]

    def __str__(self) -> str:
        return gettext("{title}: {player}").format(title=self.title, player=self.player)

    @property
    def title(self) -> str:
        return next(one.name for one in TITLES if one.level == self.level)
