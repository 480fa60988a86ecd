import re
from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import (
    MaxValueValidator,
    MinValueValidator,
    RegexValidator,
)
from django.db import models
from django.db.models import Case, F, Q, Value, When
from django.urls import reverse
from django.utils.functional import lazy
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from players.formats.dates import latest_birth_date
from players.formats.member_ids import MEMBER_ID
from players.models.name_viewer import name_viewer
from ratings_site.common.models.constraints import one_of
from ratings_site.common.names.casing import in_name_case
from ratings_site.common.names.phonetics import phonetic_key, searchable

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

FIDE_ID_PATTERN = r"^[1-9][0-9]{0,9}\Z"

# Models are loaded before everything else that reads member IDs.
try:
    MEMBER_ID.use(settings.MEMBER_ID_PATTERN)
except ValueError as error:
    raise ImproperlyConfigured(f"MEMBER_ID_PATTERN: {error}") from None


def _sentence(eight_digits: "_StrOrPromise") -> str:
    if MEMBER_ID.is_eight_digits:
        return str(eight_digits)
    return gettext("Enter a member ID such as {example}.").format(
        example=MEMBER_ID.example
    )


def mid_year(year: int) -> date:
    return date(year, 7, 1)


def birth_date_for_rating(known: date | None, year: int | None) -> date | None:
    """Return the day from which the age of an unrated player counts."""
    if known is None and year is not None and settings.BIRTH_YEAR_AS_MID_YEAR:
        return mid_year(year)
    return known


# A sentence about eight digits, or one about the IDs of this office.
member_id_sentence: Callable[[Any], Any] = lazy(_sentence, str)


def validate_member_id(text: str) -> None:
    if not MEMBER_ID.whole.fullmatch(text):
        raise ValidationError(
            member_id_sentence(
                _("A member ID has eight digits and does not start with 0.")
            )
        )


fide_id_is_digits = RegexValidator(
    FIDE_ID_PATTERN, _("A FIDE ID has up to ten digits and does not start with 0.")
)

SEARCH_LENGTH = 140

# Replaces a deleted name, before the member ID that history keeps.
FORGOTTEN_NAME = ("Member", "Forgotten")


# The name of a private member in files, which are in English.
PRIVATE_NAME = gettext_noop("Private member")


def private_name() -> str:
    return gettext(PRIVATE_NAME)


class Player(models.Model):
    """A member of the federation, past or present.

    The birth date is used only for the age-based initial rating; it is shown to staff
    only, and never leaves their pages. So is the birth year, if only that is known.
    """

    class Status(models.TextChoices):
        ACTIVE = "active", _("Active")
        INACTIVE = "inactive", _("Inactive")
        DECEASED = "deceased", _("Deceased")
        DUPLICATE = "duplicate", _("Duplicate of another member")
        SUSPENDED = "suspended", _("Suspended")
        REVOKED = "revoked", _("Membership revoked")

    class Gender(models.TextChoices):
        FEMALE = "F", _("Female")
        MALE = "M", _("Male")

    member_id = models.CharField(
        _("member ID"),
        max_length=8,
        unique=True,
        validators=[validate_member_id],
    )
    given_name = models.CharField(max_length=60)
    family_name = models.CharField(max_length=60)
    suffix = models.CharField(max_length=10, blank=True)
    birth_date = models.DateField(null=True, blank=True)
    birth_year = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1900), MaxValueValidator(2100)],
        help_text=_("If the birth date isn’t known."),
    )
    gender = models.CharField(
        max_length=1,
        choices=Gender.choices,
        blank=True,
        help_text=_("Used for women’s rankings. Only staff can see it."),
    )
    state = models.CharField(max_length=2, blank=True)
    residence = models.CharField(
        max_length=3, default="USA", help_text=_("Country of residence, such as USA.")
    )
    federation = models.CharField(
        max_length=3, blank=True, help_text=_("FIDE federation, such as USA.")
    )
    fide_id = models.CharField(  # noqa: DJ001 (unique where known)
        _("FIDE ID"),
        max_length=10,
        null=True,
        blank=True,
        # The unique constraint serves exact lookups, this index prefix lookups.
        db_index=True,
        validators=[fide_id_is_digits],
    )
    status = models.CharField(
        max_length=12, choices=Status.choices, default=Status.ACTIVE
    )
    # Entries and ledger lines stay with the member ID they were made under; code that
    # rates or shows them takes all IDs of a person (same_person_ids).
    merged_into = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="duplicates",
        help_text=_("If this is a duplicate, the record that was kept."),
    )
    account = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="player",
    )
    is_private = models.BooleanField(
        _("private"), default=False, db_default=False, editable=False
    )
    # Public lists sort by this before the name, whose order would tell hidden names.
    private_id = models.GeneratedField(
        expression=Case(When(is_private=True, then="member_id"), default=Value("")),
        output_field=models.CharField(max_length=8),
        db_persist=True,
    )
    search_name = models.CharField(
        max_length=SEARCH_LENGTH, db_index=True, editable=False
    )
    search_given = models.CharField(
        max_length=SEARCH_LENGTH, db_index=True, editable=False
    )
    search_sound = models.CharField(
        max_length=SEARCH_LENGTH, db_index=True, editable=False, db_default=""
    )
    # The family name as one word: obrien, delacruz.
    search_family = models.CharField(
        max_length=SEARCH_LENGTH, db_index=True, editable=False, db_default=""
    )

    class Meta:
        ordering = ["search_name", "member_id"]
        permissions = [
            ("merge_players", _("Can merge two members and undo a merge")),
            ("link_fide_id", _("Can link members to FIDE IDs")),
            ("change_status", _("Can change the status of a member")),
            ("forget_member", _("Can delete a member’s personal data")),
            ("change_privacy", _("Can make members private and end it")),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["fide_id"],
                name="fide_id_belongs_to_one_member",
                violation_error_message=_("Another member has this FIDE ID."),
            ),
            models.CheckConstraint(
                condition=Q(member_id__regex=MEMBER_ID.pattern),
                name="member_id_is_eight_digits",
                violation_error_message=_("A member ID has eight digits."),
            ),
            one_of(
                "status",
                ["active", "inactive", "deceased", "duplicate", "suspended", "revoked"],
                "player_status_is_known",
            ),
            one_of("gender", ["", "F", "M"], "player_gender_is_known"),
            models.CheckConstraint(
                condition=Q(status="duplicate", merged_into__isnull=False)
                | (~Q(status="duplicate") & Q(merged_into__isnull=True)),
                name="duplicate_names_the_member_it_duplicates",
                violation_error_message=_(
                    "To mark a duplicate, merge the two members."
                ),
            ),
            models.CheckConstraint(
                condition=Q(merged_into__isnull=True) | ~Q(merged_into=F("pk")),
                name="nobody_is_merged_into_himself",
            ),
        ]
        indexes = [
            models.Index(
                fields=["state", "private_id", "search_name"],
                name="members_of_a_state",
            ),
            # A covering index for rankings by age, so that they read no rows.
            models.Index(
                fields=["birth_date", "gender"],
                include=["id"],
                name="members_by_birth_date",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.member_id})"

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.set_search_names()
        if self.fide_id == "":
            self.fide_id = None
        super().save(*args, **kwargs)

    def get_absolute_url(self) -> str:
        return reverse("ratings:profile", args=[self.member_id])

    def clean(self) -> None:
        super().clean()
        if self.birth_year not in (None, self.year_of_birth):
            raise ValidationError(
                {"birth_year": _("The birth year doesn’t match the birth date.")}
            )

    @property
    def name(self) -> str:
        """Return the name for display: given name first, never in all capitals.

        A private member has one only for those who may see it (see `name_viewer`).
        """
        return private_name() if self.is_name_hidden else self.full_name

    @property
    def full_name(self) -> str:
        """Return the name also of a private member: not for public pages or files."""
        parts = (self.given_name, self.family_name, self.suffix)
        return in_name_case(" ".join(filter(None, parts)))

    @property
    def is_name_hidden(self) -> bool:
        return self.is_private and not name_viewer().sees(self.pk, self.merged_into_id)

    @property
    def short_name(self) -> str:
        return private_name() if self.is_name_hidden else self.given_name

    @property
    def public_name(self) -> str:
        """Return the name for files and notices that others get."""
        return private_name() if self.is_private else self.full_name

    @property
    def shown_fide_id(self) -> str | None:
        """Return the FIDE ID unless the name is hidden: FIDE's site tells the name."""
        return None if self.is_name_hidden else self.fide_id

    @property
    def is_anonymized(self) -> bool:
        """Return whether the member's name was deleted."""
        return (self.given_name, self.family_name) == FORGOTTEN_NAME

    @property
    def fide_number(self) -> int | None:
        """Return the FIDE ID as a number, or None if it is missing or invalid."""
        if self.fide_id and re.fullmatch(FIDE_ID_PATTERN, self.fide_id):
            return int(self.fide_id)
        return None

    @property
    def year_of_birth(self) -> int | None:
        return self.birth_date.year if self.birth_date else self.birth_year

    @property
    def latest_birth_date(self) -> date | None:
        return latest_birth_date(self.birth_date, self.birth_year)

    @property
    def canonical(self) -> "Player":
        """Return the canonical record of the member: this one unless it is a duplicate.

        A duplicate never points to another duplicate, so one step is enough.
        """
        return self.merged_into or self

    def set_search_names(self) -> None:
        """Set the columns of the search by name (bulk writers call it)."""
        family = searchable(f"{self.family_name} {self.suffix}")
        given = searchable(self.given_name)
        # A ligature becomes three letters here, so a name may get longer.
        self.search_name = f"{family} {given}".strip()[:SEARCH_LENGTH]
        self.search_given = f"{given} {family}".strip()[:SEARCH_LENGTH]
        # A space ends each word's key, because only whole keys match.
        sounds = [f"{phonetic_key(word)} " for word in self.search_name.split()]
        self.search_sound = "".join(sounds)[:SEARCH_LENGTH]
        joined = searchable(self.family_name).replace(" ", "")
        self.search_family = joined[:SEARCH_LENGTH]

    def was_member_on(self, day: date) -> bool:
        return any(
            membership.starts <= day <= membership.expires
            for membership in self.memberships.all()
        )
