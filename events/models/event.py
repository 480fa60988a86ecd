import re
from typing import TypeAlias

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Concat, Upper
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.models.constraints import days_in_order
from ratings_site.common.models.constraints import one_of

EVENT_ID = re.compile(r"[0-9]{12}", re.ASCII)

SECTION_ENDS_EARLY = _("The section ends before it starts. Correct one of the dates.")


class Event(models.Model):
    """A tournament as accepted by the office."""

    event_id = models.CharField(
        _("event ID"),
        max_length=12,
        unique=True,
        validators=[
            RegexValidator(r"^[0-9]{12}$", _("An event ID has twelve digits."))
        ],
        help_text=_("Twelve digits, starting with the end date."),
    )
    name = models.CharField(max_length=80)
    starts = models.DateField()
    ends = models.DateField()
    city = models.CharField(max_length=40, blank=True)
    state = models.CharField(max_length=2, blank=True)
    zip_code = models.CharField(_("ZIP code"), max_length=10, blank=True)
    country = models.CharField(max_length=21, blank=True)
    affiliate = models.ForeignKey("events.Affiliate", on_delete=models.PROTECT)
    submission = models.OneToOneField(
        "events.Submission", on_delete=models.PROTECT, related_name="event"
    )
    fide_approved_on = models.DateField(
        _("approved by FIDE on"),
        null=True,
        blank=True,
        help_text=_(
            "Day on which FIDE’s Qualification Commission approved 45 minutes and 30 "
            "seconds a move, or longer, as standard for this event."
        ),
    )
    # Stored in capitals once, instead of converted for each search.
    search_text = models.GeneratedField(
        expression=Upper(Concat("name", Value(" / "), "city")),
        output_field=models.TextField(),
        db_persist=True,
    )

    class Meta:
        ordering = ["-ends", "-event_id"]
        indexes = [
            models.Index(fields=["ends", "event_id"], name="events_by_end"),
            models.Index(Upper("city"), "city", "state", name="events_by_city"),
        ]
        constraints = [
            days_in_order("event_ends_after_it_starts"),
            models.CheckConstraint(
                condition=Q(event_id__regex=r"^[0-9]{12}$"),
                name="event_id_is_twelve_digits",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.event_id})"

    def get_absolute_url(self) -> str:
        return reverse("events:event", args=[self.event_id])

    @property
    def place(self) -> str:
        return ", ".join(filter(None, (self.city, self.state)))


class EventOfficial(models.Model):
    """A director of the event, or of one of its sections."""

    class Role(models.TextChoices):
        CHIEF = "chief", _("Chief TD")
        ASSISTANT = "assistant", _("Assistant chief TD")
        OTHER = "other", "TD"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="officials")
    section_number = models.PositiveSmallIntegerField(null=True, blank=True)
    player = models.ForeignKey("players.Player", on_delete=models.PROTECT)
    role = models.CharField(max_length=10, choices=Role.choices)

    class Meta:
        ordering = ["section_number", "pk"]

    def __str__(self) -> str:
        return f"{self.get_role_display()}: {self.player}"


class SectionKind(models.TextChoices):
    SWISS = "swiss", _("Swiss")
    DOUBLE_SWISS = "double_swiss", _("Double-game Swiss")
    ROUND_ROBIN = "round_robin", _("Round robin")
    DOUBLE_ROUND_ROBIN = "double_round_robin", _("Double round robin")
    MATCH = "match", _("Match")
    OTHER = "other", _("Other")


class Section(models.Model):
    """The part of an event that is rated as a unit."""

    Kind: TypeAlias = SectionKind

    class Status(models.TextChoices):
        READY = "ready", _("Waiting to be rated")
        RATED = "rated", _("Rated")
        # Shown with the ratings of its report, and never rated here.
        IMPORTED = "imported", _("Imported")

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="sections")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=60, blank=True)
    kind = models.CharField(
        _("type"), max_length=20, choices=Kind.choices, default=Kind.SWISS
    )
    starts = models.DateField()
    ends = models.DateField()
    rounds = models.PositiveSmallIntegerField()
    time_control = models.CharField(max_length=60)
    is_online = models.BooleanField(verbose_name=_("online"), default=False)
    reported_system = models.CharField(max_length=1, blank=True)
    scholastic_level = models.CharField(max_length=1, blank=True)
    grand_prix = models.CharField(max_length=1, blank=True)
    grand_prix_points = models.CharField(max_length=3, blank=True)
    fide = models.CharField(_("FIDE rated"), max_length=1, blank=True)
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.READY
    )
    version = models.PositiveSmallIntegerField(
        default=1, help_text=_("Increases with every correction.")
    )

    class Meta:
        ordering = ["event", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["event", "number"],
                name="section_number_once_per_event",
                violation_error_message=_(
                    "This event already has a section with this number."
                ),
            ),
            days_in_order("section_ends_after_it_starts", SECTION_ENDS_EARLY),
            one_of("status", ["ready", "rated", "imported"], "section_status_is_known"),
            one_of("kind", SectionKind.values, "section_kind_is_known"),
        ]
        indexes = [
            models.Index(fields=["ends", "starts"], name="sections_in_rating_order"),
            models.Index(
                fields=["status"], condition=Q(status="ready"), name="sections_to_rate"
            ),
        ]

    def __str__(self) -> str:
        return gettext("{name}, section {number}").format(
            name=self.event.name, number=self.number
        )

    def get_absolute_url(self) -> str:
        return reverse("ratings:crosstable", args=[self.event.event_id, self.number])


class Entry(models.Model):
    """A pairing number. A re-entered member has two, and is rated once."""

    section = models.ForeignKey(
        Section, on_delete=models.CASCADE, related_name="entries"
    )
    player = models.ForeignKey(
        "players.Player", on_delete=models.PROTECT, related_name="entries"
    )
    pairing_number = models.PositiveSmallIntegerField()
    reported_name = models.CharField(max_length=60, blank=True)
    reported_member_id = models.CharField(max_length=8, blank=True)
    reported_state = models.CharField(max_length=2, blank=True)
    reported_rating = models.CharField(max_length=8, blank=True)

    class Meta:
        ordering = ["section", "pairing_number"]
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(
                fields=["section", "pairing_number"],
                name="pairing_number_once_per_section",
                violation_error_message=_(
                    "This pairing number is already used in this section."
                ),
            ),
            models.CheckConstraint(
                condition=Q(pairing_number__gte=1),
                name="pairing_number_begins_with_one",
            ),
        ]

    def __str__(self) -> str:
        return gettext("No. {pairing_number}: {player}").format(
            pairing_number=self.pairing_number, player=self.player
        )


class Outcome(models.TextChoices):
    WIN = "W", _("Win")
    LOSS = "L", _("Loss")
    DRAW = "D", _("Draw")


class Color(models.TextChoices):
    WHITE = "W", _("White")
    BLACK = "B", _("Black")
    UNKNOWN = "", _("Not reported")


class Game(models.Model):
    """A game, with both sides in one row.

    The two outcomes need not mirror each other: a director may score a game for one
    side only. ``leg`` distinguishes the games of a double-game round.
    """

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="games")
    round_number = models.PositiveSmallIntegerField()
    leg = models.PositiveSmallIntegerField(_("game of the round"), default=1)
    first = models.ForeignKey(
        Entry,
        verbose_name=_("first player"),
        on_delete=models.CASCADE,
        related_name="games_as_first",
    )
    second = models.ForeignKey(
        Entry,
        verbose_name=_("second player"),
        on_delete=models.CASCADE,
        related_name="games_as_second",
    )
    first_color = models.CharField(
        _("first player’s color"), max_length=1, choices=Color.choices, blank=True
    )
    first_outcome = models.CharField(
        _("first player’s result"), max_length=1, choices=Outcome.choices
    )
    second_outcome = models.CharField(
        _("second player’s result"), max_length=1, choices=Outcome.choices
    )

    class Meta:
        ordering = ["section", "round_number", "leg", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(first=F("second")),
                name="nobody_plays_against_himself",
                violation_error_message=_(
                    "A player can’t be paired with themselves. Correct the opponent."
                ),
            ),
            models.CheckConstraint(
                condition=Q(
                    first_outcome__in=Outcome.values, second_outcome__in=Outcome.values
                ),
                name="game_outcome_is_known",
            ),
            one_of("first_color", Color.values, "game_color_is_known"),
            one_of("leg", [1, 2], "game_leg_is_one_or_two"),
            models.UniqueConstraint(
                fields=["first", "round_number", "leg"],
                name="one_game_a_round_for_the_first_side",
            ),
            models.UniqueConstraint(
                fields=["second", "round_number", "leg"],
                name="one_game_a_round_for_the_second_side",
            ),
        ]

    def __str__(self) -> str:
        return gettext("Round {round_number}: {first_id} – {second_id}").format(
            round_number=self.round_number,
            first_id=self.first_id,
            second_id=self.second_id,
        )


class UnplayedRound(models.Model):
    """A bye or forfeit. Never rated; other rounds without a game have no row."""

    class Kind(models.TextChoices):
        FULL_POINT_BYE = "B", _("Full-point bye")
        HALF_POINT_BYE = "H", _("Half-point bye")
        FORFEIT_WIN = "X", _("Forfeit win")
        FORFEIT_LOSS = "F", _("Forfeit loss")
        DOUBLE_FORFEIT = "Z", _("Double forfeit")

    HALF_POINTS = {"B": 2, "H": 1, "X": 2, "F": 0, "Z": 0}

    entry = models.ForeignKey(
        Entry, on_delete=models.CASCADE, related_name="unplayed_rounds"
    )
    round_number = models.PositiveSmallIntegerField()
    kind = models.CharField(_("type"), max_length=1, choices=Kind.choices)
    opponent = models.ForeignKey(
        Entry, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )

    class Meta:
        ordering = ["entry", "round_number"]
        constraints = [
            models.UniqueConstraint(
                fields=["entry", "round_number"], name="one_unplayed_mark_a_round"
            ),
            one_of("kind", ["B", "H", "X", "F", "Z"], "unplayed_kind_is_known"),
            models.CheckConstraint(
                condition=Q(opponent=None) | ~Q(opponent=F("entry")),
                name="nobody_is_forfeited_to_himself",
            ),
        ]

    def __str__(self) -> str:
        return gettext("Round {round_number}: {kind}").format(
            round_number=self.round_number, kind=self.get_kind_display()
        )

    @property
    def half_points(self) -> int:
        return self.HALF_POINTS[self.kind]
