from django.conf import settings
from django.db import models
from django.db.models import Q


class RerateMark(models.Model):
    """History has changed from a day on; a rerate has to follow.

    It is left in the transaction of the change itself. *run* is the published rerate
    that took it in; a mark without one is open. Undoing the rerate opens it again.
    """

    class Kind(models.TextChoices):
        LATE = "late", "Late event"
        CORRECTION = "correction", "Correction"
        MERGE = "merge", "Merged members"
        BIRTH_DATE = "birth_date", "Birth date"
        ADULT = "adult", "Membership type"
        RESIDENCE = "residence", "Residence"
        EXTERNAL_RATING = "external_rating", "FIDE or CFC rating"
        FLOOR = "floor", "Floor"
        CEILING = "ceiling", "Ceiling"
        ADJUSTMENT = "adjustment", "Adjustment"
        MATCH = "match", "Match decision"
        FOREIGN = "foreign", "Foreign event"
        EDITION = "edition", "Rules"
        UNDO = "undo", "Rerate undone"

    kind = models.CharField(max_length=20, choices=Kind.choices)
    from_day = models.DateField(help_text="Ratings may change from this day on.")
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
    note = models.TextField(help_text="One sentence that says what changed.")
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
        return f"{self.get_kind_display()} from {self.from_day}: {self.note}"
