from django.conf import settings
from django.db import models


class AuditEntry(models.Model):
    """One act: who did what to which record, when and why. Added to, never edited."""

    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    action = models.CharField(max_length=60)
    subject_type = models.CharField(max_length=60)
    subject_id = models.CharField(max_length=40)
    subject_name = models.CharField(max_length=200)
    reason = models.TextField(blank=True)
    facts = models.JSONField(default=dict, blank=True)
    request_id = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["subject_type", "subject_id"], name="audit_subject"),
            # For "begins with"; SQLite passes the operator classes over.
            models.Index(
                fields=["action", "id"],
                name="audit_action",
                opclasses=["varchar_pattern_ops", "int8_ops"],
            ),
            models.Index(fields=["at"], name="audit_at"),
        ]

    def __str__(self) -> str:
        return f"{self.action}: {self.subject_name}"
