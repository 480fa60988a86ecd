from typing import Any

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings.models.systems import (
    RECORD_VALUES,
    at_least,
    optional_section_key,
    record_field,
    system_field,
    system_is_known,
)
from ratings_site.common.models.constraints import one_of


def _exactly_one(*names: str) -> Q:
    """Return the condition that one of these columns is filled and the others not."""
    condition = Q()
    for filled in names:
        condition |= Q(**{f"{name}__isnull": name != filled for name in names})
    return condition


class Calculation(models.Model):
    """One source rated in one system under one run.

    "Current" is a flag here, and nowhere else. The order columns place the source in
    the one order of all six systems: by end date, then openings, adjustments, sections
    and foreign events, then start date, event ID, section number. *pass_number* counts
    how often a rerate went through history: reports that arrive while it runs are
    included by another pass, and the last pass counts. *superseded_by* is the rerate
    whose publication took the flag away; undoing it gives it back.
    """

    class Rank(models.IntegerChoices):
        OPENING = 0, _("Opening rating")
        ADJUSTMENT = 1, _("Adjustment")
        SECTION = 2, _("Section")
        FOREIGN = 3, _("Foreign event")

    SOURCES = ("opening", "adjustment", "section", "foreign")

    run = models.ForeignKey("ratings.Run", on_delete=models.PROTECT, db_index=False)
    system = system_field()
    # Sources are looked up by the unique constraints and the partial indexes below.
    # More indexes would only make a rerate slower to write and to publish.
    section = optional_section_key("calculations", db_index=False)
    opening = models.ForeignKey(
        "ratings.OpeningEntry",
        verbose_name=_("opening rating"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="calculations",
        db_index=False,
    )
    adjustment = models.ForeignKey(
        "ratings.Adjustment",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="calculations",
        db_index=False,
    )
    foreign = models.ForeignKey(
        "events.ForeignResult",
        verbose_name=_("foreign result"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="calculations",
        db_index=False,
    )
    pass_number = models.PositiveSmallIntegerField(default=0)
    section_version = models.PositiveSmallIntegerField(
        default=1, help_text=_("Section version that was rated.")
    )
    order_date = models.DateField()
    order_rank = models.PositiveSmallIntegerField(choices=Rank.choices)
    order_starts = models.DateField()
    order_event_id = models.CharField(max_length=12, blank=True)
    order_section = models.PositiveSmallIntegerField(default=0)
    edition = models.CharField(_("rules edition"), max_length=10)
    rules_day = models.DateField(
        _("rules date"),
        help_text=_("Start date. Determines which rules apply."),
    )
    age_day = models.DateField(
        _("age date"),
        help_text=_("End date. Used for ages and inactive ratings."),
    )
    engine_version = models.CharField(max_length=20)
    inputs_digest = models.CharField(_("input checksum"), max_length=64)
    is_late = models.BooleanField(
        _("late"),
        default=False,
        help_text=_(
            "Rated from current ratings because a player already had a later rated "
            "event."
        ),
    )
    is_current = models.BooleanField(_("current"), default=True)
    superseded_by = models.ForeignKey(
        "ratings.Run",
        verbose_name=_("replaced by"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="superseded",
        db_index=False,
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=_exactly_one("opening", "adjustment", "section", "foreign"),
                name="calculation_has_exactly_one_source",
            ),
            system_is_known("calculation_system_is_known"),
            models.UniqueConstraint(
                fields=["section", "system"],
                condition=Q(is_current=True),
                name="one_current_calculation_per_section_and_system",
            ),
            # Partial: a full index would hold all calculations without such a source.
            *(
                models.UniqueConstraint(
                    fields=[source],
                    condition=Q(is_current=True, **{f"{source}__isnull": False}),
                    name=f"one_current_calculation_per_{name}",
                )
                for source, name in (
                    ("opening", "opening_entry"),
                    ("adjustment", "adjustment"),
                    ("foreign", "foreign_result"),
                )
            ),
            models.UniqueConstraint(
                fields=["section", "system", "run", "pass_number"],
                name="section_rated_once_per_run_pass_and_system",
            ),
        ]
        indexes = [
            # With the primary key, to find the newest calculation of a run quickly.
            models.Index(fields=["run", "id"], name="calculations_of_run"),
            models.Index(
                fields=[
                    "order_date",
                    "order_rank",
                    "order_starts",
                    "order_event_id",
                    "order_section",
                ],
                condition=Q(is_current=True),
                name="calculations_in_rating_order",
            ),
            *(
                models.Index(
                    fields=[name],
                    condition=Q(**{f"{name}__isnull": False}),
                    name=f"calculations_by_{name}",
                )
                for name in ("opening", "adjustment", "foreign", "superseded_by")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source}: {self.system}"

    @property
    def source(self) -> models.Model | None:
        """The section, opening entry, adjustment or foreign result that was rated."""
        return self.section or self.opening or self.adjustment or self.foreign

    ORDER = (
        "order_date",
        "order_rank",
        "order_starts",
        "order_event_id",
        "order_section",
    )

    @property
    def order_key(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.ORDER)


class CalculationInputs(models.Model):
    """All inputs of a section's calculation, as one document.

    ``manage.py rate_section`` reads the same document, so the result can be computed
    again. It holds birth dates: for the engine only.
    """

    calculation = models.OneToOneField(
        Calculation, on_delete=models.PROTECT, related_name="inputs", primary_key=True
    )
    document = models.TextField()

    class Meta:
        verbose_name_plural = _("calculation inputs")

    def __str__(self) -> str:
        return gettext("Inputs of {calculation_id}").format(
            calculation_id=self.calculation_id
        )


class LineFormula(models.TextChoices):
    SPECIAL = "special", _("Special formula")
    STANDARD = "standard", _("Standard formula")
    OPENING = "opening", _("Imported")
    ADJUSTMENT = "adjustment", _("Adjusted by the office")
    NONE = "none", _("No games")


class RatingChange(models.Model):
    """A line of the ledger: the change of one player's rating by one calculation.

    The last line holds everything that a later calculation needs of the player: rating,
    games, record, counts and peak.
    """

    Formula = LineFormula

    # The unique constraint and the index below cover both directions; more indexes
    # would only make a rerate write longer.
    calculation = models.ForeignKey(
        Calculation, on_delete=models.PROTECT, related_name="changes", db_index=False
    )
    player = player_key("rating_changes", db_index=False)
    pre_rating = models.FloatField(_("rating before"), null=True)
    pre_games = models.PositiveIntegerField(_("games before"), default=0)
    pre_record = record_field(verbose_name=_("record before"), default="none")
    pre_age_start = models.FloatField(
        _("age-based start before"),
        null=True,
        help_text=_("Age-based initial rating, if the previous rating was still that."),
    )
    # The line before this one: the player's last in the system when it was
    # computed. Current lines of a player form a chain. A plain number, because a
    # foreign key of the ledger to itself would cost a third of a rerate's writing.
    previous_id = models.BigIntegerField(null=True)
    initial_rating = models.FloatField(
        null=True,
        help_text=_("Starting value of the calculation. Shown to staff only."),
    )
    initial_games = models.PositiveIntegerField(default=0)
    effective_games = models.FloatField(null=True)
    formula = models.CharField(max_length=10, choices=Formula.choices)
    half_points = models.PositiveIntegerField(default=0)
    games = models.PositiveIntegerField(default=0)
    expected = models.FloatField(_("expected score"), null=True)
    k = models.FloatField(_("K-factor"), null=True)
    bonus = models.FloatField(null=True)
    intermediate = models.FloatField(null=True)
    floor_given = models.FloatField(null=True)
    floor_used = models.FloatField(null=True)
    ceiling_given = models.FloatField(null=True)
    ceiling_used = models.FloatField(null=True)
    floor_request = models.BooleanField(
        default=False,
        help_text=_("Match result that requested a lower floor."),
    )
    match_net_180 = models.FloatField(
        _("net in matches, 180 days"),
        null=True,
        help_text=_("Net change from matches in the previous 180 days."),
    )
    match_net_3y = models.FloatField(
        _("net in matches, 3 years"),
        null=True,
        help_text=_("Net change from matches in the previous three years."),
    )
    post_rating = models.FloatField(_("rating after"))
    post_games = models.PositiveIntegerField(_("games after"))
    record = record_field()
    wins = models.PositiveIntegerField(default=0)
    draws = models.PositiveIntegerField(default=0)
    losses = models.PositiveIntegerField(default=0)
    three_game_events = models.PositiveIntegerField(_("three-game events"), default=0)
    peak = models.FloatField(
        _("peak rating"),
        null=True,
        help_text=_(
            "Highest established rating, or highest since the floor was last lowered."
        ),
    )
    age_start = models.FloatField(
        _("age-based start"),
        null=True,
        help_text=_(
            "Age-based initial rating, if the rating is still that. Published to "
            "the nearest 50."
        ),
    )

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["calculation", "player"],
                name="one_change_per_calculation_and_player",
            ),
            at_least("post_rating", 100, "no_rating_below_100"),
            models.CheckConstraint(
                condition=Q(post_games__gte=F("pre_games")) | Q(formula="adjustment"),
                name="games_are_never_lost",
            ),
            models.CheckConstraint(
                condition=Q(pre_rating__isnull=True, pre_games=0)
                | Q(pre_rating__isnull=False, pre_games__gte=1),
                name="rated_means_at_least_one_game",
            ),
            one_of("formula", LineFormula.values, "formula_is_known"),
            one_of("record", RECORD_VALUES, "record_is_known"),
        ]
        indexes = [
            models.Index(fields=["player", "calculation"], name="changes_of_player")
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.pre_rating} → {self.post_rating}"
