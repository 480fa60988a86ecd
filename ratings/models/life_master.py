from django.conf import settings
from django.db import models
from django.db.models import Q


class LifeMasterSetAside(models.Model):
    """A member whom the count makes an original Life Master, but the office does not.

    The candidate is not proposed again; the office may still confirm him later.
    """

    player = models.OneToOneField(
        "players.Player", on_delete=models.PROTECT, related_name="life_master_set_aside"
    )
    games = models.PositiveIntegerField(help_text="The games counted on that day.")
    reason = models.TextField()
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    decided_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "life master set aside"
        verbose_name_plural = "life masters set aside"
        ordering = ["-decided_at"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(reason=""), name="life_master_is_set_aside_with_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player}: not an original Life Master"
