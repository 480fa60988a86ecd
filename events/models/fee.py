"""Rating fees, and what affiliates were charged."""

from decimal import Decimal

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

NO_MONEY = Decimal("0.00")


class Basis(models.TextChoices):
    """What a fee is paid for."""

    GAME = "game", _("Game")
    PLAYER = "player", _("Player")
    SECTION = "section", _("Section")


class RatingFee(models.Model):
    """The fee for events that end on or after a day. Until the first there is none."""

    class System(models.TextChoices):
        ANY = "", _("All sections")
        OTBR = "OTBR", _("Regular")
        OTBQ = "OTBQ", _("Quick")
        OTBB = "OTBB", _("Blitz")
        OLR = "OLR", _("Online regular")
        OLQ = "OLQ", _("Online quick")
        OLB = "OLB", _("Online blitz")

    starts = models.DateField(
        _("first day"),
        help_text=_("The fee applies to events that end on this day or later."),
    )
    system = models.CharField(
        _("sections"),
        max_length=4,
        blank=True,
        choices=System.choices,
        help_text=_(
            "The fee of one rating system replaces that of all sections. A section "
            "rated in two systems pays for the first one."
        ),
    )
    basis = models.CharField(
        _("charged per"), max_length=7, choices=Basis.choices, default=Basis.GAME
    )
    amount = models.DecimalField(max_digits=8, decimal_places=2)
    office_amount = models.DecimalField(
        _("amount if the office enters the report"),
        max_digits=8,
        decimal_places=2,
        null=True,
        blank=True,
        help_text=_("For reports on paper. Leave blank if it is the same."),
    )
    minimum = models.DecimalField(
        _("minimum for an event"), max_digits=8, decimal_places=2, default=NO_MONEY
    )

    class Meta:
        ordering = ["-starts", "system"]
        constraints = [
            models.UniqueConstraint(
                fields=["system", "starts"],
                name="one_fee_from_a_day",
                violation_error_message=_(
                    "There is already a fee for these sections from this day."
                ),
            ),
            models.CheckConstraint(
                condition=Q(basis__in=Basis.values, amount__gte=0, minimum__gte=0)
                & (Q(office_amount=None) | Q(office_amount__gte=0)),
                name="fee_is_not_negative",
                violation_error_message=_("A fee can’t be negative. Enter 0 for none."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_system_display()}, {self.starts}"


class FeeCharge(models.Model):
    """A line of an affiliate's statement. Lines are added and never changed.

    Without a section, the line raises the event's total to the minimum.
    """

    class Cause(models.TextChoices):
        ACCEPTED = "accepted", _("Accepted report")
        CORRECTION = "correction", _("Correction")
        MINIMUM = "minimum", _("Minimum for an event")

    affiliate = models.ForeignKey(
        "events.Affiliate", on_delete=models.PROTECT, related_name="charges"
    )
    event = models.ForeignKey(
        "events.Event", on_delete=models.PROTECT, related_name="charges"
    )
    section = models.ForeignKey(
        "events.Section",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="charges",
    )
    day = models.DateField(_("charged on"), default=timezone.localdate)
    cause = models.CharField(max_length=10, choices=Cause.choices)
    basis = models.CharField(
        _("charged per"), max_length=7, choices=Basis.choices, blank=True
    )
    quantity = models.IntegerField(default=1)
    rate = models.DecimalField(max_digits=8, decimal_places=2)
    minimum = models.DecimalField(max_digits=8, decimal_places=2, default=NO_MONEY)

    class Meta:
        ordering = ["day", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["section"],
                condition=Q(cause="accepted"),
                name="section_is_charged_once",
            ),
            models.CheckConstraint(
                condition=Q(cause="minimum", section=None)
                | Q(cause__in=["accepted", "correction"], section__isnull=False),
                name="charge_is_of_a_section_or_the_minimum",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event}: {self.amount}"

    @property
    def amount(self) -> Decimal:
        return self.quantity * self.rate
