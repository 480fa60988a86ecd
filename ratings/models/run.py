from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Abs, Floor
from django.db.models.lookups import GreaterThan
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ratings.models.systems import SYSTEM_VALUES, record_field, system_field


class Run(models.Model):
    """A stretch of rating work; every calculation belongs to one.

    What arrives in order is rated under the incremental run, of which there is one. A
    rerate replays history from a day on beside the current ratings; nobody sees it
    until it is published. A what-if replays the same way and can never be published.
    """

    class Kind(models.TextChoices):
        INCREMENTAL = "incremental", gettext_lazy("As events arrive")
        RERATE = "rerate", gettext_lazy("Rerate")
        WHAT_IF = "what_if", "What-if"

    class Status(models.TextChoices):
        QUEUED = "queued", gettext_lazy("Waiting for a worker")
        RUNNING = "running", gettext_lazy("Running")
        READY = "ready", gettext_lazy("Ready to publish")
        PUBLISHING = "publishing", gettext_lazy("Being published")
        PUBLISHED = "published", gettext_lazy("Published")
        UNDONE = "undone", gettext_lazy("Undone")
        DISCARDED = "discarded", gettext_lazy("Discarded")
        FAILED = "failed", gettext_lazy("Failed")

    # A worker has it in hand, or will.
    AT_WORK_STATUSES = (Status.QUEUED, Status.RUNNING, Status.PUBLISHING)
    OPEN_STATUSES = (*AT_WORK_STATUSES, Status.READY)
    WAS_PUBLISHED = (Status.PUBLISHED, Status.UNDONE)

    kind = models.CharField(
        max_length=20, choices=Kind.choices, default=Kind.INCREMENTAL
    )
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.PUBLISHED
    )
    from_day = models.DateField(
        null=True,
        blank=True,
        help_text=gettext_lazy("Replayed from this day; empty: from nothing."),
    )
    edition = models.CharField(max_length=10, blank=True)
    reason = models.TextField(blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    hypothesis = models.JSONField(
        default=dict, blank=True, help_text=gettext_lazy("What a what-if supposes.")
    )
    # How far the work has come, so that another worker can go on with it.
    pass_number = models.PositiveSmallIntegerField(default=0)
    progress = models.JSONField(default=dict, blank=True)
    summary = models.JSONField(
        default=dict, blank=True, help_text=gettext_lazy("What the preview page shows.")
    )
    message = models.TextField(blank=True)
    ready_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    publish_reason = models.TextField(blank=True)
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
        permissions = [
            ("start_rerate", gettext_lazy("Can start a rerate")),
            ("publish_rerate", gettext_lazy("Can publish or discard a rerate")),
            ("undo_rerate", gettext_lazy("Can undo a published rerate")),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["kind"],
                condition=Q(kind="incremental"),
                name="one_incremental_run",
            ),
            models.UniqueConstraint(
                fields=["kind"],
                condition=Q(
                    kind="rerate",
                    status__in=["queued", "running", "ready", "publishing"],
                ),
                name="one_open_rerate",
                violation_error_message=gettext_lazy(
                    "A rerate is open already. Publish or discard it first."
                ),
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["incremental", "rerate", "what_if"]),
                name="run_kind_is_known",
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=[
                        "queued",
                        "running",
                        "ready",
                        "publishing",
                        "published",
                        "undone",
                        "discarded",
                        "failed",
                    ]
                ),
                name="run_status_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(
                    kind="what_if", status__in=["publishing", "published", "undone"]
                ),
                name="a_what_if_is_never_published",
            ),
            models.CheckConstraint(
                condition=~Q(kind="rerate", status="published")
                | (Q(published_at__isnull=False) & ~Q(publish_reason="")),
                name="a_published_rerate_has_a_reason",
            ),
            models.CheckConstraint(
                condition=~Q(status="undone")
                | (Q(undone_at__isnull=False) & ~Q(undo_reason="")),
                name="an_undone_rerate_has_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.pk}"

    def standing(self) -> str:
        """Say in a sentence how far the run is."""
        if self.is_being_undone:
            return _("{run} is being undone.").format(run=self)
        sentences = {
            self.Status.QUEUED: _("{run} waits for a worker."),
            self.Status.RUNNING: _("{run} is running."),
            self.Status.READY: _("{run} is ready to be published."),
            self.Status.PUBLISHING: _("{run} is being published."),
            self.Status.PUBLISHED: _("{run} is published."),
            self.Status.UNDONE: _("{run} has been undone."),
            self.Status.DISCARDED: _("{run} has been discarded."),
            self.Status.FAILED: _("{run} has failed."),
        }
        return sentences[self.Status(self.status)].format(run=self)

    @property
    def is_open(self) -> bool:
        return self.status in self.OPEN_STATUSES

    @property
    def is_being_undone(self) -> bool:
        """Whether somebody has asked for it; its ratings are current until it is."""
        return self.status == self.Status.PUBLISHED and bool(self.undo_reason)

    @property
    def is_at_work(self) -> bool:
        return self.status in self.AT_WORK_STATUSES or self.is_being_undone


# By how many whole points a rating has moved; halves are rounded up.
WHOLE_POINTS = Abs(Floor(F("after") + 0.5) - Floor(F("before") + 0.5))
MOVED = Q(before__isnull=False, after__isnull=False) & Q(GreaterThan(WHOLE_POINTS, 0.0))
"""The condition that people see another number than before."""


class RunDifference(models.Model):
    """A current rating as a rerate leaves it, where it is another than today's.

    Publishing copies it to the current ratings; afterward only those stay whose whole
    number changed. Ratings are points; None stands for unrated, before or after.
    """

    # Without keys and with few indexes: each player here has lines in the ledger, which
    # has such keys, and a rerate of all history has a row for nearly every rating.
    run = models.ForeignKey(
        Run,
        on_delete=models.PROTECT,
        related_name="differences",
        db_index=False,
        db_constraint=False,
    )
    player = models.ForeignKey(
        "players.Player",
        on_delete=models.PROTECT,
        related_name="rerate_differences",
        db_index=False,
        db_constraint=False,
    )
    system = system_field()
    before = models.FloatField(null=True)
    before_age_start = models.FloatField(null=True)
    after = models.FloatField(null=True)
    first_change = models.ForeignKey(
        "ratings.RatingChange",
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
        help_text=gettext_lazy("The earliest line of the player that the run changed."),
    )
    # The rest of the current rating, to be copied. Rerates that were published before
    # it was kept here have nothing in it.
    games = models.PositiveIntegerField(default=0)
    record = record_field(default="none")
    wins = models.PositiveIntegerField(default=0)
    draws = models.PositiveIntegerField(default=0)
    losses = models.PositiveIntegerField(default=0)
    three_game_events = models.PositiveIntegerField(default=0)
    peak = models.FloatField(null=True)
    age_start = models.FloatField(null=True)
    floor = models.FloatField(null=True)
    rated_on = models.DateField(null=True)
    last_change_id = models.BigIntegerField(null=True)

    class Meta:
        ordering = ["run", "player"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "player", "system"],
                name="one_difference_per_run_player_and_system",
            ),
            models.CheckConstraint(
                condition=Q(system__in=SYSTEM_VALUES), name="difference_system_is_known"
            ),
        ]
        # Runs are few, so a member's differences are found by the constraint's index.
        indexes = [
            # Most ratings differ in fractions only, and need not be in order.
            models.Index(
                F("run"),
                WHOLE_POINTS.desc(),
                condition=MOVED,
                name="largest_differences",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.before} → {self.after}"
