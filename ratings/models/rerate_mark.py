from __future__ import annotations

from datetime import date

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ratings.models.systems import not_blank, one_of
from ratings_site.common.models.keys import optional_account_key


class MarkKind(models.TextChoices):
    LATE = "late", gettext_lazy("Late event")
    CORRECTION = "correction", gettext_lazy("Correction")
    MERGE = "merge", gettext_lazy("Merged members")
    BIRTH_DATE = "birth_date", gettext_lazy("Birth date")
    ADULT = "adult", gettext_lazy("Membership type")
    RESIDENCE = "residence", gettext_lazy("Residence")
    EXTERNAL_RATING = "external_rating", gettext_lazy("FIDE or CFC rating")
    FLOOR = "floor", gettext_lazy("Floor")
    CEILING = "ceiling", gettext_lazy("Ceiling")
    ADJUSTMENT = "adjustment", gettext_lazy("Adjustment")
    MATCH = "match", gettext_lazy("Match decision")
    FOREIGN = "foreign", gettext_lazy("Foreign event")
    EDITION = "edition", gettext_lazy("Rules")
    UNDO = "undo", gettext_lazy("Rerate undone")


class RerateMarkQuerySet(models.QuerySet["RerateMark"]):
    def pending(self) -> RerateMarkQuerySet:
        """Return those that no published rerate has taken in."""
        return self.filter(run=None)

    def first_day(self) -> date | None:
        """Return the first day from which ratings may change."""
        days = self.order_by("from_day").values_list("from_day", flat=True)
        return days.first()


class RerateMark(models.Model):
    """A pending rerate: history has changed from a day on.

    It is added in the transaction of the change itself. *run* is the published rerate
    that took it in; without one it is open. Undoing the rerate opens it again.
    """

    Kind = MarkKind

    kind = models.CharField(
        verbose_name=gettext_lazy("type"), max_length=20, choices=Kind.choices
    )
    from_day = models.DateField(
        verbose_name=gettext_lazy("from"),
        help_text=gettext_lazy("First date on which ratings may change."),
    )
    player = models.ForeignKey(
        "players.Player",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="rerate_marks",
    )
    section = models.ForeignKey(
        "events.Section",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="rerate_marks",
    )
    note = models.TextField(
        verbose_name=gettext_lazy("what changed"),
        help_text=gettext_lazy("What changed, in one sentence."),
    )
    left_by = optional_account_key(gettext_lazy("created by"))
    left_at = models.DateTimeField(
        verbose_name=gettext_lazy("created at"), auto_now_add=True
    )
    run = models.ForeignKey(
        "ratings.Run",
        verbose_name=gettext_lazy("rerate"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="marks",
    )

    objects = RerateMarkQuerySet.as_manager()

    class Meta:
        verbose_name = gettext_lazy("pending rerate")
        verbose_name_plural = gettext_lazy("pending rerates")
        ordering = ["from_day", "pk"]
        constraints = [
            not_blank("note", "mark_says_what_changed"),
            one_of("kind", MarkKind.values, "mark_kind_is_known"),
        ]
        indexes = [
            models.Index(
                fields=["from_day"], condition=Q(run__isnull=True), name="open_marks"
            ),
        ]

    def __str__(self) -> str:
        return _("{kind} from {from_day}: {note}").format(
            kind=self.get_kind_display(), from_day=self.from_day, note=self.note
        )
