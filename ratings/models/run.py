from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Abs, Floor
from django.db.models.lookups import GreaterThan
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings.models.systems import record_field, system_field, system_is_known
from ratings_site.common.models.constraints import one_of
from ratings_site.common.models.keys import optional_account_key


class RunStatus(models.TextChoices):
    QUEUED = "queued", _("Waiting to start")
    RUNNING = "running", _("Running")
    READY = "ready", _("Ready to publish")
    PUBLISHING = "publishing", _("Publishing")
    PUBLISHED = "published", _("Published")
    UNDONE = "undone", _("Undone")
    DISCARDED = "discarded", _("Discarded")
    FAILED = "failed", _("Failed")


class Run(models.Model):
    """A unit of rating work; every calculation belongs to one.

    Reports are rated on arrival under the one incremental run. A rerate replays history
    from a day on without changing current ratings; its results are not public until it
    is published. A what-if replays the same way and can never be published.
    """

    class Kind(models.TextChoices):
        INCREMENTAL = "incremental", _("Ratings as events arrive")
        RERATE = "rerate", _("Rerate")
        WHAT_IF = "what_if", "What-if"

    Status = RunStatus

    # A worker works on it, or will.
    ACTIVE_STATUSES = (Status.QUEUED, Status.RUNNING, Status.PUBLISHING)
    OPEN_STATUSES = (*ACTIVE_STATUSES, Status.READY)
    PUBLISHED_STATUSES = (Status.PUBLISHED, Status.UNDONE)

    kind = models.CharField(
        _("type"),
        max_length=20,
        choices=Kind.choices,
        default=Kind.INCREMENTAL,
    )
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.PUBLISHED
    )
    from_day = models.DateField(
        _("replay from"),
        null=True,
        blank=True,
        help_text=_("First date replayed. Blank means the full history."),
    )
    edition = models.CharField(_("rules edition"), max_length=10, blank=True)
    reason = models.TextField(blank=True)
    requested_by = optional_account_key()
    created_at = models.DateTimeField(auto_now_add=True)
    hypothesis = models.JSONField(
        _("assumption"),
        default=dict,
        blank=True,
        help_text=_("Assumption tested by a what-if run."),
    )
    # The progress of the work, so that another worker can continue it.
    pass_number = models.PositiveSmallIntegerField(default=0)
    progress = models.JSONField(default=dict, blank=True)
    summary = models.JSONField(
        default=dict,
        blank=True,
        help_text=_("Data shown on the preview page."),
    )
    message = models.TextField(blank=True)
    ready_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    published_by = optional_account_key()
    publish_reason = models.TextField(blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = optional_account_key()
    undo_reason = models.TextField(blank=True)

    class Meta:
        verbose_name = _("rating run")
        verbose_name_plural = _("rating runs")
        ordering = ["-pk"]
        permissions = [
            ("start_rerate", _("Can start a rerate")),
            ("publish_rerate", _("Can publish or discard a rerate")),
            ("undo_rerate", _("Can undo a published rerate")),
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
                violation_error_message=_(
                    "Another rerate is open. Publish or discard it first."
                ),
            ),
            one_of("kind", ["incremental", "rerate", "what_if"], "run_kind_is_known"),
            one_of("status", RunStatus.values, "run_status_is_known"),
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
        """Return the progress of the run as a sentence."""
        if self.is_being_undone:
            return gettext("{run} is being undone.").format(run=self)
        sentences = {
            self.Status.QUEUED: gettext("{run} is waiting to start."),
            self.Status.RUNNING: gettext("{run} is running."),
            self.Status.READY: gettext("{run} is ready to publish."),
            self.Status.PUBLISHING: gettext("{run} is being published."),
            self.Status.PUBLISHED: gettext("{run} is published."),
            self.Status.UNDONE: gettext("{run} has been undone."),
            self.Status.DISCARDED: gettext("{run} has been discarded."),
            self.Status.FAILED: gettext("{run} has failed."),
        }
        return sentences[self.Status(self.status)].format(run=self)

    @property
    def is_open(self) -> bool:
        return self.status in self.OPEN_STATUSES

    @property
    def is_being_undone(self) -> bool:
        """Whether an undo is under way; its ratings are current until it is done."""
        return self.status == self.Status.PUBLISHED and bool(self.undo_reason)

    @property
    def is_active(self) -> bool:
        return self.status in self.ACTIVE_STATUSES or self.is_being_undone


# By how many whole points a rating has moved; halves are rounded up.
WHOLE_POINTS = Abs(Floor(F("after") + 0.5) - Floor(F("before") + 0.5))
MOVED = Q(before__isnull=False, after__isnull=False) & Q(GreaterThan(WHOLE_POINTS, 0.0))
"""The condition that people see another number than before."""


class RunDifference(models.Model):
    """A current rating that a rerate changes.

    Publishing copies it to the current ratings; afterward only those are kept whose
    whole number changed. Ratings are points; None means unrated, before or after.
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
    player = player_key("rerate_differences", db_index=False, db_constraint=False)
    system = system_field()
    before = models.FloatField(null=True)
    before_age_start = models.FloatField(null=True)
    after = models.FloatField(null=True)
    first_change = models.ForeignKey(
        "ratings.RatingChange",
        verbose_name=_("first change"),
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        db_index=False,
        db_constraint=False,
        help_text=_("The player’s earliest rating change in this rerate."),
    )
    # The rest of the current rating, to be copied. It is empty in rerates that were
    # published before these fields existed.
    games = models.PositiveIntegerField(default=0)
    record = record_field(default="none")
    wins = models.PositiveIntegerField(default=0)
    draws = models.PositiveIntegerField(default=0)
    losses = models.PositiveIntegerField(default=0)
    three_game_events = models.PositiveIntegerField(_("three-game events"), default=0)
    peak = models.FloatField(_("peak rating"), null=True)
    age_start = models.FloatField(_("age-based start"), null=True)
    floor = models.FloatField(null=True)
    rated_on = models.DateField(_("last rated on"), null=True)
    last_change_id = models.BigIntegerField(null=True)

    class Meta:
        verbose_name = _("rerate change")
        verbose_name_plural = _("rerate changes")
        ordering = ["run", "player"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "player", "system"],
                name="one_difference_per_run_player_and_system",
            ),
            system_is_known("difference_system_is_known"),
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
