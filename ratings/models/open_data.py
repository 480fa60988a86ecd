from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models.constraints import one_of


class OpenFile(models.Model):
    """A bulk file of open data, as created in one night.

    Its content is in the database in parts, like the files of official lists: every
    server sends the same file, and it is complete or absent. A night that gives the
    same bytes only updates *checked_at*.
    """

    class Kind(models.TextChoices):
        CSV = "csv.gz", _("CSV, gzip")
        PARQUET = "parquet", _("Parquet")

    table = models.CharField(max_length=20, help_text=_("Such as games."))
    kind = models.CharField(_("format"), max_length=8, choices=Kind.choices)
    rows = models.PositiveBigIntegerField()
    size = models.PositiveBigIntegerField(help_text=_("Size in bytes."))
    sha256 = models.CharField(_("SHA-256"), max_length=64)
    made_at = models.DateTimeField(_("created at"))
    checked_at = models.DateTimeField(
        _("verified at"),
        help_text=_("When the file was last verified."),
    )
    is_newest = models.BooleanField(_("newest"), default=True)

    class Meta:
        verbose_name = _("open data file")
        verbose_name_plural = _("open data files")
        ordering = ["table", "kind", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["table", "kind"],
                condition=Q(is_newest=True),
                name="one_newest_open_file",
            ),
            one_of("kind", ["csv.gz", "parquet"], "open_file_kind_is_known"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The stable URL, which always has the newest file."""
        return reverse("ratings:open_file", args=[self.name])

    @property
    def name(self) -> str:
        return f"{self.table}.{self.kind}"


class OpenFilePart(models.Model):
    """A piece of a bulk file, small enough to hold in memory."""

    file = models.ForeignKey(
        OpenFile, on_delete=models.CASCADE, related_name="parts", db_index=False
    )
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ["file", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["file", "number"], name="open_file_parts_are_numbered"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.file_id}: {self.number}"
