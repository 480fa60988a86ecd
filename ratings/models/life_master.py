from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy


class LifeMasterSetAside(models.Model):
    """A candidate for original Life Master whom the office has declined.

    The candidate is not proposed again; the office may still confirm the title later.
    """

    player = models.OneToOneField(
        "players.Player", on_delete=models.PROTECT, related_name="life_master_set_aside"
    )
    games = models.PositiveIntegerField(
        help_text=gettext_lazy("Qualifying games on that date.")
    )
    reason = models.TextField()
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    decided_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = gettext_lazy("declined Life Master candidate")
        verbose_name_plural = gettext_lazy("declined Life Master candidates")
        ordering = ["-decided_at"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(reason=""), name="life_master_is_set_aside_with_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return _("{player}: not an Original Life Master").format(player=self.player)
