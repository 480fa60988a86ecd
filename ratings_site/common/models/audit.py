from django.db import models
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models.keys import optional_account_key


class AuditEntry(models.Model):
    """One action: who did what to which record, when and why. Append-only."""

    at = models.DateTimeField(_("time"), auto_now_add=True)
    actor = optional_account_key(_("account"), blank=False)
    action = models.CharField(max_length=60)
    subject_type = models.CharField(_("record type"), max_length=60)
    subject_id = models.CharField(_("record ID"), max_length=40)
    subject_name = models.CharField(_("record"), max_length=200)
    reason = models.TextField(blank=True)
    facts = models.JSONField(_("details"), default=dict, blank=True)
    request_id = models.CharField(_("request ID"), max_length=40, blank=True)

    class Meta:
        verbose_name = _("activity log entry")
        ordering = ["-pk"]
        verbose_name_plural = _("activity log entries")
        indexes = [
            models.Index(fields=["subject_type", "subject_id"], name="audit_subject"),
            # For prefix searches; SQLite ignores the operator classes.
            models.Index(
                fields=["action", "id"],
                name="audit_action",
                opclasses=["varchar_pattern_ops", "int8_ops"],
            ),
            models.Index(fields=["at"], name="audit_at"),
        ]

    def __str__(self) -> str:
        return f"{self.action}: {self.subject_name}"
