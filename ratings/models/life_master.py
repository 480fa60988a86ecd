from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models.constraints import not_blank
from ratings_site.common.models.keys import account_key


class LifeMasterSetAside(models.Model):
    """A candidate for original Life Master whom the office has declined.

    The candidate is not proposed again; the office may still confirm the title later.
    """

    player = models.OneToOneField(
        "players.Player", on_delete=models.PROTECT, related_name="life_master_set_aside"
    )
    games = models.PositiveIntegerField(help_text=_("Qualifying games on that date."))
    reason = models.TextField()
    decided_by = account_key()
    decided_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("declined Life Master candidate")
        verbose_name_plural = _("declined Life Master candidates")
        ordering = ["-decided_at"]
        constraints = [
            not_blank("reason", "life_master_is_set_aside_with_a_reason"),
        ]

    def __str__(self) -> str:
        return gettext("{player}: not an Original Life Master").format(
            player=self.player
        )
