from datetime import date

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse

from ratings_site.common.names import searchable

member_id_is_eight_digits = RegexValidator(
    r"^[1-9][0-9]{7}$", "A member ID has eight digits and does not begin with 0."
)

SEARCH_LENGTH = 140


class Player(models.Model):
    """A member of the federation, past or present.

    The birth date serves the age-based start and nothing else; it is shown to staff
    only, and never leaves their pages.
    """

    class Status(models.TextChoices):
        ACTIVE = "active", "Active"
        DECEASED = "deceased", "Deceased"
        DUPLICATE = "duplicate", "Duplicate of another member"
        SUSPENDED = "suspended", "Suspended"
        REVOKED = "revoked", "Membership revoked"

    member_id = models.CharField(
        "member ID", max_length=8, unique=True, validators=[member_id_is_eight_digits]
    )
    given_name = models.CharField(max_length=60)
    family_name = models.CharField(max_length=60)
    suffix = models.CharField(max_length=10, blank=True)
    birth_date = models.DateField(null=True, blank=True)
    state = models.CharField(max_length=2, blank=True)
    residence = models.CharField(
        max_length=3, default="USA", help_text="Country of residence, such as USA."
    )
    federation = models.CharField(
        max_length=3, blank=True, help_text="FIDE flag, such as USA."
    )
    fide_id = models.CharField("FIDE ID", max_length=10, null=True, blank=True)  # noqa: DJ001 (unique where known)
    status = models.CharField(
        max_length=12, choices=Status.choices, default=Status.ACTIVE
    )
    account = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="player",
    )
    search_name = models.CharField(
        max_length=SEARCH_LENGTH, db_index=True, editable=False
    )
    search_given = models.CharField(
        max_length=SEARCH_LENGTH, db_index=True, editable=False
    )

    class Meta:
        ordering = ["search_name", "member_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["fide_id"],
                name="fide_id_belongs_to_one_member",
                violation_error_message="Another member has this FIDE ID.",
            ),
            models.CheckConstraint(
                condition=Q(member_id__regex=r"^[1-9][0-9]{7}$"),
                name="member_id_is_eight_digits",
                violation_error_message="A member ID has eight digits.",
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=[
                        "active",
                        "deceased",
                        "duplicate",
                        "suspended",
                        "revoked",
                    ]
                ),
                name="player_status_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.member_id})"

    def save(self, *args, **kwargs) -> None:
        self.set_search_names()
        if self.fide_id == "":
            self.fide_id = None
        super().save(*args, **kwargs)

    def get_absolute_url(self) -> str:
        return reverse("ratings:profile", args=[self.member_id])

    @property
    def name(self) -> str:
        return " ".join(
            part for part in (self.given_name, self.family_name, self.suffix) if part
        )

    def set_search_names(self) -> None:
        """Fill the columns that the search by name reads (bulk writers call it)."""
        family = searchable(f"{self.family_name} {self.suffix}")
        given = searchable(self.given_name)
        # A ligature is one letter in a name and three here, so a name may grow.
        self.search_name = f"{family} {given}".strip()[:SEARCH_LENGTH]
        self.search_given = f"{given} {family}".strip()[:SEARCH_LENGTH]

    def was_member_on(self, day: date) -> bool:
        return any(
            membership.starts <= day <= membership.expires
            for membership in self.memberships.all()
        )

    @property
    def is_adult_member(self) -> bool:
        """Tell whether a membership type says adult (2025 text, section 2.3)."""
        return any(membership.type.is_adult for membership in self.memberships.all())
