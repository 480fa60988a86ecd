from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy


class MembershipType(models.Model):
    name = models.CharField(max_length=40, unique=True)
    is_adult = models.BooleanField(
        default=False,
        help_text=gettext_lazy(
            "Only an adult can hold it. An unrated holder without a birth date "
            "starts at 1300 instead of 750."
        ),
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A stretch of days during which a player is a member."""

    player = models.ForeignKey(
        "players.Player", on_delete=models.CASCADE, related_name="memberships"
    )
    type = models.ForeignKey(MembershipType, on_delete=models.PROTECT)
    starts = models.DateField()
    expires = models.DateField()

    class Meta:
        ordering = ["-expires"]
        constraints = [
            models.CheckConstraint(
                condition=Q(expires__gte=F("starts")),
                name="membership_ends_after_it_starts",
                violation_error_message=gettext_lazy(
                    "A membership cannot end before it starts."
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} until {self.expires}"
