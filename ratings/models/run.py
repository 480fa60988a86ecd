from django.conf import settings
from django.db import models
from django.db.models import Q


class Run(models.Model):
    """A stretch of rating work; every calculation belongs to one.

    What arrives in order is rated under the incremental run, of which there is one.
    """

    class Kind(models.TextChoices):
        INCREMENTAL = "incremental", "As events arrive"

    kind = models.CharField(
        max_length=20, choices=Kind.choices, default=Kind.INCREMENTAL
    )
    reason = models.TextField(blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind"],
                condition=Q(kind="incremental"),
                name="one_incremental_run",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ({self.pk})"
