"""Models of the rating laboratory: experiments, their games, and results."""

from typing import Any

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models.constraints import not_blank, one_of
from ratings_site.common.models.keys import optional_account_key


class GamesFile(models.Model):
    """A file of games that a user uploaded to the laboratory, byte for byte."""

    name = models.CharField(max_length=200)
    stored_as = models.CharField(
        _("stored file"),
        max_length=200,
        blank=True,
        help_text=_("Name in file storage. Blank after deletion."),
    )
    sha256 = models.CharField(_("SHA-256"), max_length=64)
    size = models.PositiveIntegerField(help_text=_("Size in bytes."))
    sent_by = optional_account_key(_("uploaded by"))
    sent_at = models.DateTimeField(_("uploaded at"), auto_now_add=True)

    class Meta:
        verbose_name = _("game history file")
        verbose_name_plural = _("game history files")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name


class GamesHistory(models.Model):
    """The games of an experiment as it read them, so that it can be repeated.

    Records change and a correction alters the past; these columns do not. Equal games
    are stored once, under their *digest*. They hold years of birth: for the laboratory
    only.
    """

    digest = models.CharField(_("checksum"), max_length=64, unique=True)
    content = models.BinaryField()
    games = models.PositiveIntegerField()
    players = models.PositiveIntegerField()
    first_day = models.DateField(null=True, blank=True)
    last_day = models.DateField(null=True, blank=True)
    read_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("game history")
        ordering = ["-pk"]
        verbose_name_plural = _("game histories")

    def __str__(self) -> str:
        return self.digest[:12]


class ExperimentStatus(models.TextChoices):
    QUEUED = "queued", _("Waiting to start")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    CANCELED = "canceled", _("Canceled")
    FAILED = "failed", _("Failed")


class ExperimentKind(models.TextChoices):
    COMPARISON = "comparison", _("Comparison of rating systems")
    SEARCH = "search", _("Parameter search")
    RULE_CHANGE = "rule_change", _("Rule change")
    OUR_RULES = "our_rules", _("Replay of our own rules")


class Experiment(models.Model):
    """A comparison on past games: which of these systems would have predicted best?

    *plan* holds the request, *facts* how the games were found (the filter, the newest
    calculation then) and the version of the program, *results* the data of the pages.
    There are no results before all variants are done. That of a *standing_month* is
    created automatically, and public as soon as it is done.
    """

    Kind = ExperimentKind

    Status = ExperimentStatus

    OPEN_STATUSES = (Status.QUEUED, Status.RUNNING)

    title = models.CharField(max_length=120)
    kind = models.CharField(_("type"), max_length=12, choices=Kind.choices)
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.QUEUED
    )
    reason = models.TextField()
    plan: Any = models.JSONField(default=dict)
    facts: Any = models.JSONField(default=dict, blank=True)
    findings: Any = models.JSONField(
        default=list, blank=True, help_text=_("Problems found in the file.")
    )
    results: Any = models.JSONField(null=True, blank=True)
    results_digest = models.CharField(_("results checksum"), max_length=64, blank=True)
    message = models.TextField(blank=True)
    file = models.ForeignKey(
        GamesFile, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    history = models.ForeignKey(
        GamesHistory, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    repeats = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="repetitions",
    )
    asked_by = optional_account_key(_("requested by"))
    asked_at = models.DateTimeField(_("requested at"), auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    published_by = optional_account_key()
    standing_month = models.DateField(
        _("comparison month"),
        null=True,
        blank=True,
        unique=True,
        help_text=_("If this is a monthly comparison, the first day of its month."),
    )
    public_title = models.CharField(max_length=120, blank=True)
    public_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]
        permissions = [
            ("run_experiment", _("Can run experiments in the laboratory")),
            ("publish_experiment", _("Can publish an experiment")),
        ]
        constraints = [
            one_of("kind", ExperimentKind.values, "experiment_kind_is_known"),
            one_of("status", ExperimentStatus.values, "experiment_status_is_known"),
            models.CheckConstraint(
                condition=Q(status="done", results__isnull=False)
                | (~Q(status="done") & Q(results__isnull=True)),
                name="only_a_finished_experiment_has_results",
            ),
            models.CheckConstraint(
                condition=Q(published_at__isnull=True)
                | (
                    Q(status="done")
                    & (Q(published_by__isnull=False) | Q(standing_month__isnull=False))
                    & ~Q(public_title="")
                    & ~Q(public_reason="")
                ),
                name="published_experiment_is_done_and_has_a_reason",
            ),
            not_blank("reason", "experiment_has_a_reason"),
        ]

    def __str__(self) -> str:
        return gettext("Experiment {number}").format(number=self.pk)

    def get_absolute_url(self) -> str:
        return reverse("ratings:experiment", args=[self.pk])

    @property
    def is_open(self) -> bool:
        return self.status in self.OPEN_STATUSES

    @property
    def is_published(self) -> bool:
        return self.published_at is not None


class ExperimentVariant(models.Model):
    """One system with its parameters in an experiment: the unit of its work.

    *result* is None until the variant is done; then it never changes. *predictions* are
    the basis of the comparison of the variants, game by game.
    """

    experiment = models.ForeignKey(
        Experiment, on_delete=models.CASCADE, related_name="variants", db_index=False
    )
    number = models.PositiveSmallIntegerField()
    system = models.CharField(max_length=60, help_text=_("Such as glicko2."))
    label = models.CharField(max_length=200)
    parameters: Any = models.JSONField(
        default=list,
        blank=True,
        help_text=_("Parameters that differ from the defaults."),
    )
    result: Any = models.JSONField(null=True, blank=True)
    predictions = models.BinaryField(null=True, blank=True)
    replay = models.BinaryField(
        null=True,
        blank=True,
        help_text=_("Full replay results, if this is a replay."),
    )
    digest = models.CharField(
        _("checksum"),
        max_length=64,
        blank=True,
        help_text=_("Checksum of the results."),
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["experiment", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["experiment", "number"],
                name="variants_of_an_experiment_are_numbered",
            ),
            models.CheckConstraint(
                condition=Q(result__isnull=True, finished_at__isnull=True, digest="")
                | (Q(result__isnull=False, finished_at__isnull=False) & ~Q(digest="")),
                name="variant_is_wholly_done_or_not_at_all",
            ),
        ]

    def __str__(self) -> str:
        return self.label
