from collections.abc import Sequence

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy

from events.importers.dbf.layout_2c import Role
from events.importers.findings import Finding
from events.importers.read_report import Format


class Submission(models.Model):
    """A rating report on its way from a TD to the office.

    ``content`` is the working copy: what the readers made of the files, with every
    later edit (``events.importers.records``). The files themselves are kept as they
    came.
    """

    # What the request in hand has found in the report (``shown_findings``).
    found: Sequence[Finding] | None = None

    class State(models.TextChoices):
        OPEN = "open", gettext_lazy("With the TD")
        SUBMITTED = "submitted", gettext_lazy("With the office")
        RETURNED = "returned", gettext_lazy("Returned to the TD")
        ACCEPTED = "accepted", gettext_lazy("Accepted")
        WITHDRAWN = "withdrawn", gettext_lazy("Withdrawn")

    EDITABLE = (State.OPEN, State.RETURNED)

    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="submissions"
    )
    affiliate = models.ForeignKey(
        "events.Affiliate", null=True, blank=True, on_delete=models.PROTECT
    )
    event_name = models.CharField(max_length=80, blank=True)
    ends = models.DateField(null=True, blank=True)
    entry_count = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    content = models.JSONField(null=True)
    reader_findings = models.JSONField(default=list)
    finding_counts = models.JSONField(
        default=dict, help_text=gettext_lazy("What lists show, as of the last change.")
    )
    version = models.PositiveIntegerField(
        default=1,
        help_text=gettext_lazy("Grows with every edit, so that no edit is lost."),
    )
    content_digest = models.CharField(max_length=64)
    office_note = models.TextField(blank=True)
    received_at = models.DateTimeField(auto_now_add=True)
    due = models.DateField(
        null=True,
        blank=True,
        help_text=gettext_lazy("The last day on which it is in time."),
    )
    handed_in = models.DateField(
        null=True,
        blank=True,
        help_text=gettext_lazy("When it first went to the office."),
    )
    days_late = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text=gettext_lazy("How long after the day it was due; 0 in time."),
    )
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text=gettext_lazy("Who handed it in last; somebody else accepts it."),
    )
    submitted_at = models.DateTimeField(null=True, blank=True)
    claimed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text=gettext_lazy("Who of the office has taken the report to decide it."),
    )
    claimed_at = models.DateTimeField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )

    class Meta:
        ordering = ["-pk"]
        permissions = [
            ("review_submission", gettext_lazy("Can accept and return reports"))
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["content_digest"],
                condition=~Q(state="withdrawn"),
                name="same_files_only_once",
                violation_error_message=gettext_lazy(
                    "These very files were sent before."
                ),
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=["open", "submitted", "returned", "accepted", "withdrawn"]
                ),
                name="submission_state_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["submitted", "accepted"])
                | Q(submitted_at__isnull=False),
                name="submitted_report_has_a_time",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["returned", "accepted"])
                | Q(decided_by__isnull=False),
                name="decided_report_has_a_decider",
            ),
            models.CheckConstraint(
                condition=Q(days_late__isnull=True)
                | Q(due__isnull=False, handed_in__isnull=False),
                name="lateness_is_between_two_days",
            ),
            models.CheckConstraint(
                condition=Q(claimed_by__isnull=True, claimed_at__isnull=True)
                | Q(claimed_by__isnull=False, claimed_at__isnull=False),
                name="taken_report_has_taker_and_time",
            ),
        ]
        indexes = [models.Index(fields=["state", "submitted_at"], name="report_queue")]

    def __str__(self) -> str:
        return self.event_name or f"Report {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("events:report", args=[self.pk])

    @property
    def is_editable(self) -> bool:
        return self.state in self.EDITABLE


READ_AS = {
    **dict.fromkeys(Role, gettext_lazy("Rating report (DBF)")),
    Format.SWISSSYS: gettext_lazy("Event file of SwissSys 11"),
    Format.TRF: gettext_lazy("FIDE’s report file (TRF)"),
    Format.JSON: gettext_lazy("Rating report (JSON)"),
    Format.SWISSSYS_WEB: gettext_lazy("Results that SwissSys publishes"),
    Format.CHESS_RESULTS: gettext_lazy("File for chess-results.com"),
    Format.PGN: gettext_lazy("Games (PGN)"),
    Format.TABLE: gettext_lazy("Table of results"),
}


class SubmissionFile(models.Model):
    """One uploaded file, byte for byte."""

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="files"
    )
    name = models.CharField(max_length=200)
    role = models.CharField(max_length=20, blank=True)
    content = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    size = models.PositiveIntegerField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def read_as(self) -> str:
        """What the readers took the file for, in words; nothing for an archive."""
        return str(READ_AS.get(self.role, ""))


class FindingOverride(models.Model):
    """A TD's word that a finding is in order as it stands, with the reason."""

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="overrides"
    )
    finding_key = models.CharField(max_length=200)
    message = models.TextField()
    reason = models.TextField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "finding_key"],
                name="finding_overridden_once",
            ),
            models.CheckConstraint(
                condition=~Q(reason=""), name="override_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return self.message
