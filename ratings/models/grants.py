from datetime import date

from django.db import models
from django.db.models import F, Q
from django.db.models.lookups import Exact
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings.engine.systems import System
from ratings.models.systems import (
    at_least,
    not_before_start,
    optional_section_key,
    plausible_rating,
    system_field,
    system_is_known,
)
from ratings_site.common.models.constraints import not_blank, one_of
from ratings_site.common.models.keys import account_key, optional_account_key
from ratings_site.common.models.review_item import ReviewItem
from ratings_site.common.ui.formatting import format_day, whole


class Floor(models.Model):
    """A granted floor. Absolute and peak floors are computed instead."""

    class Kind(models.TextChoices):
        LIFE_MASTER = "life_master", _("Original Life Master")
        MONEY = "money", _("Money floor")
        OFFICE = "office", _("Set by the office")

    player = player_key("granted_floors")
    system = system_field()
    kind = models.CharField(_("type"), max_length=12, choices=Kind.choices)
    level = models.PositiveIntegerField()
    starts = models.DateField(_("first day"))
    ends = models.DateField(_("last day"), null=True, blank=True)
    reason = models.TextField()
    section = optional_section_key("+", help_text=_("Section where the prize was won."))
    prize = models.PositiveIntegerField(
        null=True, blank=True, help_text=_("Prize in whole dollars.")
    )
    prize_limit = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text=_("Rating limit of the section or the prize."),
    )
    evidence = models.TextField(blank=True)
    granted_by = account_key()
    approved_by = optional_account_key(
        help_text=_("Second approver, if one is required.")
    )
    granted_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("granted floor")
        verbose_name_plural = _("granted floors")
        ordering = ["player", "system", "-starts"]
        permissions = [
            ("grant_floor", _("Can grant or end a floor")),
            ("lower_floor", _("Can decide requests to lower a floor")),
        ]
        constraints = [
            models.CheckConstraint(
                # An absolute floor from earlier records is anywhere up to 150.
                condition=Exact(F("level") % 100, 0) | Q(kind="office", level__lte=150),
                name="floor_is_a_hundred_point_level",
                violation_error_message=_(
                    "Enter a floor in steps of 100, such as 1200 or 1300 (2025 "
                    "text, section 5)."
                ),
            ),
            models.CheckConstraint(
                condition=~Q(kind="money") | Q(level__lte=2000),
                name="money_floor_is_at_most_2000",
                violation_error_message=_("A money floor can’t be above 2000."),
            ),
            models.CheckConstraint(
                condition=Q(level__gte=100) & Q(level__lte=2200),
                name="floor_lies_between_100_and_2200",
                violation_error_message=_("Enter a floor between 100 and 2200."),
            ),
            not_blank("reason", "floor_has_a_reason"),
            not_before_start("floor_ends_after_it_starts"),
            system_is_known("floor_system_is_known"),
            models.CheckConstraint(
                condition=~Q(kind="life_master") | Q(system="OTBR"),
                name="life_master_floor_is_regular_only",
                violation_error_message=_(
                    "The Original Life Master floor applies only to Regular ratings."
                ),
            ),
            one_of("kind", ["life_master", "money", "office"], "floor_kind_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.level} of {self.player}"

    def is_in_force_on(self, day: date) -> bool:
        return self.starts <= day and (self.ends is None or self.ends >= day)


class Ceiling(models.Model):
    """A level above which a rating may not rise (2025 text, section 7)."""

    player = player_key("ceilings")
    system = system_field()
    level = models.PositiveIntegerField()
    starts = models.DateField(_("first day"))
    ends = models.DateField(_("last day"), null=True, blank=True)
    reason = models.TextField()
    imposed_by = account_key()
    imposed_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["player", "system", "-starts"]
        permissions = [("impose_ceiling", _("Can impose or end a ceiling"))]
        constraints = [
            at_least("level", 100, "ceiling_lies_above_100"),
            not_blank("reason", "ceiling_has_a_reason"),
            not_before_start("ceiling_ends_after_it_starts"),
            system_is_known("ceiling_system_is_known"),
        ]

    def __str__(self) -> str:
        return gettext("Ceiling {level} of {player}").format(
            level=self.level, player=self.player
        )

    def is_in_force_on(self, day: date) -> bool:
        return self.starts <= day and (self.ends is None or self.ends >= day)


class FloorRequestStatus(models.TextChoices):
    ASKED = "asked", _("Waiting")
    GRANTED = "granted", _("Granted")
    REFUSED = "refused", _("Declined")


class FloorRequest(ReviewItem):
    """A request to lower a floor by 100 points (2025 text, section 7).

    A player may ask; a match result that would end below the floor opens one itself.
    """

    Status = FloorRequestStatus

    STATE_FIELD, REASON_FIELD = "status", "decision_reason"
    OPEN_STATES = (Status.ASKED,)

    player = player_key("floor_requests")
    system = system_field()
    floor = models.PositiveIntegerField(help_text=_("Current floor."))
    section = optional_section_key(
        "floor_requests", help_text=_("Match that led to the request.")
    )
    day = models.DateField(
        _("effective date"),
        help_text=_("Date the lower floor would take effect."),
    )
    reason = models.TextField(blank=True)
    status = models.CharField(
        max_length=8, choices=Status.choices, default=Status.ASKED
    )
    asked_by = optional_account_key(_("requested by"))
    asked_at = models.DateTimeField(_("requested at"), auto_now_add=True)
    decided_by = optional_account_key()
    decided_at = models.DateTimeField(null=True, blank=True)
    decision_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["status", "asked_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["player", "system"],
                condition=Q(status="asked", section__isnull=True),
                name="one_open_floor_request_per_player_and_system",
                violation_error_message=_(
                    "There is already an open request for this floor."
                ),
            ),
            models.UniqueConstraint(
                fields=["player", "system", "section"],
                condition=Q(section__isnull=False),
                name="one_floor_request_per_match",
            ),
            one_of(
                "status", FloorRequestStatus.values, "floor_request_status_is_known"
            ),
            models.CheckConstraint(
                condition=Q(status="asked") | ~Q(decision_reason=""),
                name="floor_request_is_decided_with_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return gettext("{player}: lower the floor {floor} ({system})").format(
            player=self.player, floor=self.floor, system=self.system
        )


class FloorLowering(models.Model):
    """A floor lowered permanently, from a day on.

    From *starts* the player's floor is *level*: floors granted before no longer count,
    and the highest rating behind the peak floor is counted again from that day.
    """

    player = player_key("floor_lowerings")
    system = system_field()
    level = models.PositiveIntegerField()
    starts = models.DateField(_("first day"))
    request = models.OneToOneField(
        FloorRequest,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="lowering",
    )
    reason = models.TextField()
    decided_by = account_key()
    decided_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("lowered floor")
        verbose_name_plural = _("lowered floors")
        ordering = ["player", "system", "-starts"]
        constraints = [
            models.UniqueConstraint(
                fields=["player", "system", "starts"],
                name="floor_is_lowered_once_a_day",
                violation_error_message=_(
                    "This floor is already lowered on that date."
                ),
            ),
            at_least("level", 100, "lowered_floor_is_at_least_100"),
            not_blank("reason", "lowering_has_a_reason"),
        ]

    def __str__(self) -> str:
        return gettext("Floor lowered to {level} of {player}").format(
            level=self.level, player=self.player
        )


class AdjustmentKind(models.TextChoices):
    REINSTATE = "reinstate", _("Restore an earlier rating")
    CORRECT_START = "correct_start", _("Correct an initial rating")
    EXECUTIVE = "executive", _("Executive Director review")


class Adjustment(models.Model):
    """A rating set by the office as of a day, with its kind and reason.

    It is a source of its own in rating order, before the sections of its day.
    """

    Kind = AdjustmentKind

    player = player_key("adjustments")
    system = system_field()
    kind = models.CharField(_("type"), max_length=16, choices=Kind.choices)
    day = models.DateField(
        _("effective date"),
        help_text=_("Effective date of the rating."),
    )
    rating = models.FloatField()
    games = models.PositiveIntegerField()
    reason = models.TextField()
    decided_by = account_key()
    approved_by = optional_account_key()
    decided_at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=_("Rerates ignore it from this date on."),
    )

    class Meta:
        verbose_name = _("rating adjustment")
        verbose_name_plural = _("rating adjustments")
        ordering = ["player", "system", "-day"]
        permissions = [("adjust_rating", _("Can adjust a rating"))]
        constraints = [
            models.UniqueConstraint(
                fields=["player", "system", "day"],
                condition=Q(withdrawn_at__isnull=True),
                name="one_adjustment_per_player_system_and_day",
                violation_error_message=_(
                    "This rating is already adjusted on that date."
                ),
            ),
            plausible_rating("adjusted_rating_is_plausible"),
            at_least("games", 1, "adjusted_rating_rests_on_games"),
            not_blank("reason", "adjustment_has_a_reason"),
            system_is_known("adjusted_system_is_known"),
            one_of("kind", AdjustmentKind.values, "adjustment_kind_is_known"),
        ]

    def __str__(self) -> str:
        return gettext("{player}: {system} set to {rating} on {day}").format(
            player=self.player,
            system=gettext(System(self.system).label),
            rating=whole(self.rating),
            day=format_day(self.day),
        )
