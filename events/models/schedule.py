from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class Schedule(models.Model):
    """Rounds of a section that were played at a control of their own.

    The section's time control is the slowest of all, which decides what it is rated
    in; these games keep theirs. Without entries it holds for everybody. Where several
    would hold for a game, the one in the first place does.
    """

    section = models.ForeignKey(
        "events.Section", on_delete=models.CASCADE, related_name="schedules"
    )
    place = models.PositiveSmallIntegerField()
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
                violation_error_message=_("A schedule cannot end before it begins."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.time_control}".strip()

    @property
    def pairing_numbers(self) -> list[int]:
        return sorted(entry.pairing_number for entry in self.entries.all())
