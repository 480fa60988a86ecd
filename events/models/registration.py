from datetime import date

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.models.constraints import days_in_order
from ratings_site.common.models.constraints import one_of
from ratings_site.common.models.keys import account_key


class EventRegistration(models.Model):
    """An event that is announced before it is played.

    It has no event ID yet, because an event ID begins with the day on which the event
    really ended. Its page redirects to the event once the linked report is accepted.
    """

    class State(models.TextChoices):
        PLANNED = "planned", _("Planned")
        CANCELED = "canceled", _("Canceled")

    name = models.CharField(_("name"), max_length=80)
    starts = models.DateField(_("first day"))
    ends = models.DateField(_("last day"))
    affiliate = models.ForeignKey(
        "events.Affiliate", on_delete=models.PROTECT, related_name="registrations"
    )
    chief = models.ForeignKey(
        "players.Player",
        verbose_name=_("chief TD"),
        on_delete=models.PROTECT,
        related_name="+",
    )
    city = models.CharField(_("city"), max_length=40, blank=True)
    state = models.CharField(
        _("state"),
        max_length=2,
        blank=True,
        validators=[
            RegexValidator(r"^[A-Z]{2}\Z", _("Enter a two-letter state, such as IL."))
        ],
    )
    is_online = models.BooleanField(_("played online"), default=False)
    website = models.URLField(_("website"), max_length=200, blank=True)
    status = models.CharField(
        max_length=10, choices=State.choices, default=State.PLANNED
    )
    notice = models.TextField(
        blank=True, help_text=_("Why it was moved or canceled. Shown to the public.")
    )
    registered_by = account_key(related_name="registrations")
    registered_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    changes = models.PositiveIntegerField(
        default=0,
        help_text=_("Number of changes. Calendar apps use it to detect updates."),
    )
    submission = models.OneToOneField(
        "events.Submission",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="registration",
    )

    class Meta:
        ordering = ["starts", "pk"]
        constraints = [
            days_in_order("registered_event_ends_after_it_starts"),
            one_of("status", ["planned", "canceled"], "registration_status_is_known"),
            models.CheckConstraint(
                condition=~Q(status="canceled") | ~Q(notice=""),
                name="canceled_event_says_why",
            ),
            models.CheckConstraint(
                condition=~Q(status="canceled") | Q(submission__isnull=True),
                name="canceled_event_has_no_report",
            ),
        ]
        indexes = [models.Index(fields=["ends", "status"], name="registrations_by_end")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("events:registered", args=[self.pk])

    @property
    def place(self) -> str:
        online = gettext("online") if self.is_online else ""
        return ", ".join(filter(None, (self.city, self.state, online)))

    @property
    def is_canceled(self) -> bool:
        return self.status == self.State.CANCELED

    def is_planned_for(self, days: tuple[date, date] | None) -> bool:
        """Return whether any of the days from the first to the last is planned."""
        return days is not None and self.starts <= days[1] and days[0] <= self.ends

    def has_ended_on(self, day: date) -> bool:
        return self.ends < day


class RegisteredSection(models.Model):
    """A planned section: its name and time control."""

    registration = models.ForeignKey(
        EventRegistration, on_delete=models.CASCADE, related_name="sections"
    )
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=60)
    time_control = models.CharField(max_length=60, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["registration", "number"], name="planned_section_number_once"
            )
        ]

    def __str__(self) -> str:
        return self.name
