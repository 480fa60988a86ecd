from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy


class Claim(models.Model):
    """An account says: this member is I, or my child.

    The code that is mailed to the address on record is computed from *salt* and the
    office's key (``players.claims.services.claiming``), so the table alone opens
    nothing. Of the birth date that was typed only this is kept: whether it agrees with
    the record.
    """

    class State(models.TextChoices):
        CODE = "code", gettext_lazy("Waits for the code")
        ASKED = "asked", gettext_lazy("Waits for the office")
        GRANTED = "granted", gettext_lazy("Granted")
        REFUSED = "refused", gettext_lazy("Refused")
        WITHDRAWN = "withdrawn", gettext_lazy("Withdrawn")

    player = models.ForeignKey(
        "players.Player", on_delete=models.CASCADE, related_name="claims"
    )
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="claims"
    )
    as_guardian = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State.choices, default=State.CODE)
    created_at = models.DateTimeField(auto_now_add=True)
    salt = models.CharField(max_length=40)
    mailed_at = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    text = models.TextField(blank=True)
    birth_date_agrees = models.BooleanField(null=True, blank=True)
    asked_at = models.DateTimeField(null=True, blank=True)
    # Empty where the code decided.
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]
        permissions = [("decide_claim", gettext_lazy("Can decide who a member is"))]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    state__in=["code", "asked", "granted", "refused", "withdrawn"]
                ),
                name="claim_state_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(state="refused")
                | (Q(decided_by__isnull=False) & ~Q(reason="")),
                name="refused_claim_says_by_whom_and_why",
            ),
            models.UniqueConstraint(
                fields=["player", "account"],
                condition=Q(state__in=["code", "asked"]),
                name="one_open_claim_per_member_and_account",
                violation_error_message=gettext_lazy(
                    "You have claimed this member already."
                ),
            ),
        ]
        indexes = [
            models.Index(fields=["player", "created_at"], name="claims_of_a_member"),
            models.Index(fields=["account", "created_at"], name="claims_of_an_account"),
        ]

    def __str__(self) -> str:
        return _("Claim of {player}").format(player=self.player)

    @property
    def as_whom(self) -> str:
        """Return in words what the account says to be."""
        return in_words(self.as_guardian)


class Invitation(models.Model):
    """The office invites somebody to speak for a member. Its link counts once.

    *email* is where it was mailed; blank where it was printed or handed over. *at_age*
    is set where nobody of the office made it: a child may have an account of its own
    from that birthday on, and the letters go to the guardians.
    """

    player = models.ForeignKey(
        "players.Player", on_delete=models.CASCADE, related_name="invitations"
    )
    as_guardian = models.BooleanField(default=False)
    email = models.EmailField(blank=True)
    at_age = models.PositiveSmallIntegerField(null=True, blank=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    made_at = models.DateTimeField(auto_now_add=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["player", "at_age"],
                name="own_account_is_offered_once_at_each_age",
                violation_error_message=gettext_lazy(
                    "The member has been offered an account of their own already."
                ),
            ),
        ]

    def __str__(self) -> str:
        return _("Invitation for {player}").format(player=self.player)

    @property
    def as_whom(self) -> str:
        return in_words(self.as_guardian)


def in_words(as_guardian: bool) -> str:
    """Return as whom an account speaks for a member."""
    return _("a parent or guardian") if as_guardian else _("the member")
