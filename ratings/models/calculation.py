from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ratings.models.systems import (
    RECORD_VALUES,
    SYSTEM_VALUES,
    record_field,
    system_field,
)


def _exactly_one(*names: str) -> Q:
    """Return the condition that one of these columns is filled and the others not."""
    condition = Q()
    for filled in names:
        condition |= Q(**{f"{name}__isnull": name != filled for name in names})
    return condition


class Calculation(models.Model):
    """One source rated in one system under one run.

    "Current" is a flag here, and nowhere else. The order columns place the source in
    the one order of all six systems: by end date, then openings, adjustments,
    sections and foreign events, then start date, event ID, section number.

    *pass_number* counts how often a rerate went through history: what arrives while
    it runs is caught up with in another pass, and the last pass counts. *superseded_by*
    is the rerate whose publication took the flag away; undoing it gives it back.
    """

    class Rank(models.IntegerChoices):
        OPENING = 0, gettext_lazy("Opening entry")
        ADJUSTMENT = 1, gettext_lazy("Adjustment")
        SECTION = 2, gettext_lazy("Section")
        FOREIGN = 3, gettext_lazy("Foreign event")

    SOURCES = ("opening", "adjustment", "section", "foreign")

    run = models.ForeignKey("ratings.Run", on_delete=models.PROTECT, db_index=False)
    system = system_field()
    # Sources are looked up by the unique constraints and the partial indexes below.
    # More indexes would only make a rerate slower to write and to publish.
    section = models.ForeignKey(
        "events.Section",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="calculations",
        db_index=False,
    )
    opening = models.ForeignKey(
        "ratings.OpeningEntry",
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
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="calculations",
        db_index=False,
    )
    pass_number = models.PositiveSmallIntegerField(default=0)
    section_version = models.PositiveSmallIntegerField(
        default=1, help_text=gettext_lazy("Which version of the section was rated.")
    )
    order_date = models.DateField()
    order_rank = models.PositiveSmallIntegerField(choices=Rank.choices)
    order_starts = models.DateField()
    order_event_id = models.CharField(max_length=12, blank=True)
    order_section = models.PositiveSmallIntegerField(default=0)
    edition = models.CharField(max_length=10)
    rules_day = models.DateField(
        help_text=gettext_lazy("The start date, which picks the rules.")
    )
    age_day = models.DateField(
        help_text=gettext_lazy("The end date, for ages and staleness.")
    )
    engine_version = models.CharField(max_length=20)
    inputs_digest = models.CharField(max_length=64)
    is_late = models.BooleanField(
        default=False,
        help_text=gettext_lazy(
            "Rated from present ratings, because a player in it had already "
            "been rated for something later."
        ),
    )
    is_current = models.BooleanField(default=True)
    superseded_by = models.ForeignKey(
        "ratings.Run",
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
            models.CheckConstraint(
                condition=Q(system__in=SYSTEM_VALUES),
                name="calculation_system_is_known",
            ),
            models.UniqueConstraint(
                fields=["section", "system"],
                condition=Q(is_current=True),
                name="one_current_calculation_per_section_and_system",
            ),
            # Without those that have no such source: an index would hold them all.
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
            # By number, too: the newest of a run is found past all those of others.
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
    def source(self) -> models.Model:
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
    def order_key(self) -> tuple:
        return tuple(getattr(self, name) for name in self.ORDER)


class CalculationInputs(models.Model):
    """Everything that went into a section's calculation, as one document.

    It is the document that ``manage.py rate_section`` reads, so anybody can compute
    the result again. It holds birth dates: for the engine's eyes only.
    """

    calculation = models.OneToOneField(
        Calculation, on_delete=models.PROTECT, related_name="inputs", primary_key=True
    )
    document = models.TextField()

    class Meta:
        verbose_name_plural = gettext_lazy("calculation inputs")

    def __str__(self) -> str:
        return _("Inputs of {calculation_id}").format(
            calculation_id=self.calculation_id
        )


class RatingChange(models.Model):
    """A line of the ledger: what one calculation did to one player's rating.

    Everything a later calculation needs to know of the player stands in the last
    line: rating, games, record, counts and peak.
    """

    class Formula(models.TextChoices):
        SPECIAL = "special", gettext_lazy("Special formula")
        STANDARD = "standard", gettext_lazy("Standard formula")
        OPENING = "opening", gettext_lazy("Taken over")
        ADJUSTMENT = "adjustment", gettext_lazy("Adjusted by the office")
        NONE = "none", gettext_lazy("No game")

    # The unique constraint and the index below serve both ways round; more indexes
    # would only make a rerate write longer.
    calculation = models.ForeignKey(
        Calculation,
        on_delete=models.PROTECT,
        related_name="changes",
        db_index=False,
    )
    player = models.ForeignKey(
        "players.Player",
        on_delete=models.PROTECT,
        related_name="rating_changes",
        db_index=False,
    )
    pre_rating = models.FloatField(null=True)
    pre_games = models.PositiveIntegerField(default=0)
    pre_record = record_field(default="none")
    pre_age_start = models.FloatField(
        null=True,
        help_text=gettext_lazy("The age-based start that the rating before still was."),
    )
    # The line this one goes on from: the player's last in the system when it was
    # computed. Current lines of a player form a chain. A plain number, because a
    # foreign key of the ledger to itself would cost a third of a rerate's writing.
    previous_id = models.BigIntegerField(null=True)
    initial_rating = models.FloatField(
        null=True,
        help_text=gettext_lazy(
            "Where the calculation began; for staff and the engine."
        ),
    )
    initial_games = models.PositiveIntegerField(default=0)
    effective_games = models.FloatField(null=True)
    formula = models.CharField(max_length=10, choices=Formula.choices)
    half_points = models.PositiveIntegerField(default=0)
    games = models.PositiveIntegerField(default=0)
    expected = models.FloatField(null=True)
    k = models.FloatField(null=True)
    bonus = models.FloatField(null=True)
    intermediate = models.FloatField(null=True)
    floor_given = models.FloatField(null=True)
    floor_used = models.FloatField(null=True)
    ceiling_given = models.FloatField(null=True)
    ceiling_used = models.FloatField(null=True)
    floor_request = models.BooleanField(
        default=False,
        help_text=gettext_lazy("A match result that asks for a lower floor."),
    )
    match_net_180 = models.FloatField(
        null=True,
        help_text=gettext_lazy("Net change by matches of the 180 days before."),
    )
    match_net_3y = models.FloatField(
        null=True,
        help_text=gettext_lazy("Net change by matches of the three years before."),
    )
    post_rating = models.FloatField()
    post_games = models.PositiveIntegerField()
    record = record_field()
    wins = models.PositiveIntegerField(default=0)
    draws = models.PositiveIntegerField(default=0)
    losses = models.PositiveIntegerField(default=0)
    three_game_events = models.PositiveIntegerField(default=0)
    peak = models.FloatField(
        null=True,
        help_text=gettext_lazy(
            "Highest established rating so far, or since the floor was last lowered."
        ),
    )
    age_start = models.FloatField(
        null=True,
        help_text=gettext_lazy(
            "The age-based start that the rating still is; published to the nearest 50."
        ),
    )

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["calculation", "player"],
                name="one_change_per_calculation_and_player",
            ),
            models.CheckConstraint(
                condition=Q(post_rating__gte=100), name="no_rating_below_100"
            ),
            models.CheckConstraint(
                condition=Q(post_games__gte=F("pre_games")) | Q(formula="adjustment"),
                name="games_are_never_lost",
            ),
            models.CheckConstraint(
                condition=Q(pre_rating__isnull=True, pre_games=0)
                | Q(pre_rating__isnull=False, pre_games__gte=1),
                name="rated_means_at_least_one_game",
            ),
            models.CheckConstraint(
                condition=Q(
                    formula__in=["special", "standard", "opening", "adjustment", "none"]
                ),
                name="formula_is_known",
            ),
            models.CheckConstraint(
                condition=Q(record__in=RECORD_VALUES), name="record_is_known"
            ),
        ]
        indexes = [
            models.Index(fields=["player", "calculation"], name="changes_of_player")
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.pre_rating} → {self.post_rating}"
