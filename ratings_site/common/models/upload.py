from django.db import models
from django.utils.translation import gettext_lazy as _


class UploadPart(models.Model):
    """A part of an uploaded file, small enough to hold in memory.

    Without an S3 bucket the upload storage keeps files in these rows.
    """

    name = models.CharField(max_length=200)
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ["name", "number"]
        verbose_name = _("part of an uploaded file")
        verbose_name_plural = _("parts of uploaded files")
        constraints = [
            models.UniqueConstraint(
                fields=["name", "number"], name="upload_parts_are_numbered"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.number}"
