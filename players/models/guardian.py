from django.db import models
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
