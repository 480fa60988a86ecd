from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models.keys import owner_key


class ProgramAccess(models.Model):
    """What an account lets a program or another site do in its name.

    *member_id* is the member whom another site is told about; blank for a program that
    only uses the API. *subject* is the name of account and member for this site, and no
    other site gets the same. A row is kept when access is revoked, so that a member who
    signs in again has the same name.
    """

    owner = owner_key("programs")
    client = models.ForeignKey(
        "allauth_idp_oidc.Client", on_delete=models.CASCADE, related_name="accesses"
    )
    member_id = models.CharField(_("member ID"), max_length=8, blank=True)
    subject = models.UUIDField(default=uuid4, editable=False)
    scopes = models.TextField()
    granted_at = models.DateTimeField(default=timezone.now)
    last_used_on = models.DateField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    # A program never updates members.
    may_feed = False

    class Meta:
        ordering = ["-granted_at"]
        verbose_name = _("program with access")
        verbose_name_plural = _("programs with access")
        constraints = [
            models.UniqueConstraint(
                fields=["subject"], name="subject_names_one_access"
            ),
            models.UniqueConstraint(
                fields=["owner", "client", "member_id"],
                name="one_access_per_account_program_and_member",
            ),
            models.UniqueConstraint(
                fields=["owner", "client"],
                condition=Q(revoked_at=None),
                name="program_acts_for_one_member_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.owner}: {self.client_id}"

    @classmethod
    def active(cls, owner: Any, client: Any) -> "ProgramAccess | None":
        """Return the access of an account's program, unless it is revoked."""
        rows = cls.objects.filter(owner=owner, client=client, revoked_at=None)
        return rows.select_related("owner", "client").first()

    @property
    def scope_list(self) -> list[str]:
        return self.scopes.split()

    @property
    def daily_quota(self) -> int:
        return int(settings.API_QUOTA_WITH_KEY)

    def allows(self, scope: str) -> bool:
        """Return whether the scope, or one that includes it, has been granted."""
        return not {scope, INCLUDED_IN.get(scope, scope)}.isdisjoint(self.scope_list)


# Who may submit a report may also send it.
INCLUDED_IN = {"report:draft": "report:submit"}


class SigningKey(models.Model):
    """A private key of ID tokens, encrypted with SECRET_KEY. The newest signs."""

    created_at = models.DateTimeField(default=timezone.now)
    pem = models.TextField()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"Signing key {self.pk}"
