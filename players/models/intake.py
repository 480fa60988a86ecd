from collections.abc import Callable
from typing import Any

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models.constraints import one_of
from ratings_site.common.models.keys import optional_account_key


class Intake(models.Model):
    """An import of a file of records: checked, reviewed, applied all at once, undone.

    The file is stored byte for byte; a batch of the feed is not, its rows store the
    changes. Until the import is applied, only the office sees its rows.
    """

    class Kind(models.TextChoices):
        MEMBERS = "members", _("Members and memberships")
        RATINGS = "ratings", _("Opening ratings")
        AFFILIATES = "affiliates", _("Affiliates")
        DIRECTORS = "directors", _("Tournament directors")
        HISTORY = "history", _("Past events")
        INVITATIONS = "invitations", _("Members to invite")

    class State(models.TextChoices):
        READING = "reading", _("Importing")
        READY = "ready", _("Ready to review")
        ENTERING = "entering", _("Importing")
        ENTERED = "entered", _("Imported")
        UNDOING = "undoing", _("Undoing")
        UNDONE = "undone", _("Undone")
        REFUSED = "refused", _("Rejected")

    AT_WORK = (State.READING, State.ENTERING, State.UNDOING)

    kind = models.CharField(_("type"), max_length=12, choices=Kind.choices)
    state = models.CharField(
        max_length=10, choices=State.choices, default=State.READING
    )
    by_feed = models.BooleanField(_("from the membership feed"), default=False)
    file_name = models.CharField(max_length=200)
    stored_as = models.CharField(
        max_length=200,
        blank=True,
        help_text=_(
            "Name in file storage. Blank if there is no file or it was deleted."
        ),
    )
    sha256 = models.CharField(_("SHA-256"), max_length=64)
    size = models.PositiveBigIntegerField(
        help_text=_("Size of the received file in bytes.")
    )
    received_at = models.DateTimeField(auto_now_add=True)
    received_by = optional_account_key(blank=False)
    # Options chosen with the file, by name.
    options: Any = models.JSONField(default=dict)
    # Results of the dry run.
    headings: Any = models.JSONField(default=list)
    passed_over: Any = models.JSONField(default=list)
    rows_read = models.PositiveIntegerField(default=0)
    new = models.PositiveIntegerField(default=0)
    changed = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(_("rejected"), default=0)
    suspected = models.PositiveIntegerField(_("possible duplicates"), default=0)
    on_record = models.PositiveIntegerField(
        _("records before"), default=0, help_text=_("Records before the import.")
    )
    totals: Any = models.JSONField(default=dict)
    columns: Any = models.JSONField(
        default=dict, blank=True, help_text=_("Columns as chosen by the clerk.")
    )
    sheet: Any = models.JSONField(
        default=dict, blank=True, help_text=_("Which sheets of a workbook were read.")
    )
    notes: Any = models.JSONField(
        default=list, blank=True, help_text=_("How the file was read.")
    )
    faults: Any = models.JSONField(
        default=dict,
        blank=True,
        help_text=_("Faults by kind: their number, and the first rows of each."),
    )
    emptied_at = models.DateTimeField(
        _("personal data deleted at"),
        null=True,
        blank=True,
        help_text=_("When personal data in its rows were deleted."),
    )
    # Why the file is refused, or why the last action on it failed.
    problem: Any = models.JSONField(default=dict)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = optional_account_key()
    reason = models.TextField(blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = optional_account_key()
    undo_reason = models.TextField(blank=True)

    # Set by a job: it is called with the rows applied or undone so far, and all rows.
    on_progress: Callable[[int, int], None] | None = None
    rows_done = 0

    class Meta:
        ordering = ["-pk"]
        verbose_name = _("import")
        verbose_name_plural = _("imports")
        permissions = [("take_in", _("Can import members and ratings"))]
        constraints = [
            one_of(
                "kind",
                [
                    "members",
                    "ratings",
                    "affiliates",
                    "directors",
                    "history",
                    "invitations",
                ],
                "intake_kind_is_known",
            ),
            one_of(
                "state",
                [
                    "reading",
                    "ready",
                    "entering",
                    "entered",
                    "undoing",
                    "undone",
                    "refused",
                ],
                "intake_state_is_known",
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
        return gettext("{kind}: {file}").format(
            kind=self.get_kind_display(), file=self.file_name
        )

    def get_absolute_url(self) -> str:
        return reverse("players_office:intake", args=[self.pk])

    def report(self, rows: int) -> None:
        """Tell the job that more rows are applied or undone."""
        self.rows_done += rows
        if self.on_progress is not None:
            total = self.new + self.changed
            self.on_progress(min(self.rows_done, total), total)


class IntakeRow(models.Model):
    """A row of the file that adds or changes something, or is refused.

    Rows that change nothing are only counted. ``values`` has the whole row for a new
    record, and the old and new value of each field for a changed one.
    """

    class Kind(models.TextChoices):
        NEW = "new", _("New")
        CHANGED = "changed", _("Changed")
        REFUSED = "refused", _("Declined")

    intake = models.ForeignKey(
        Intake, on_delete=models.CASCADE, related_name="rows", db_index=False
    )
    line = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=Kind.choices)
    key = models.CharField(max_length=20)
    # A possible duplicate: a member's ID, or ":12" for line 12.
    twin = models.CharField(max_length=20, blank=True)
    values: Any = models.JSONField(default=dict)
    reason: Any = models.JSONField(default=dict)

    class Meta:
        ordering = ["pk"]
        constraints = [
            one_of("kind", ["new", "changed", "refused"], "intake_row_kind_is_known")
        ]
        indexes = [
            models.Index(fields=["intake", "kind", "line"], name="rows_of_an_intake")
        ]

    def __str__(self) -> str:
        return f"{self.line}: {self.key}"

    @property
    def twin_label(self) -> str:
        if self.twin.startswith(":"):
            return gettext("line {line}").format(line=self.twin[1:])
        return self.twin


class ImportWord(models.Model):
    """What a word for a member's status means in this office's files."""

    class Meaning(models.TextChoices):
        ACTIVE = "active", _("Active")
        INACTIVE = "inactive", _("Inactive")
        DECEASED = "deceased", _("Deceased")
        SUSPENDED = "suspended", _("Suspended")
        REVOKED = "revoked", _("Membership revoked")
        NOTHING = "", _("Leave the status as it is")

    word = models.CharField(
        max_length=40, unique=True, help_text=_("In capitals, as “LAPSED.”")
    )
    meaning = models.CharField(max_length=12, choices=Meaning.choices, blank=True)
    decided_at = models.DateTimeField(auto_now=True)
    decided_by = optional_account_key()

    class Meta:
        ordering = ["word"]
        verbose_name = _("status word")
        verbose_name_plural = _("status words")
        constraints = [
            one_of(
                "meaning",
                ["", "active", "inactive", "deceased", "suspended", "revoked"],
                "status_word_has_a_known_meaning",
            ),
        ]

    def __str__(self) -> str:
        return self.word
