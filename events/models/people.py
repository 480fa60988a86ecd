from datetime import date

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _


class Affiliate(models.Model):
    """A club or organizer that may submit events for rating."""

    affiliate_id = models.CharField(
        _("affiliate ID"),
        max_length=8,
        unique=True,
        validators=[
            RegexValidator(
                r"^[A-Z][0-9]{7}$", _("An affiliate ID is a letter and seven digits.")
            )
        ],
    )
    name = models.CharField(max_length=80)
    state = models.CharField(max_length=2, blank=True)
    expires = models.DateField()
    is_exclusive = models.BooleanField(
        _("only listed TDs"),
        default=False,
        help_text=_("Only the TDs listed below can report for this affiliate."),
    )

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=Q(affiliate_id__regex=r"^[A-Z][0-9]{7}$"),
                name="affiliate_id_is_letter_and_seven_digits",
                violation_error_message=_(
                    "An affiliate ID is a letter and seven digits."
                ),
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.affiliate_id})"

    def get_absolute_url(self) -> str:
        return reverse("events:affiliate", args=[self.affiliate_id])


class Official(models.Model):
    """A certified tournament director (TD)."""

    class Level(models.TextChoices):
        CLUB = "club", _("Club TD")
        LOCAL = "local", _("Local TD")
        SENIOR = "senior", _("Senior TD")
        ANTD = "antd", _("Associate National TD")
        NATIONAL = "national", _("National TD")

    player = models.OneToOneField(
        "players.Player", on_delete=models.PROTECT, related_name="official"
    )
    level = models.CharField(max_length=10, choices=Level.choices)
    certified_until = models.DateField()
    safe_play_until = models.DateField(
        _("Safe Play training valid through"), null=True, blank=True
    )
    affiliates = models.ManyToManyField(
        Affiliate, blank=True, help_text=_("Affiliates this TD can report for.")
    )

    class Meta:
        ordering = ["player__search_name"]
        verbose_name = _("tournament director")

    def __str__(self) -> str:
        return f"{self.get_level_display()} {self.player}"

    def is_certified_on(self, day: date) -> bool:
        return self.certified_until >= day
