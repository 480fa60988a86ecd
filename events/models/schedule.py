from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class Schedule(models.Model):
    """Rounds of a section that were played at another time control.

    The section's own time control is the slowest of all, which decides its rating
    systems; these games keep their own. Without entries a schedule applies to all
    players. If several apply to a game, the first one does.
    """

    section = models.ForeignKey(
        "events.Section", on_delete=models.CASCADE, related_name="schedules"
    )
    place = models.PositiveSmallIntegerField(verbose_name=_("order"))
    name = models.CharField(_("name"), max_length=40, blank=True)
    time_control = models.CharField(_("time control"), max_length=60)
    first_round = models.PositiveSmallIntegerField(_("first round"))
    last_round = models.PositiveSmallIntegerField(_("last round"))
    starts = models.DateField(_("first day"), null=True, blank=True)
    ends = models.DateField(_("last day"), null=True, blank=True)
    entries = models.ManyToManyField(
        "events.Entry", related_name="schedules", blank=True
    )

    class Meta:
        ordering = ["section", "place"]
        constraints = [
            models.UniqueConstraint(
                fields=["section", "place"], name="schedule_has_a_place_of_its_own"
            ),
            models.CheckConstraint(
                condition=Q(first_round__gte=1, last_round__gte=F("first_round")),
                name="schedule_ends_after_its_first_round",
                violation_error_message=_(
                    "The schedule ends before it starts. Correct one of the dates."
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.time_control}".strip()

    @property
    def pairing_numbers(self) -> list[int]:
        return sorted(entry.pairing_number for entry in self.entries.all())
