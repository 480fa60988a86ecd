from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings_site.common.models.constraints import one_of


class ExternalRating(models.Model):
    """A rating from FIDE or the CFC, from one list.

    It counts as a source for an initial rating (2025 text, sections 2.1 and 2.2).
    """

    class Body(models.TextChoices):
        FIDE = "FIDE", _("FIDE standard")
        CFC = "CFC", _("CFC regular")

    player = player_key("external_ratings", on_delete=models.CASCADE)
    body = models.CharField(_("federation"), max_length=4, choices=Body.choices)
    list_date = models.DateField(help_text=_("The first day this rating is valid."))
    rating = models.PositiveIntegerField()
    games = models.PositiveIntegerField(null=True, blank=True)
    source = models.CharField(max_length=200, blank=True)
    # Copied from a stored list, again when the member's FIDE ID changes.
    fide_list = models.ForeignKey(
        "players.FideList",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="+",
    )

    class Meta:
        verbose_name = _("FIDE or CFC rating")
        verbose_name_plural = _("FIDE and CFC ratings")
        ordering = ["body", "-list_date"]
        constraints = [
            models.UniqueConstraint(
                fields=["player", "body", "list_date"],
                name="one_external_rating_per_body_and_list",
                violation_error_message=_(
                    "This list already has a rating for the member."
                ),
            ),
            one_of("body", ["FIDE", "CFC"], "external_body_is_known"),
            models.CheckConstraint(
                condition=Q(rating__gte=1) & Q(rating__lte=3500),
                name="external_rating_is_plausible",
                violation_error_message=_(
                    "Enter a FIDE or CFC rating between 1 and 3500."
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.body} {self.rating} ({self.list_date})"
