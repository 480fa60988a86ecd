from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings_site.common.models.constraints import one_of
from ratings_site.common.models.keys import optional_account_key, owner_key
from ratings_site.common.models.review_item import ReviewItem


class Claim(ReviewItem):
    """A link request: an account states that a member is its owner, or their child.

    The code that is mailed to the address on record is derived from *salt* and the
    office's key (``players.claims.services.claims``), so the table alone reveals no
    code. Of the birth date that was entered only the match with the record is stored.
    """

    class State(models.TextChoices):
        CODE = "code", _("Waiting for the code")
        ASKED = "asked", _("Waiting for the office")
        GRANTED = "granted", _("Approved")
        REFUSED = "refused", _("Declined")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    # Open for the office; before, the requester can prove the link with a code.
    OPEN_STATES = (State.ASKED,)

    player = player_key("claims", on_delete=models.CASCADE)
    account = owner_key("claims")
    as_guardian = models.BooleanField(_("as parent or guardian"), default=False)
    # Request to certify the member as a tournament director, and to link the account if
    # it is not linked yet. The office decides; no code is mailed.
    as_td = models.BooleanField(_("as TD"), default=False)
    state = models.CharField(max_length=10, choices=State.choices, default=State.CODE)
    created_at = models.DateTimeField(auto_now_add=True)
    salt = models.CharField(max_length=40)
    mailed_at = models.DateTimeField(_("emailed at"), null=True, blank=True)
    tries = models.PositiveSmallIntegerField(_("attempts"), default=0)
    text = models.TextField(_("message"), blank=True)
    birth_date_agrees = models.BooleanField(
        _("birth date matches"), null=True, blank=True
    )
    asked_at = models.DateTimeField(_("requested at"), null=True, blank=True)
    # Empty if the code decided.
    decided_by = optional_account_key()
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        verbose_name = _("link request")
        verbose_name_plural = _("link requests")
        ordering = ["-pk"]
        permissions = [("decide_claim", _("Can decide link requests"))]
        constraints = [
            one_of(
                "state",
                ["code", "asked", "granted", "refused", "withdrawn"],
                "claim_state_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(state="refused")
                | (Q(decided_by__isnull=False) & ~Q(reason="")),
                name="refused_claim_says_by_whom_and_why",
            ),
            models.CheckConstraint(
                condition=Q(as_td=False) | Q(as_guardian=False),
                name="td_request_is_for_the_member",
            ),
            models.UniqueConstraint(
                fields=["player", "account", "as_td"],
                condition=Q(state__in=["code", "asked"]),
                name="one_open_claim_of_a_kind_per_member_and_account",
                violation_error_message=_(
                    "You already have a link request for this member."
                ),
            ),
        ]
        indexes = [
            models.Index(fields=["player", "created_at"], name="claims_of_a_member"),
            models.Index(fields=["account", "created_at"], name="claims_of_an_account"),
        ]

    def __str__(self) -> str:
        return gettext("Link request for {player}").format(player=self.player)

    @property
    def relationship(self) -> str:
        """Return the stated relationship to the member, in words."""
        return relationship_label(self.as_guardian)


class Invitation(models.Model):
    """An invitation by the office to link to a member. Its link works once.

    *email* is the address it was mailed to; blank if printed or handed over. *at_age*
    is set for automatic invitations: a child may have an account of their own from that
    birthday on, and the letters go to the guardians.
    """

    player = player_key("invitations", on_delete=models.CASCADE)
    as_guardian = models.BooleanField(_("as parent or guardian"), default=False)
    email = models.EmailField(blank=True)
    at_age = models.PositiveSmallIntegerField(_("age"), null=True, blank=True)
    made_by = optional_account_key(_("invited by"))
    made_at = models.DateTimeField(_("invited at"), auto_now_add=True)
    used_by = optional_account_key(on_delete=models.SET_NULL)
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["player", "at_age"],
                name="own_account_is_offered_once_at_each_age",
                violation_error_message=_(
                    "This member already has an invitation to create an account."
                ),
            )
        ]

    def __str__(self) -> str:
        return gettext("Invitation for {player}").format(player=self.player)

    @property
    def relationship(self) -> str:
        return relationship_label(self.as_guardian)


def relationship_label(as_guardian: bool) -> str:
    """Return the relationship of an account to a member, in words."""
    return gettext("a parent or guardian") if as_guardian else gettext("the member")
