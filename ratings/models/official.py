from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ratings.models.systems import SYSTEM_VALUES, system_field
from ratings_site.common.looks.figures import month_of_year

# A rating on fewer games is not published.
FEWEST_GAMES = 4


def month_name(month: Any) -> str:
    """Return a list's month as "June 2024"."""
    return month_of_year(month)


class ListDraft(models.Model):
    """What the official list of a month would be: computed, and good until replaced.

    *digest* names the rows of the list. Publishing computes them again and refuses
    if they are not those that somebody has looked at.
    """

    month = models.DateField(help_text=gettext_lazy("The first day of the month."))
    cut_off = models.DateTimeField()
    digest = models.CharField(max_length=64)
    summary: Any = models.JSONField(default=dict)
    prepared_at = models.DateTimeField()
    prepared_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )

    class Meta:
        ordering = ["-month"]
        constraints = [
            models.UniqueConstraint(fields=["month"], name="one_draft_per_month"),
            models.CheckConstraint(
                condition=Q(month__day=1), name="draft_is_for_a_whole_month"
            ),
        ]

    def __str__(self) -> str:
        return _("Draft of the list of {month_name}").format(
            month_name=month_name(self.month)
        )


class OfficialList(models.Model):
    """The official ratings of a month, as the books stood at the cut-off.

    It comes into being by being published, with all its rows and files, and never
    changes again. It is in force from the first of its month until the next list's.
    """

    month = models.DateField(help_text=gettext_lazy("The first day of the month."))
    cut_off = models.DateTimeField(
        help_text=gettext_lazy("What was rated by then counts.")
    )
    digest = models.CharField(max_length=64)
    members = models.PositiveIntegerField(
        help_text=gettext_lazy("Members with any rating on it.")
    )
    summary: Any = models.JSONField(default=dict)
    prepared_at = models.DateTimeField()
    prepared_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    published_at = models.DateTimeField(db_index=True)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    reason = models.TextField()

    class Meta:
        ordering = ["-month"]
        permissions = [("publish_list", gettext_lazy("Can publish an official list"))]
        constraints = [
            models.UniqueConstraint(
                fields=["month"],
                name="one_list_per_month",
                violation_error_message=gettext_lazy(
                    "The list of this month is published already."
                ),
            ),
            models.CheckConstraint(
                condition=Q(month__day=1), name="list_is_for_a_whole_month"
            ),
            models.CheckConstraint(
                condition=~Q(reason=""), name="list_is_published_with_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return _("Official list of {name}").format(name=self.name)

    def get_absolute_url(self) -> str:
        return reverse("ratings:list", args=[self.slug])

    @property
    def name(self) -> str:
        return month_name(self.month)

    @property
    def slug(self) -> str:
        return f"{self.month:%Y-%m}"


class OfficialRating(models.Model):
    """A rating on an official list: a whole number that is never revised.

    Places count from the top, within the system, and within the state too; equal
    ratings share a place. *above* is how many of the system are rated lower.
    """

    list = models.ForeignKey(
        OfficialList,
        on_delete=models.PROTECT,
        related_name="ratings",
        db_index=False,
    )
    player = models.ForeignKey(
        "players.Player", on_delete=models.PROTECT, related_name="official_ratings"
    )
    system = system_field()
    state = models.CharField(max_length=2, blank=True)
    rating = models.PositiveIntegerField()
    is_about = models.BooleanField(
        default=False,
        help_text=gettext_lazy("Published to the nearest 50, or rounded otherwise."),
    )
    games = models.PositiveIntegerField()
    is_provisional = models.BooleanField()
    floor = models.PositiveIntegerField()
    place = models.PositiveIntegerField()
    state_place = models.PositiveIntegerField(null=True, blank=True)
    above = models.PositiveIntegerField()
    change = models.ForeignKey(
        "ratings.RatingChange",
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
        help_text=gettext_lazy("The ledger line it was taken from."),
    )
    latest = models.ForeignKey(
        "ratings.Calculation",
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
        help_text=gettext_lazy(
            "What comes last in rating order of all that had been rated."
        ),
    )

    class Meta:
        ordering = ["list", "system", "place"]
        constraints = [
            models.UniqueConstraint(
                fields=["list", "player", "system"],
                name="one_official_rating_per_list_player_and_system",
            ),
            models.CheckConstraint(
                condition=Q(system__in=SYSTEM_VALUES),
                name="official_rating_system_is_known",
            ),
            models.CheckConstraint(
                condition=Q(games__gte=FEWEST_GAMES),
                name="official_rating_rests_on_four_games",
            ),
            models.CheckConstraint(
                condition=Q(rating__gte=100), name="no_official_rating_below_100"
            ),
        ]
        indexes = [
            # With all that is counted by, and whose it is: a page of a ranking reads no
            # row for it, nor do two lists that are laid side by side.
            models.Index(
                fields=["list", "system", "rating", "is_provisional"],
                include=["player"],
                name="official_ratings_in_order",
            ),
            models.Index(
                fields=["list", "system", "state", "rating", "is_provisional"],
                include=["player"],
                name="official_ratings_of_a_state",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.system} {self.rating}"


class OfficialListFile(models.Model):
    """An official list as a file, byte for byte as it was published."""

    class Kind(models.TextChoices):
        CSV = "csv", "CSV"
        TSV = "tsv", "TSV"
        DBF = "dbf", "DBF"

    list = models.ForeignKey(
        OfficialList, on_delete=models.PROTECT, related_name="files", db_index=False
    )
    kind = models.CharField(max_length=3, choices=Kind.choices)
    name = models.CharField(max_length=40)
    content = models.BinaryField()
    compressed = models.BinaryField(
        null=True,
        help_text=gettext_lazy("The same by gzip; of older lists there is none."),
    )
    size = models.PositiveIntegerField(help_text=gettext_lazy("In bytes."))
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["list", "kind"]
        constraints = [
            models.UniqueConstraint(
                fields=["list", "kind"], name="one_file_per_list_and_kind"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["csv", "tsv", "dbf"]),
                name="list_file_kind_is_known",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("ratings:list_file", args=[self.list.slug, self.name])
