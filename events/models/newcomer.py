from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from ratings_site.common.names.sounds import searchable


class PendingMember(models.Model):
    """A new member of a report, until the office or the membership feed has a number.

    Entries of the report carry the temporary number in place of a member ID, so it
    follows them through every edit, and means one person in all sections. Birth date
    and e-mail are for the sender and the office; nothing else may show them.
    """

    class How(models.TextChoices):
        ISSUED = "issued", gettext_lazy("A new number")
        LINKED = "linked", gettext_lazy("A member already")
        MATCHED = "matched", gettext_lazy("Came with the membership feed")

    submission = models.ForeignKey(
        "events.Submission", on_delete=models.CASCADE, related_name="newcomers"
    )
    number = models.CharField(
        gettext_lazy("temporary number"),
        max_length=8,
        validators=[RegexValidator(r"^NEW-[1-9][0-9]{0,3}\Z")],
    )
    given_name = models.CharField(max_length=60)
    family_name = models.CharField(max_length=60)
    birth_date = models.DateField(null=True, blank=True)
    birth_year = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text=gettext_lazy("Where only the year is known."),
    )
    state = models.CharField(max_length=2, blank=True)
    email = models.EmailField(
        blank=True, help_text=gettext_lazy("The member’s, or a guardian’s.")
    )
    duplicate_reason = models.TextField(
        blank=True,
        help_text=gettext_lazy("Why it is nobody of the members of the same name."),
    )
    told_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    told_at = models.DateTimeField(auto_now_add=True)
    resolved_to = models.ForeignKey(
        "players.Player",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="reported_as_new",
    )
    resolved_how = models.CharField(max_length=8, choices=How.choices, blank=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text=gettext_lazy("Nobody, where the feed brought the number."),
    )

    class Meta:
        ordering = ["submission_id", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "number"],
                name="temporary_number_once_per_report",
            ),
            models.CheckConstraint(
                condition=Q(number__regex=r"^NEW-[1-9][0-9]{0,3}$"),
                name="temporary_number_is_new_and_digits",
            ),
            models.CheckConstraint(
                condition=Q(birth_date__isnull=False, birth_year__isnull=True)
                | Q(birth_date__isnull=True, birth_year__isnull=False),
                name="newcomer_has_birth_date_or_year",
            ),
            models.CheckConstraint(
                condition=Q(
                    resolved_to__isnull=True,
                    resolved_at__isnull=True,
                    resolved_how="",
                    resolved_by__isnull=True,
                )
                | Q(
                    resolved_to__isnull=False,
                    resolved_at__isnull=False,
                    resolved_how__in=["issued", "linked", "matched"],
                ),
                name="resolved_newcomer_has_member_time_and_way",
            ),
        ]
        indexes = [
            models.Index(
                fields=["birth_date"],
                condition=Q(resolved_to=None),
                name="newcomers_by_birth_date",
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.number})"

    @property
    def name(self) -> str:
        return f"{self.given_name} {self.family_name}"

    @property
    def search_name(self) -> str:
        """The name as members' names are compared (``Player.search_name``)."""
        return searchable(f"{self.family_name} {self.given_name}")

    @property
    def reported_name(self) -> str:
        """The name as a report's entries spell it."""
        return f"{self.family_name}, {self.given_name}".upper()
