from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models.keys import account_key, optional_account_key
from ratings_site.common.names.casing import in_name_case
from ratings_site.common.names.phonetics import searchable


class PendingMember(models.Model):
    """A new member in a report who has no member ID yet.

    Entries of the report have the temporary ID as their member ID, so it follows them
    through every edit and means one person in all sections. Only the sender and the
    office may see the birth date and email.
    """

    class How(models.TextChoices):
        ISSUED = "issued", _("New member ID")
        LINKED = "linked", _("Existing member")
        MATCHED = "matched", _("From the membership feed")

    submission = models.ForeignKey(
        "events.Submission", on_delete=models.CASCADE, related_name="newcomers"
    )
    number = models.CharField(
        _("temporary ID"),
        max_length=8,
        validators=[RegexValidator(r"^NEW-[1-9][0-9]{0,3}\Z")],
    )
    given_name = models.CharField(max_length=60)
    family_name = models.CharField(max_length=60)
    birth_date = models.DateField(null=True, blank=True)
    birth_year = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text=_("If only the year is known.")
    )
    state = models.CharField(max_length=2, blank=True)
    email = models.EmailField(
        blank=True, help_text=_("The member’s, or a parent’s or guardian’s.")
    )
    duplicate_reason = models.TextField(
        blank=True, help_text=_("Why this is not the member with the same name.")
    )
    told_by = account_key(_("entered by"))
    told_at = models.DateTimeField(_("entered at"), auto_now_add=True)
    resolved_to = models.ForeignKey(
        "players.Player",
        verbose_name=_("member"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="reported_as_new",
    )
    resolved_how = models.CharField(
        _("resolved as"), max_length=8, choices=How.choices, blank=True
    )
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = optional_account_key(
        help_text=_("Blank if the ID came from the membership feed.")
    )

    class Meta:
        verbose_name = _("new member in a report")
        verbose_name_plural = _("new members in reports")
        ordering = ["submission_id", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "number"], name="temporary_number_once_per_report"
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
        return in_name_case(f"{self.given_name} {self.family_name}")

    @property
    def search_name(self) -> str:
        """Return the name in the form of ``Player.search_name``."""
        return searchable(f"{self.family_name} {self.given_name}")

    @property
    def reported_name(self) -> str:
        """Return the name as in the report's entries."""
        return f"{self.family_name}, {self.given_name}".upper()
