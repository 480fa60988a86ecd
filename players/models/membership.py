from datetime import date

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key

# Membership systems give life members a last day in 2099 or later.
FIRST_LIFE_YEAR = 2099


def is_life_membership(last: date) -> bool:
    """Return whether a membership with this last day is a life membership.

    >>> is_life_membership(date(2099, 12, 31)), is_life_membership(date(2031, 12, 31))
    (True, False)
    """
    return last.year >= FIRST_LIFE_YEAR


class MembershipType(models.Model):
    name = models.CharField(max_length=40, unique=True)
    is_adult = models.BooleanField(
        _("adults only"),
        default=False,
        help_text=_(
            "For adults only. An unrated member without a birth date starts at "
            "1300 instead of 750."
        ),
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A period in which a player is a member."""

    player = player_key("memberships", on_delete=models.CASCADE)
    type = models.ForeignKey(MembershipType, on_delete=models.PROTECT)
    starts = models.DateField()
    expires = models.DateField()

    class Meta:
        ordering = ["-expires"]
        constraints = [
            models.CheckConstraint(
                condition=Q(expires__gte=F("starts")),
                name="membership_ends_after_it_starts",
                violation_error_message=_(
                    "The membership ends before it starts. Correct one of the dates."
                ),
            )
        ]

    def __str__(self) -> str:
        return f"{self.type} until {self.expires}"

    @property
    def is_life(self) -> bool:
        return is_life_membership(self.expires)
