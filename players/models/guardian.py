from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Guardian(models.Model):
    """Where notices about a child go: to the parent or guardian, never to the child.

    In a table of its own, so that no list or export of members can carry it along.
    """

    player = models.OneToOneField(
        "players.Player", on_delete=models.CASCADE, related_name="guardian"
    )
    email = models.EmailField(_("guardian’s e-mail"))
    stated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return _("Guardian of {player}").format(player=self.player)


class GuardianAccount(models.Model):
    """The account of a parent or guardian, which speaks for a child until 18.

    A child may have several, and an account several children.
    """

    player = models.ForeignKey(
        "players.Player", on_delete=models.CASCADE, related_name="guardian_accounts"
    )
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="children"
    )
    since = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["player", "account"],
                condition=Q(ended_at=None),
                name="one_guardian_account_per_child_and_account",
                violation_error_message=_("This account speaks for the child already."),
            ),
        ]

    def __str__(self) -> str:
        return _("Guardian’s account of {player}").format(player=self.player)
