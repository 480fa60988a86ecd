from datetime import date
from typing import Any, Self

from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings.models.systems import (
    at_least,
    system_field,
    system_is_known,
)
from ratings_site.common.models.constraints import not_blank, one_of
from ratings_site.common.models.keys import optional_account_key
from ratings_site.common.ui.formatting import format_month

# A rating on fewer games is not published.
MIN_GAMES = 4


def month_name(month: Any) -> str:
    """Return a list's month as "June 2024"."""
    return format_month(month)


def correction_field() -> "models.PositiveSmallIntegerField[int, int]":
    return models.PositiveSmallIntegerField(
        default=0,
        help_text=_("0 for the monthly list; 1 and up for its corrections."),
    )


class ListDraft(models.Model):
    """A preview of a month's official list, valid until replaced.

    *digest* identifies the rows of the list. Publishing computes them again and refuses
    if they are not those that were reviewed.
    """

    month = models.DateField(help_text=_("The first day of the month."))
    correction = correction_field()
    cut_off = models.DateTimeField(_("cutoff"))
    digest = models.CharField(_("checksum"), max_length=64)
    summary: Any = models.JSONField(default=dict)
    prepared_at = models.DateTimeField()
    prepared_by = optional_account_key()

    class Meta:
        verbose_name = _("official list draft")
        verbose_name_plural = _("official list drafts")
        ordering = ["-month"]
        constraints = [
            models.UniqueConstraint(fields=["month"], name="one_draft_per_month"),
            models.CheckConstraint(
                condition=Q(month__day=1), name="draft_is_for_a_whole_month"
            ),
        ]

    def __str__(self) -> str:
        return gettext("{month_name} list, draft").format(
            month_name=month_name(self.month)
        )


class OfficialListQuerySet(models.QuerySet["OfficialList"]):
    def effective(self) -> Self:
        """Leave out lists that were withdrawn by a correction."""
        return self.with_withdrawn().filter(is_withdrawn=False)

    def with_withdrawn(self) -> Self:
        """Annotate each list with ``is_withdrawn``."""
        later = OfficialList.objects.filter(
            month=OuterRef("month"), correction__gt=OuterRef("correction")
        )
        return self.annotate(is_withdrawn=Exists(later))

    def in_force_on(self, day: date) -> "OfficialList | None":
        """Return the list that was official on a day, as known on that day."""
        return self.filter(
            Q(in_force_from=None) | Q(in_force_from__lte=day), month__lte=day
        ).first()


class OfficialList(models.Model):
    """The official ratings of a month, as the ledger was at the cutoff.

    It is created when it is published, with all its rows and files, and never changes.
    It is in force from the first of its month until the next list's. A wrong list is
    withdrawn by a correction: another list of the same month, in force from the day on
    which it is published. Both stay readable.
    """

    month = models.DateField(help_text=_("The first day of the month."))
    correction = correction_field()
    in_force_from = models.DateField(
        _("in effect from"),
        null=True,
        blank=True,
        help_text=_("First of the month, or a correction’s publication date."),
    )
    cut_off = models.DateTimeField(
        _("cutoff"),
        help_text=_("Cutoff: includes everything rated by this time."),
    )
    digest = models.CharField(_("checksum"), max_length=64)
    members = models.PositiveIntegerField(
        help_text=_("Members with at least one rating on the list.")
    )
    summary: Any = models.JSONField(default=dict)
    prepared_at = models.DateTimeField()
    prepared_by = optional_account_key()
    published_at = models.DateTimeField(db_index=True)
    published_by = optional_account_key()
    reason = models.TextField()

    objects = OfficialListQuerySet.as_manager()

    class Meta:
        ordering = ["-month", "-correction"]
        permissions = [("publish_list", _("Can publish an official list"))]
        constraints = [
            models.UniqueConstraint(
                fields=["month", "correction"],
                name="one_list_per_month_and_correction",
                violation_error_message=_(
                    "This month’s list has already been published."
                ),
            ),
            models.CheckConstraint(
                condition=Q(month__day=1), name="list_is_for_a_whole_month"
            ),
            not_blank("reason", "list_is_published_with_a_reason"),
            models.CheckConstraint(
                condition=Q(correction=0, in_force_from__isnull=True)
                | Q(correction__gt=0, in_force_from__isnull=False),
                name="correction_list_says_from_when",
            ),
        ]

    def __str__(self) -> str:
        return gettext("Official rating list of {name}").format(name=self.name)

    def get_absolute_url(self) -> str:
        return reverse("ratings:list", args=[self.slug])

    @property
    def name(self) -> str:
        if self.correction:
            return gettext("{month_name}, correction {number}").format(
                month_name=month_name(self.month), number=self.correction
            )
        return month_name(self.month)

    @property
    def slug(self) -> str:
        return f"{self.month:%Y-%m}"

    @property
    def key(self) -> str:
        """The list's name in names of files, different from others of its month."""
        return (
            f"{self.slug}-correction-{self.correction}"
            if self.correction
            else self.slug
        )

    @property
    def version_url(self) -> str:
        """The permanent URL of the list, also once it is withdrawn."""
        return f"{self.get_absolute_url()}?correction={self.correction}"

    @property
    def starts(self) -> date:
        return self.in_force_from or self.month


class OfficialRating(models.Model):
    """A rating on an official list: a whole number that never changes.

    Places count from the top, within the system, and within the state too; equal
    ratings share a place. *above* is how many of the system are rated lower.
    """

    list = models.ForeignKey(
        OfficialList, on_delete=models.PROTECT, related_name="ratings", db_index=False
    )
    player = player_key("official_ratings")
    system = system_field()
    state = models.CharField(max_length=2, blank=True)
    rating = models.PositiveIntegerField()
    is_about = models.BooleanField(
        _("rounded"),
        default=False,
        help_text=_("Shown rounded, such as to the nearest 50."),
    )
    games = models.PositiveIntegerField()
    is_provisional = models.BooleanField(_("provisional"))
    floor = models.PositiveIntegerField()
    place = models.PositiveIntegerField(_("rank"))
    state_place = models.PositiveIntegerField(_("state rank"), null=True, blank=True)
    above = models.PositiveIntegerField()
    year_games = models.PositiveIntegerField(
        _("games, 12 months"),
        null=True,
        blank=True,
        help_text=_(
            "Rated games in events that ended in the 12 months up to the cutoff. Blank "
            "on older lists."
        ),
    )
    change = models.ForeignKey(
        "ratings.RatingChange",
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
        help_text=_("The rating change it comes from."),
    )
    latest = models.ForeignKey(
        "ratings.Calculation",
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
        help_text=_("Last rated event in rating order at the cutoff."),
    )

    # Of a person's ratings in one system of a list the last counts: the kept number has
    # its own, and a merged one only fills a gap.
    KEPT_LAST = F("player__merged_into").desc(nulls_last=True), "-player_id"

    class Meta:
        ordering = ["list", "system", "place"]
        constraints = [
            models.UniqueConstraint(
                fields=["list", "player", "system"],
                name="one_official_rating_per_list_player_and_system",
            ),
            system_is_known("official_rating_system_is_known"),
            at_least("games", MIN_GAMES, "official_rating_rests_on_four_games"),
            at_least("rating", 100, "no_official_rating_below_100"),
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


class ListFileKind(models.TextChoices):
    CSV = "csv", "CSV"
    TSV = "tsv", "TSV"
    DBF = "dbf", "DBF"
    OPEN_CSV = "open.csv", _("CSV, open list")
    OPEN_TSV = "open.tsv", _("TSV, open list")
    OPEN_DBF = "open.dbf", _("DBF, open list")
    OPEN_XLSX = "open.xlsx", _("XLSX, open list")
    OPEN_JSON = "open.json", _("JSON, open list")
    SUPPLEMENT = "supplement.dbf", _("DBF, old supplement layout")
    WINTD = "wintd.tsv", _("TSV for WinTD")


class OfficialListFile(models.Model):
    """An official list as a file, byte for byte as published.

    The kind of an open file, which a job makes after publication, is its name at the
    fixed addresses, such as /lists/current/open.csv.
    """

    Kind = ListFileKind

    MONTHLY = (Kind.CSV, Kind.TSV, Kind.DBF)

    list = models.ForeignKey(
        OfficialList, on_delete=models.PROTECT, related_name="files", db_index=False
    )
    kind = models.CharField(_("type"), max_length=14, choices=Kind.choices)
    name = models.CharField(max_length=40)
    content = models.BinaryField(
        null=True, help_text=_("Blank if only the compressed copy is kept.")
    )
    compressed = models.BinaryField(
        null=True,
        help_text=_("Compressed copy (gzip). Older lists have none."),
    )
    made_at = models.DateTimeField(
        _("created"),
        null=True,
        help_text=_(
            "Open files only. FIDE IDs, norm titles and TD levels are as of this day."
        ),
    )
    size = models.PositiveIntegerField(help_text=_("Size in bytes."))
    sha256 = models.CharField(_("SHA-256"), max_length=64)

    class Meta:
        ordering = ["list", "kind"]
        constraints = [
            models.UniqueConstraint(
                fields=["list", "kind"], name="one_file_per_list_and_kind"
            ),
            one_of("kind", ListFileKind.values, "list_file_kind_is_known"),
            models.CheckConstraint(
                condition=Q(content__isnull=False) | Q(compressed__isnull=False),
                name="list_file_has_content",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["csv", "tsv", "dbf"], made_at__isnull=True)
                | Q(kind__contains=".", made_at__isnull=False),
                name="open_list_file_says_when_it_was_made",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("ratings:list_file", args=[self.list.slug, self.name])

    @property
    def extension(self) -> str:
        return self.kind.rpartition(".")[2]
