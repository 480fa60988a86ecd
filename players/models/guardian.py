from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings_site.common.models.keys import owner_key


class Guardian(models.Model):
    """The parent's or guardian's address for notices about a child, never the child's.

    In a table of its own, so that lists and exports of members cannot include it.
    """

    player = models.OneToOneField(
        "players.Player", on_delete=models.CASCADE, related_name="guardian"
    )
    email = models.EmailField(_("parent or guardian’s email"))
    stated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return _("Parent or guardian of {player}").format(player=self.player)


class GuardianAccount(models.Model):
    """The account of a parent or guardian, which acts for a child until 18.

    A child may have several, and an account several children.
    """

    player = player_key("guardian_accounts", on_delete=models.CASCADE)
    account = owner_key("children")
    since = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("parent or guardian account")
        verbose_name_plural = _("parent or guardian accounts")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["player", "account"],
                condition=Q(ended_at=None),
                name="one_guardian_account_per_child_and_account",
                violation_error_message=_(
                    "This account is already linked to the child."
                ),
            )
        ]

    def __str__(self) -> str:
        return _("Parent or guardian account for {player}").format(player=self.player)
