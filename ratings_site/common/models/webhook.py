from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _


class Webhook(models.Model):
    """An address of an account holder's program that is told what happens.

    The secret that signs messages is computed from *salt* and the office's key
    (``ratings_site.common.webhooks.services``), so the table alone signs nothing.
    """

    class Kind(models.TextChoices):
        EVENT_RATED = "event.rated", _("An event has been rated")
        CORRECTION = "correction.published", _("A section has been corrected")
        LIST = "list.published", _("An official list is out")
        RERATE = "rerate.published", _("A rerate has been published")

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="webhooks"
    )
    url = models.CharField(_("address"), max_length=500)
    kinds: Any = models.JSONField(default=list)
    salt = models.CharField(max_length=40)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    failing_since = models.DateTimeField(null=True, blank=True)
    switched_off_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "url"],
                name="one_webhook_per_account_and_address",
                violation_error_message=_("You have a webhook for this address."),
            ),
        ]

    def __str__(self) -> str:
        return self.url

    def get_absolute_url(self) -> str:
        return reverse("webhooks:webhook", args=[self.pk])

    @property
    def kind_names(self) -> list[str]:
        return [str(kind.label) for kind in self.Kind if kind in self.kinds]


class WebhookDelivery(models.Model):
    """One message to one webhook, and how sending it went."""

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        DELIVERED = "delivered", _("Delivered")
        GIVEN_UP = "given_up", _("Given up")

    webhook = models.ForeignKey(
        Webhook, on_delete=models.CASCADE, related_name="deliveries"
    )
    message_id = models.CharField(max_length=40, unique=True)
    kind = models.CharField(max_length=40)
    body = models.TextField()
    state = models.CharField(
        max_length=10, choices=State.choices, default=State.WAITING
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    status = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text=_("The HTTP status of the last answer."),
    )
    answer = models.CharField(
        max_length=500,
        blank=True,
        help_text=_("How the last answer or fault began."),
    )
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    tried_at = models.DateTimeField(null=True, blank=True)
    next_try_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = _("webhook deliveries")
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "delivered", "given_up"]),
                name="delivery_state_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.message_id}"
