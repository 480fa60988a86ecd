from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy


class RerateMark(models.Model):
    """History has changed from a day on; a rerate has to follow.

    It is left in the transaction of the change itself. *run* is the published rerate
    that took it in; a mark without one is open. Undoing the rerate opens it again.
    """

    class Kind(models.TextChoices):
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

    kind = models.CharField(max_length=20, choices=Kind.choices)
    from_day = models.DateField(
        help_text=gettext_lazy("Ratings may change from this day on.")
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
        help_text=gettext_lazy("One sentence that says what changed.")
    )
    left_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    left_at = models.DateTimeField(auto_now_add=True)
    run = models.ForeignKey(
        "ratings.Run",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="marks",
    )

    class Meta:
        ordering = ["from_day", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(note=""), name="mark_says_what_changed"
            ),
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        "late",
                        "correction",
                        "merge",
                        "birth_date",
                        "adult",
                        "residence",
                        "external_rating",
                        "floor",
                        "ceiling",
                        "adjustment",
                        "match",
                        "foreign",
                        "edition",
                        "undo",
                    ]
                ),
                name="mark_kind_is_known",
            ),
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
