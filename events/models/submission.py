from collections.abc import Sequence
from datetime import date

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from events.formats.dbf.layout_2c import Role
from events.formats.findings import Finding
from events.formats.report_reader import Format
from players.models.name_viewer import name_viewer
from ratings_site.common.models.constraints import not_blank, one_of
from ratings_site.common.models.keys import account_key, optional_account_key
from ratings_site.common.models.review_item import ReviewItem


class Submission(ReviewItem):
    """A rating report on its way from a TD to the office.

    ``content`` is the working copy: the content of the files as read, with every later
    edit (``events.formats.report``). The original files are stored unchanged.
    """

    # Findings with all names, cached for the current request (``cached_findings``).
    found: Sequence[Finding] | None = None

    class State(models.TextChoices):
        OPEN = "open", _("Draft")
        SUBMITTED = "submitted", _("In review")
        RETURNED = "returned", _("Returned for changes")
        ACCEPTED = "accepted", _("Accepted")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    EDITABLE = (State.OPEN, State.RETURNED)
    OPEN_STATES = (State.SUBMITTED,)
    REASON_FIELD = "office_note"

    uploaded_by = account_key(related_name="submissions")
    affiliate = models.ForeignKey(
        "events.Affiliate", null=True, blank=True, on_delete=models.PROTECT
    )
    event_name = models.CharField(max_length=80, blank=True)
    ends = models.DateField(null=True, blank=True)
    entry_count = models.PositiveIntegerField(_("entries"), default=0)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    content = models.JSONField(null=True)
    reader_findings = models.JSONField(default=list)
    finding_counts = models.JSONField(
        _("issue counts"),
        default=dict,
        help_text=_("Issue counts shown in lists, as of the last change."),
    )
    version = models.PositiveIntegerField(
        default=1, help_text=_("Increases with every edit, so no edit is lost.")
    )
    content_digest = models.CharField(max_length=64)
    program = models.CharField(
        max_length=100,
        blank=True,
        help_text=_("Program that sent the report through the API."),
    )
    idempotency_key = models.CharField(
        max_length=100,
        blank=True,
        help_text=_("Sent by the program, so that a repeated request changes nothing."),
    )
    first_digest = models.CharField(
        max_length=64,
        blank=True,
        help_text=_("Digest of the files that came with the idempotency key."),
    )
    office_note = models.TextField(blank=True)
    received_at = models.DateTimeField(auto_now_add=True)
    due = models.DateField(
        _("due date"), null=True, blank=True, help_text=_("Last day to submit on time.")
    )
    handed_in = models.DateField(
        _("first submitted on"),
        null=True,
        blank=True,
        help_text=_("When it was first submitted."),
    )
    days_late = models.PositiveIntegerField(
        null=True, blank=True, help_text=_("Days after the due date. 0 if on time.")
    )
    submitted_by = optional_account_key(
        help_text=_("Who submitted it last. Another person must accept it.")
    )
    submitted_at = models.DateTimeField(null=True, blank=True)
    claimed_by = optional_account_key(
        _("assigned to"), help_text=_("Clerk assigned to the report.")
    )
    claimed_at = models.DateTimeField(_("assigned at"), null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = optional_account_key()

    class Meta:
        verbose_name = _("rating report")
        verbose_name_plural = _("rating reports")
        ordering = ["-pk"]
        permissions = [("review_submission", _("Can accept and return reports"))]
        constraints = [
            models.UniqueConstraint(
                fields=["content_digest"],
                condition=~Q(state="withdrawn"),
                name="same_files_only_once",
                violation_error_message=_("These files have already been uploaded."),
            ),
            models.UniqueConstraint(
                fields=["uploaded_by", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="idempotency_key_once_per_account",
            ),
            one_of(
                "state",
                ["open", "submitted", "returned", "accepted", "withdrawn"],
                "submission_state_is_known",
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
    def days(self) -> tuple[date, date] | None:
        """Return the first and last day of the event, or None if neither is known."""
        text = (self.content or {}).get("starts")
        known = [day for day in (text and date.fromisoformat(text), self.ends) if day]
        return (min(known), max(known)) if known else None

    @property
    def is_editable(self) -> bool:
        return self.state in self.EDITABLE


READ_AS: dict[str, Promise] = {
    **dict.fromkeys(Role, _("Rating report (DBF)")),
    Format.SWISSSYS: _("SwissSys 11 event file"),
    Format.TRF: _("FIDE report file (TRF)"),
    Format.JSON: _("Rating report (JSON)"),
    Format.SWISSSYS_WEB: _("SwissSys published results"),
    Format.CHESS_RESULTS: _("Chess-Results file"),
    Format.PGN: _("Games (PGN)"),
    Format.TABLE: _("Results table"),
}


class SubmissionFile(models.Model):
    """One uploaded file, byte for byte.

    A program may replace the files of a draft; the earlier files are kept.
    """

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="files"
    )
    name = models.CharField(max_length=200)
    role = models.CharField(max_length=20, blank=True)
    stored_as = models.CharField(
        _("stored file"),
        max_length=200,
        blank=True,
        help_text=_("Name in file storage. Blank after deletion."),
    )
    sha256 = models.CharField(verbose_name=_("SHA-256"), max_length=64)
    size = models.PositiveIntegerField()
    replaced_at = models.DateTimeField(_("replaced at"), null=True, blank=True)

    class Meta:
        verbose_name = _("report file")
        verbose_name_plural = _("report files")
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def read_as(self) -> str:
        """Return the format in which the file was read, or "" for an archive."""
        return str(READ_AS.get(self.role, ""))


class FindingOverride(models.Model):
    """A TD's confirmation that a finding is correct as reported, with the reason."""

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="overrides"
    )
    finding_key = models.CharField(verbose_name=_("issue"), max_length=200)
    message = models.TextField()
    reason = models.TextField()
    by = account_key(_("kept by"))
    at = models.DateTimeField(verbose_name=_("kept at"), auto_now_add=True)

    class Meta:
        verbose_name = _("issue kept as reported")
        verbose_name_plural = _("issues kept as reported")
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "finding_key"], name="finding_overridden_once"
            ),
            not_blank("reason", "override_has_a_reason"),
        ]

    def __str__(self) -> str:
        return self.message

    @property
    def shown_message(self) -> str:
        """Return the message for those who see the names of private members."""
        return self.message if name_viewer().sees_all else ""
