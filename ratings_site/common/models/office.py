from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy


class Office(models.Model):
    """The federation whose office this is: one row, made by ``create_office``."""

    THE_ONE = 1

    name = models.CharField(max_length=60)
    address = models.CharField(max_length=200, blank=True)
    issues_ids = models.BooleanField(
        default=False,
        help_text=gettext_lazy("Whether member IDs are issued here."),
    )

    # Every page shows name and address, and no page should ask for them: they are read
    # when the process begins.
    shown: ClassVar["Office | None"] = None

    class Meta:
        verbose_name = gettext_lazy("office")
        constraints = [
            models.CheckConstraint(condition=Q(id=1), name="there_is_one_office"),
            models.CheckConstraint(condition=~Q(name=""), name="office_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def show(cls) -> None:
        """Let this process show the federation's name from now on."""
        cls.shown = cls.objects.first()
