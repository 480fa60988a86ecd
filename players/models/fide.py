from typing import Any

from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings_site.common.models.constraints import not_blank, one_of
from ratings_site.common.models.keys import account_key, optional_account_key
from ratings_site.common.ui.formatting import format_month


class FideList(models.Model):
    """A monthly rating list of FIDE, and the state of its import.

    A list is in use only once its state is current or stored: rows of a list in another
    state are not visible.
    """

    class State(models.TextChoices):
        LOADING = "loading", _("Importing")
        CURRENT = "current", _("Current")
        STORED = "stored", _("Stored")
        REFUSED = "refused", _("Declined")

    # The states of lists that are used for ratings.
    IN_USE = (State.CURRENT, State.STORED)

    list_date = models.DateField(help_text=_("The first day the list is current."))
    state = models.CharField(
        max_length=10, choices=State.choices, default=State.LOADING
    )
    file_name = models.CharField(max_length=200)
    stored_as = models.CharField(
        _("stored file"),
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
    layout = models.CharField(max_length=40, blank=True)
    allow_older = models.BooleanField(default=False)
    allow_smaller = models.BooleanField(default=False)
    reason = models.TextField(blank=True)
    received_at = models.DateTimeField(auto_now_add=True)
    received_by = optional_account_key(blank=False)
    finished_at = models.DateTimeField(null=True, blank=True)
    previous = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    # The import's progress: written with each chunk, so that it can resume.
    items_read = models.PositiveIntegerField(default=0)
    compared_to = models.BigIntegerField(default=0)
    # Counts of the contents.
    rows = models.PositiveIntegerField(default=0)
    rated = models.PositiveIntegerField(
        _("rated players"), default=0, help_text=_("Rows with a rating.")
    )
    unreadable = models.PositiveIntegerField(default=0)
    changed = models.PositiveIntegerField(
        _("changed players"),
        default=0,
        help_text=_("Players whose data differ from the previous list."),
    )
    members = models.PositiveIntegerField(
        _("members changed"),
        default=0,
        help_text=_("Members whose FIDE rating changed with this list."),
    )
    findings: Any = models.JSONField(_("issues"), default=list, blank=True)

    class Meta:
        ordering = ["-list_date", "-pk"]
        verbose_name = _("FIDE list")
        permissions = [("import_fide_list", _("Can import FIDE lists"))]
        constraints = [
            models.UniqueConstraint(
                fields=["list_date"],
                condition=~Q(state="refused"),
                name="one_fide_list_a_month",
                violation_error_message=_(
                    "This month’s list has already been imported."
                ),
            ),
            models.UniqueConstraint(
                fields=["state"],
                condition=Q(state__in=["loading", "current"]),
                name="one_fide_list_is_read_and_one_in_force",
                violation_error_message=_("Another list is being imported."),
            ),
            one_of(
                "state",
                ["loading", "current", "stored", "refused"],
                "fide_list_state_is_known",
            ),
            models.CheckConstraint(
                condition=Q(list_date__day=1),
                name="fide_list_begins_a_month",
                violation_error_message=_("A FIDE list starts on the 1st of a month."),
            ),
            models.CheckConstraint(
                condition=Q(rated__lte=F("rows")),
                name="fide_list_rates_no_more_than_it_names",
            ),
        ]

    def __str__(self) -> str:
        return gettext("FIDE list of {month}").format(
            month=format_month(self.list_date)
        )

    def get_absolute_url(self) -> str:
        return reverse("players_office:fide_list", args=[self.pk])


class FidePlayer(models.Model):
    """A row of the newest FIDE list, to look up and link people.

    Of older lists only the changes are stored (:class:`FideRating`). Ratings are whole
    points, None means unrated; games are those of the list's period.
    """

    list = models.ForeignKey(
        FideList, on_delete=models.CASCADE, related_name="players", db_index=False
    )
    fide_id = models.BigIntegerField(_("FIDE ID"))
    name = models.CharField(max_length=80, blank=True)
    search_name = models.CharField(max_length=100, blank=True)
    federation = models.CharField(max_length=3, blank=True)
    sex = models.CharField(max_length=1, blank=True)
    title = models.CharField(max_length=3, blank=True)
    birth_year = models.PositiveSmallIntegerField(null=True)
    inactive = models.BooleanField(default=False)
    rating = models.PositiveSmallIntegerField(null=True)
    games = models.PositiveSmallIntegerField(default=0)
    k = models.PositiveSmallIntegerField(_("K-factor"), null=True)
    rapid = models.PositiveSmallIntegerField(null=True)
    rapid_games = models.PositiveSmallIntegerField(default=0)
    blitz = models.PositiveSmallIntegerField(null=True)
    blitz_games = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name = _("FIDE player")
        constraints = [
            models.UniqueConstraint(
                fields=["list", "fide_id"],
                name="fide_id_once_per_list",
                violation_error_message=_("This FIDE ID is already in the list."),
            )
        ]
        indexes = [
            models.Index(fields=["list", "search_name"], name="fide_player_name")
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.fide_id})"


class FideRating(models.Model):
    """The changed values of a FIDE ID on one list, valid until the next such row.

    The newest row of a list up to a day has the player's values on that day. A rating
    of None means that the player is unrated, or missing, from that list on.
    """

    fide_id = models.BigIntegerField(_("FIDE ID"))
    list = models.ForeignKey(
        FideList, on_delete=models.PROTECT, related_name="changes", db_index=False
    )
    rating = models.PositiveSmallIntegerField(null=True)
    games = models.PositiveSmallIntegerField(default=0)
    k = models.PositiveSmallIntegerField(_("K-factor"), null=True)
    federation = models.CharField(max_length=3, blank=True)
    title = models.CharField(max_length=3, blank=True)
    inactive = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("FIDE rating")
        constraints = [
            models.UniqueConstraint(
                fields=["fide_id", "list"], name="one_fide_standing_per_list"
            )
        ]

    def __str__(self) -> str:
        return f"{self.fide_id}: {self.rating}"


class FideLinkRefusal(models.Model):
    """A suggested FIDE ID that staff found to belong to another person."""

    player = player_key("+")
    fide_id = models.BigIntegerField(_("FIDE ID"))
    at = models.DateTimeField(_("rejected at"), auto_now_add=True)
    by = account_key(_("rejected by"))
    reason = models.TextField()

    class Meta:
        ordering = ["-pk"]
        verbose_name = _("rejected FIDE ID match")
        verbose_name_plural = _("rejected FIDE ID matches")
        constraints = [
            models.UniqueConstraint(
                fields=["player", "fide_id"],
                name="fide_id_is_declined_once_per_member",
                violation_error_message=_("This match has already been rejected."),
            ),
            not_blank("reason", "declined_fide_id_has_a_reason"),
        ]

    def __str__(self) -> str:
        return gettext("{player} is not FIDE ID {fide_id}").format(
            player=self.player, fide_id=self.fide_id
        )
