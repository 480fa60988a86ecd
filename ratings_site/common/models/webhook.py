from typing import Any

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models.constraints import one_of
from ratings_site.common.models.keys import owner_key


class Webhook(models.Model):
    """A URL of an account holder's program that receives messages.

    The secret that signs messages is derived from *salt* and SECRET_KEY
    (``ratings_site.common.webhooks.services``), so a copy of this table is not enough.
    """

    class Kind(models.TextChoices):
        EVENT_RATED = "event.rated", _("An event has been rated")
        CORRECTION = "correction.published", _("A section has been corrected")
        LIST = "list.published", _("An official list has been published")
        RERATE = "rerate.published", _("A rerate has been published")
        REPORT = "report.state", _("The state of a report of yours has changed")

    owner = owner_key("webhooks")
    url = models.CharField(_("address"), max_length=500)
    kinds: Any = models.JSONField(_("events"), default=list)
    salt = models.CharField(max_length=40)
    is_active = models.BooleanField(_("active"), default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    failing_since = models.DateTimeField(null=True, blank=True)
    switched_off_at = models.DateTimeField(_("turned off at"), null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "url"],
                name="one_webhook_per_account_and_address",
                violation_error_message=_("You already have a webhook for this URL."),
            )
        ]

    def __str__(self) -> str:
        return self.url

    def get_absolute_url(self) -> str:
        return reverse("webhooks:webhook", args=[self.pk])

    @property
    def kind_names(self) -> list[str]:
        return [str(kind.label) for kind in self.Kind if kind in self.kinds]


class WebhookDelivery(models.Model):
    """One message to one webhook, and the result of its delivery."""

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        DELIVERED = "delivered", _("Delivered")
        GIVEN_UP = "given_up", _("Failed")

    webhook = models.ForeignKey(
        Webhook, on_delete=models.CASCADE, related_name="deliveries"
    )
    message_id = models.CharField(max_length=40, unique=True)
    kind = models.CharField(_("type"), max_length=40)
    body = models.TextField()
    state = models.CharField(
        max_length=10, choices=State.choices, default=State.WAITING
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    status = models.PositiveSmallIntegerField(
        _("HTTP status"),
        null=True,
        blank=True,
        help_text=_("HTTP status of the last response."),
    )
    answer = models.CharField(
        _("response"),
        max_length=500,
        blank=True,
        help_text=_("Start of the last response or error."),
    )
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    tried_at = models.DateTimeField(_("last attempt"), null=True, blank=True)
    next_try_at = models.DateTimeField(_("next attempt"), null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = _("webhook deliveries")
        constraints = [
            one_of(
                "state", ["waiting", "delivered", "given_up"], "delivery_state_is_known"
            )
        ]
        indexes = [
            models.Index(
                fields=["webhook"],
                condition=Q(state="waiting"),
                name="waiting_deliveries",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.message_id}"
