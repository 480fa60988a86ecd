from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy


class OpenFile(models.Model):
    """A bulk file of open data, as one night made it.

    Its content lies in the database in parts, as the files of official lists lie
    there: every machine of the office sends the same file, and it is there whole or
    not at all. A night that gives the same bytes only moves *checked_at*.
    """

    class Kind(models.TextChoices):
        CSV = "csv.gz", gettext_lazy("CSV, gzip")
        PARQUET = "parquet", gettext_lazy("Parquet")

    table = models.CharField(max_length=20, help_text=gettext_lazy("Such as games."))
    kind = models.CharField(max_length=8, choices=Kind.choices)
    rows = models.PositiveBigIntegerField()
    size = models.PositiveBigIntegerField(help_text=gettext_lazy("In bytes."))
    sha256 = models.CharField(max_length=64)
    made_at = models.DateTimeField()
    checked_at = models.DateTimeField(
        help_text=gettext_lazy("When its bytes were last confirmed.")
    )
    is_newest = models.BooleanField(default=True)

    class Meta:
        ordering = ["table", "kind", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["table", "kind"],
                condition=Q(is_newest=True),
                name="one_newest_open_file",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["csv.gz", "parquet"]),
                name="open_file_kind_is_known",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The stable address: whatever file is the newest stands there."""
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
