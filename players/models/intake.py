from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy


class Intake(models.Model):
    """A file of records that moves in: read, looked at, entered in one act, undone.

    The file is kept byte for byte below DATA_DIR. Until the intake is entered its rows
    are seen by nobody but the office.
    """

    class Kind(models.TextChoices):
        MEMBERS = "members", gettext_lazy("Members and memberships")
        RATINGS = "ratings", gettext_lazy("Ratings taken over")
        AFFILIATES = "affiliates", gettext_lazy("Affiliates")
        DIRECTORS = "directors", gettext_lazy("Tournament directors")
        HISTORY = "history", gettext_lazy("Reports of events")
        INVITATIONS = "invitations", gettext_lazy("Members to invite")

    class State(models.TextChoices):
        READING = "reading", gettext_lazy("Being read")
        READY = "ready", gettext_lazy("Waits for your decision")
        ENTERING = "entering", gettext_lazy("Being entered")
        ENTERED = "entered", gettext_lazy("Entered")
        UNDOING = "undoing", gettext_lazy("Being undone")
        UNDONE = "undone", gettext_lazy("Undone")
        REFUSED = "refused", gettext_lazy("Not taken")

    AT_WORK = (State.READING, State.ENTERING, State.UNDOING)

    kind = models.CharField(max_length=12, choices=Kind.choices)
    state = models.CharField(
        max_length=10, choices=State.choices, default=State.READING
    )
    by_feed = models.BooleanField(default=False)
    file_name = models.CharField(max_length=200)
    stored_as = models.CharField(
        max_length=200, help_text=gettext_lazy("Path below DATA_DIR.")
    )
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(
        help_text=gettext_lazy("Bytes of the file as received.")
    )
    received_at = models.DateTimeField(auto_now_add=True)
    received_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    # What was chosen beside the file, by name.
    options: Any = models.JSONField(default=dict)
    # What the reading found.
    headings: Any = models.JSONField(default=list)
    passed_over: Any = models.JSONField(default=list)
    rows_read = models.PositiveIntegerField(default=0)
    new = models.PositiveIntegerField(default=0)
    changed = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    suspected = models.PositiveIntegerField(default=0)
    on_record = models.PositiveIntegerField(
        default=0, help_text=gettext_lazy("Records there were before.")
    )
    totals: Any = models.JSONField(default=dict)
    columns: Any = models.JSONField(
        default=dict,
        blank=True,
        help_text=gettext_lazy("What somebody said the columns are."),
    )
    sheet: Any = models.JSONField(
        default=dict,
        blank=True,
        help_text=gettext_lazy("Of a spreadsheet, which sheet was read and which not."),
    )
    emptied_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=gettext_lazy("When what its rows say of people was thrown away."),
    )
    # Why the file is not taken, or why the last act on it failed.
    problem: Any = models.JSONField(default=dict)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    reason = models.TextField(blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    undo_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name = gettext_lazy("intake of a file")
        verbose_name_plural = gettext_lazy("intakes of files")
        permissions = [
            ("take_in", gettext_lazy("Can take in files of members and ratings"))
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        "members",
                        "ratings",
                        "affiliates",
                        "directors",
                        "history",
                        "invitations",
                    ]
                ),
                name="intake_kind_is_known",
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=[
                        "reading",
                        "ready",
                        "entering",
                        "entered",
                        "undoing",
                        "undone",
                        "refused",
                    ]
                ),
                name="intake_state_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["entered", "undoing", "undone"])
                | Q(decided_at__isnull=False),
                name="entered_intake_says_when",
            ),
            models.CheckConstraint(
                condition=~Q(state="undone") | Q(undone_at__isnull=False),
                name="undone_intake_says_when",
            ),
        ]

    def __str__(self) -> str:
        return _("{kind} of {file}").format(
            kind=self.get_kind_display(), file=self.file_name
        )

    def get_absolute_url(self) -> str:
        return reverse("players_office:intake", args=[self.pk])

    @property
    def share(self) -> float:
        """Return which share of the records there were before would be changed."""
        return self.changed / self.on_record if self.on_record else 0.0


class IntakeRow(models.Model):
    """A row of the file that enters or changes something, or is refused.

    Rows that change nothing are counted only. ``values`` says of a new record all that
    the row says, and of a changed one each field as it was and as it is to be.
    """

    class Kind(models.TextChoices):
        NEW = "new", gettext_lazy("New")
        CHANGED = "changed", gettext_lazy("Changed")
        REFUSED = "refused", gettext_lazy("Refused")

    intake = models.ForeignKey(
        Intake, on_delete=models.CASCADE, related_name="rows", db_index=False
    )
    line = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=Kind.choices)
    key = models.CharField(max_length=20)
    # Who seems to be the same person: a member's ID, or ":12" for line 12.
    twin = models.CharField(max_length=20, blank=True)
    values: Any = models.JSONField(default=dict)
    reason: Any = models.JSONField(default=dict)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["new", "changed", "refused"]),
                name="intake_row_kind_is_known",
            ),
        ]
        indexes = [
            models.Index(fields=["intake", "kind", "line"], name="rows_of_an_intake"),
        ]

    def __str__(self) -> str:
        return f"{self.line}: {self.key}"

    @property
    def twin_in_words(self) -> str:
        if self.twin.startswith(":"):
            return _("line {line}").format(line=self.twin[1:])
        return self.twin
