from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.models.constraints import days_in_order
from ratings_site.common.models.constraints import not_blank, one_of
from ratings_site.common.models.keys import account_key, optional_account_key


class ForeignEvent(models.Model):
    """A FIDE-rated event outside US Chess (2025 text, section 6).

    The opponents' ratings come from the FIDE list in force on the first day. The event
    is in the worklist of the later list for which FIDE rated it.
    """

    name = models.CharField(max_length=120)
    fide_code = models.CharField(_("FIDE event code"), max_length=12, blank=True)
    city = models.CharField(max_length=60, blank=True)
    federation = models.CharField(
        max_length=3, help_text=_("Host federation, such as FRA.")
    )
    starts = models.DateField()
    ends = models.DateField()
    is_youth = models.BooleanField(
        _("youth event"),
        default=False,
        help_text=_("Convert all opponents’ ratings with the youth formula."),
    )
    list_date = models.DateField(
        _("FIDE list"), help_text=_("FIDE list used for the opponents' ratings.")
    )
    rated_list = models.DateField(
        _("rated in FIDE list"),
        null=True,
        blank=True,
        help_text=_("FIDE list in which FIDE rated the event."),
    )

    class Meta:
        ordering = ["-ends", "-pk"]
        permissions = [("rate_foreign", _("Can rate foreign FIDE events"))]
        constraints = [
            days_in_order("foreign_event_ends_after_it_starts"),
            models.UniqueConstraint(
                fields=["fide_code"],
                condition=~Q(fide_code=""),
                name="fide_event_code_once",
                violation_error_message=_(
                    "A foreign event with this FIDE code already exists."
                ),
            ),
            models.UniqueConstraint(
                fields=["name", "starts", "ends", "fide_code"],
                name="foreign_event_is_entered_once",
                violation_error_message=_(
                    "A foreign event with this name and these dates already exists."
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("ratings:foreign", args=[self.pk])


class ForeignFile(models.Model):
    """A file with results of a foreign event, byte for byte."""

    event = models.ForeignKey(
        ForeignEvent, on_delete=models.PROTECT, related_name="files"
    )
    name = models.CharField(max_length=200)
    stored_as = models.CharField(
        _("stored file"),
        max_length=200,
        blank=True,
        help_text=_("Name in file storage. Blank after deletion."),
    )
    sha256 = models.CharField(verbose_name=_("SHA-256"), max_length=64)
    size = models.PositiveIntegerField()
    received_at = models.DateTimeField(auto_now_add=True)
    received_by = account_key()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["event", "sha256"],
                name="same_foreign_file_once_per_event",
                violation_error_message=_("This file has already been uploaded."),
            )
        ]

    def __str__(self) -> str:
        return self.name


class ForeignResult(models.Model):
    """A member's games in a foreign event, which are rated as one section.

    A rated result stays rated when its games are corrected; the next rerate uses the
    new games, or removes the result if it is excluded.
    """

    class Status(models.TextChoices):
        DRAFT = "draft", _("In progress")
        READY = "ready", _("Ready to rate")
        RATED = "rated", _("Rated")
        EXCLUDED = "excluded", _("Excluded")

    event = models.ForeignKey(
        ForeignEvent, on_delete=models.PROTECT, related_name="results"
    )
    player = models.ForeignKey(
        "players.Player", on_delete=models.PROTECT, related_name="foreign_results"
    )
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.DRAFT
    )
    excluded_because = models.TextField(_("reason excluded"), blank=True)
    source = models.CharField(max_length=200, blank=True)
    file = models.ForeignKey(
        ForeignFile,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="results",
    )
    version = models.PositiveSmallIntegerField(
        default=1, help_text=_("Increases with every correction of a rated result.")
    )
    unplayed = models.JSONField(
        _("unplayed rounds"),
        default=list,
        blank=True,
        help_text=_("Rounds without a rated game: byes and forfeits."),
    )
    admitted_because = models.TextField(
        _("reason included"),
        blank=True,
        help_text=_(
            "Why a US resident registered with another federation is included."
        ),
    )
    not_a_double_because = models.TextField(
        _("reason not a duplicate"),
        blank=True,
        help_text=_(
            "Why this is rated although the same games appear to be on record."
        ),
    )

    class Meta:
        ordering = ["event", "player"]
        constraints = [
            models.UniqueConstraint(
                fields=["event", "player"],
                name="one_result_per_foreign_event_and_player",
                violation_error_message=_(
                    "This member's result in the event has already been entered."
                ),
            ),
            one_of(
                "status",
                ["draft", "ready", "rated", "excluded"],
                "foreign_result_status_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(status="excluded") | ~Q(excluded_because=""),
                name="excluded_result_says_why",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player} in {self.event}"

    @property
    def is_open(self) -> bool:
        """Return whether the games can be replaced: they are not rated yet."""
        return self.status in (self.Status.DRAFT, self.Status.READY)


class ForeignGame(models.Model):
    """One game of a member abroad. An opponent without a FIDE rating does not count."""

    class RatingSource(models.TextChoices):
        LIST = "list", _("FIDE list")
        FILE = "file", _("File")
        HAND = "hand", _("Entered manually")

    result = models.ForeignKey(
        ForeignResult, on_delete=models.CASCADE, related_name="games"
    )
    round_number = models.PositiveSmallIntegerField()
    opponent_name = models.CharField(max_length=80, blank=True)
    opponent_fide_id = models.CharField(max_length=10, blank=True)
    opponent_federation = models.CharField(max_length=3, blank=True)
    opponent_rating = models.PositiveIntegerField(null=True, blank=True)
    rating_source = models.CharField(
        max_length=4,
        choices=RatingSource.choices,
        blank=True,
        help_text=_("Source of the opponent's rating."),
    )
    stated_rating = models.PositiveIntegerField(
        _("rating in the file"),
        null=True,
        blank=True,
        help_text=_(
            "Rating from the file or manual entry. Used only if the FIDE list has none."
        ),
    )
    color = models.CharField(max_length=1, blank=True)
    half_points = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["result", "round_number", "pk"]
        constraints = [
            one_of("half_points", [0, 1, 2], "foreign_game_is_won_drawn_or_lost"),
            one_of("color", ["W", "B", ""], "foreign_game_color_is_known"),
            models.CheckConstraint(
                condition=Q(opponent_rating__isnull=True)
                | Q(opponent_rating__gte=1, opponent_rating__lte=3500),
                name="foreign_opponent_rating_is_plausible",
                violation_error_message=_("Enter a FIDE rating between 1 and 3500."),
            ),
            models.UniqueConstraint(
                fields=["result", "round_number"],
                name="one_foreign_game_per_round",
                violation_error_message=_(
                    "This round is entered twice. Remove one of the entries."
                ),
            ),
            one_of(
                "rating_source",
                ["list", "file", "hand", ""],
                "foreign_rating_source_is_known",
            ),
        ]

    def __str__(self) -> str:
        return gettext("Round {round_number} against {opponent_name}").format(
            round_number=self.round_number, opponent_name=self.opponent_name
        )


class ForeignVersion(models.Model):
    """A rated result before a correction, with the actor and reason."""

    result = models.ForeignKey(
        ForeignResult, on_delete=models.PROTECT, related_name="versions"
    )
    number = models.PositiveSmallIntegerField()
    content = models.JSONField(
        help_text=_("The games and the event before the change.")
    )
    replaced_at = models.DateTimeField(auto_now_add=True)
    replaced_by = account_key()
    reason = models.TextField()

    class Meta:
        verbose_name = _("foreign result version")
        verbose_name_plural = _("foreign result versions")
        ordering = ["result", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["result", "number"], name="one_foreign_version_of_a_number"
            ),
            not_blank("reason", "foreign_correction_has_a_reason"),
        ]

    def __str__(self) -> str:
        return gettext("{result}, version {number}").format(
            result=self.result, number=self.number
        )


class ForeignWork(models.Model):
    """A line of the worklist of a FIDE list: a member who played rated games.

    Results show by themselves whether they are entered or rated; only the reason for
    having nothing to do is stored.
    """

    fide_list = models.ForeignKey(
        "players.FideList", on_delete=models.PROTECT, related_name="foreign_work"
    )
    player = models.ForeignKey(
        "players.Player", on_delete=models.PROTECT, related_name="foreign_work"
    )
    fide_rating = models.PositiveSmallIntegerField(null=True)
    federation = models.CharField(max_length=3, blank=True)
    games = models.PositiveSmallIntegerField(
        help_text=_("Rated games in the list’s rating period.")
    )
    nothing_to_do_because = models.TextField(_("reason closed"), blank=True)
    decided_by = optional_account_key()
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("foreign event task")
        ordering = ["player__search_name", "pk"]
        verbose_name_plural = _("foreign event tasks")
        constraints = [
            models.UniqueConstraint(
                fields=["fide_list", "player"],
                name="one_worklist_line_per_list_and_member",
            ),
            models.CheckConstraint(
                condition=Q(games__gte=1), name="worklist_line_rests_on_rated_games"
            ),
            models.CheckConstraint(
                condition=Q(
                    nothing_to_do_because="", decided_by=None, decided_at__isnull=True
                )
                | (
                    ~Q(nothing_to_do_because="")
                    & Q(decided_by__isnull=False, decided_at__isnull=False)
                ),
                name="nothing_to_do_says_why_and_by_whom",
            ),
        ]

    def __str__(self) -> str:
        return gettext("{player} on the {fide_list}").format(
            player=self.player, fide_list=self.fide_list
        )
