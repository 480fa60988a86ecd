from django.db import models
from django.utils.translation import gettext_lazy as _


class Contact(models.Model):
    """A member's own email as the federation has it on record. Never public.

    In a table of its own, so that lists and exports of members cannot include it. It is
    not an account's address: those are verified, this one is what the office was told.
    """

    player = models.OneToOneField(
        "players.Player", on_delete=models.CASCADE, related_name="contact"
    )
    email = models.EmailField(_("email on record"))
    stated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return _("Email of {player}").format(player=self.player)
