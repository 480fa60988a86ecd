"""The keys that sign members' rating statements."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class SigningKey(models.Model):
    """An Ed25519 key. Its public half stays published after the key is retired.

    The private half is encrypted with SECRET_KEY. A revoked key was not safe: nothing
    that it signed counts any longer.
    """

    key_id = models.CharField(_("key ID"), max_length=12, unique=True)
    public = models.CharField(_("public key"), max_length=43)
    private = models.TextField(_("encrypted private key"), blank=True)
    created_at = models.DateTimeField()
    retired_at = models.DateTimeField(null=True, blank=True)
    is_revoked = models.BooleanField(_("revoked"), default=False)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(retired_at__isnull=False) | Q(is_revoked=False),
                name="revoked_signing_key_is_retired",
            ),
            models.CheckConstraint(
                condition=Q(retired_at__isnull=True) | Q(private=""),
                name="retired_signing_key_keeps_no_private_half",
            ),
            models.CheckConstraint(
                condition=Q(retired_at__isnull=True)
                | Q(retired_at__gte=F("created_at")),
                name="signing_key_retires_after_it_was_made",
            ),
        ]

    def __str__(self) -> str:
        return self.key_id
