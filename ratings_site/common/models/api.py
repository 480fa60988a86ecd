from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models.constraints import not_blank
from ratings_site.common.models.keys import owner_key


class ApiKey(models.Model):
    """An API key. It is shown once, when it is created; only its digest is stored.

    *prefix* is the start of the key, so that its owner can recognize it.
    """

    owner = owner_key("api_keys")
    name = models.CharField(max_length=60)
    prefix = models.CharField(max_length=16)
    digest = models.CharField(max_length=64)
    may_submit = models.BooleanField(_("can submit reports"), default=False)
    # The key of a membership system, which has no other permission.
    may_feed = models.BooleanField(_("can update members"), default=False)
    daily_quota = models.PositiveIntegerField(help_text=_("Requests per day (UTC)."))
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_on = models.DateField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name = _("API key")
        constraints = [
            models.UniqueConstraint(fields=["digest"], name="api_key_is_known_once"),
            not_blank("name", "api_key_says_what_it_is_for"),
            models.CheckConstraint(
                condition=Q(may_submit=False) | Q(may_feed=False),
                name="api_key_of_a_feed_does_nothing_else",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    def allows(self, scope: str) -> bool:
        """Return whether the key may do what an access token needs this scope for."""
        return self.may_submit if scope.startswith("report:") else not self.may_feed


class ApiUse(models.Model):
    """The number of requests per day of an account, or of an address without a key.

    *who* is the ID of the keys' owner, or a digest of the address that changes daily.
    Rows of past days are deleted.
    """

    day = models.DateField()
    who = models.CharField(max_length=48)
    requests = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-day", "who"]
        verbose_name = _("API use")
        constraints = [
            models.UniqueConstraint(
                fields=["day", "who"], name="one_count_of_requests_a_day"
            )
        ]

    def __str__(self) -> str:
        return f"{self.who}, {self.day}: {self.requests}"


class ApiKeyUse(models.Model):
    """An operation of the API that a key used, or a parameter or field it sent.

    *name* is blank for the operation itself. *ends_on* is the day on which something
    deprecated ends.
    """

    key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="uses")
    operation = models.CharField(max_length=80)
    name = models.CharField(_("parameter or field"), max_length=80, blank=True)
    last_used_on = models.DateField()
    ends_on = models.DateField(null=True, blank=True)

    class Meta:
        ordering = ["operation", "name"]
        verbose_name = _("use of an API key")
        verbose_name_plural = _("uses of API keys")
        constraints = [
            models.UniqueConstraint(
                fields=["key", "operation", "name"], name="one_use_per_key_and_name"
            )
        ]

    def __str__(self) -> str:
        return " ".join(filter(None, (self.operation, self.name)))
