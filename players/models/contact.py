from django.db import models
from django.utils.translation import gettext_lazy as _


class Contact(models.Model):
    """A member's own e-mail as the federation has it on record. Never public.

    In a table of its own, so that no list or export of members can carry it along. It
    is no account's address: those are verified, this one is what the office was told.
    """

    player = models.OneToOneField(
        "players.Player", on_delete=models.CASCADE, related_name="contact"
    )
    email = models.EmailField(_("e-mail on record"))
    stated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return _("E-mail of {player}").format(player=self.player)
