"""The form for a new member in a report."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.checks.queries.member_records import EntryKey
from events.newcomers.queries import PlayerRow, names_in
from events.newcomers.services import NewcomerDetails
from events.reports.forms.edits import EditForm
from ratings_site.common.ui.fields import DAY_FORMATS, NumberField, StateField

EARLIEST_YEAR = 1900


class BirthDateField(forms.DateField):
    """A plausible birth date of a player."""

    widget = forms.DateInput(
        format="%Y-%m-%d", attrs={"type": "date", "autocomplete": "off"}
    )
    input_formats = DAY_FORMATS

    def __init__(self, **kwargs: Any) -> None:
        invalid = _("Enter a date such as 5/4/2016.")
        super().__init__(error_messages={"invalid": invalid}, **kwargs)


class NewMemberForm(EditForm):
    given_name = forms.CharField(label=_("Given name"), max_length=60)
    family_name = forms.CharField(label=_("Family name"), max_length=60)
    birth_date = BirthDateField(
        label=_("Birth date"),
        required=False,
        help_text=_(
            "Only you and the office can see it. The first rating depends on age."
        ),
    )
    birth_year = NumberField(
        label=_("Or birth year"),
        required=False,
        help_text=_("Use this if you don’t know the full date."),
        widget=forms.NumberInput(attrs={"class": "short", "autocomplete": "off"}),
    )
    state = StateField(label=_("State"))
    email = forms.EmailField(
        label=_("Email of the member, parent, or guardian"),
        required=False,
        help_text=_(
            "For a child, enter the parent’s or guardian’s. Only the office uses it."
        ),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    reason = forms.CharField(
        label=_("Why this is a different person"),
        required=False,
        max_length=500,
        help_text=_("Needed only if a member has exactly the same name."),
    )

    def __init__(self, *args: Any, event_day: date, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.event_day = event_day

    def clean_birth_date(self) -> date | None:
        day: date | None = self.cleaned_data["birth_date"]
        if day is not None and not day.year >= EARLIEST_YEAR:
            raise ValidationError(self._too_early())
        if day is not None and day >= self.event_day:
            raise ValidationError(gettext("The birth date must be before the event."))
        return day

    def clean_birth_year(self) -> int | None:
        year: int | None = self.cleaned_data["birth_year"]
        if year is not None and year < EARLIEST_YEAR:
            raise ValidationError(self._too_early())
        if year is not None and year > self.event_day.year:
            raise ValidationError(gettext("The birth date must be before the event."))
        return year

    def _too_early(self) -> str:
        return gettext("Enter a birth year of {year} or later.").format(
            year=EARLIEST_YEAR
        )

    def clean(self) -> dict[str, Any]:
        said = super().clean() or self.cleaned_data
        given = [name for name in ("birth_date", "birth_year") if said.get(name)]
        if not given and not self.errors:
            self.add_error(
                "birth_date",
                gettext("Enter the birth date, or at least the birth year."),
            )
        if said.get("birth_date") and said.get("birth_year"):
            said["birth_year"] = None  # the date includes it
        return said

    def details(self) -> NewcomerDetails:
        said = self.cleaned_data
        return NewcomerDetails(
            **{name: said[name] for name in NewcomerDetails.__slots__}
        )


NEW = "new"


class PlayersForm(EditForm):
    """A member, or a birth date or year for a new member, for each of many players."""

    def __init__(
        self, *args: Any, rows: Sequence[PlayerRow], event_day: date, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.rows, self.event_day = rows, event_day
        self.members: dict[EntryKey, str] = {}
        self.newcomers: dict[EntryKey, tuple[NewcomerDetails, str]] = {}
        if self.is_bound:
            for row in rows:
                for name in ("choice", "birth", "reason"):
                    typed = self.data.get(f"{name}-{row.key}", "").strip()[:500]
                    setattr(row, name, typed)

    def clean(self) -> dict[str, Any]:
        for row in self.rows:
            if row.choice == NEW or (row.birth and not row.choice):
                row.error = self._read_newcomer(row)
            elif row.birth:
                row.error = gettext("Choose “New member”, or clear the birth date.")
            elif row.choice in {member.member_id for member in row.likely}:
                self.members[row.entry_key] = row.choice
            elif row.choice:
                row.error = gettext("Choose one of the members shown.")
            if row.error:
                self.add_error(None, f"{row.entry.name}: {row.error}")
        return self.cleaned_data

    def _read_newcomer(self, row: PlayerRow) -> str:
        """Add the new member of a row, or return what is wrong."""
        given, family = names_in(row.entry.name)
        is_year = row.birth.isdecimal()
        form = NewMemberForm(
            {
                "version": "0",
                "given_name": given,
                "family_name": family,
                "birth_year" if is_year else "birth_date": row.birth,
                "state": row.entry.state,
                "reason": row.reason,
            },
            event_day=self.event_day,
        )
        if not form.is_valid():
            return str(next(iter(form.errors.values()))[0])
        if row.has_namesake and not row.reason:
            return gettext("Explain why this is not the member with the same name.")
        self.newcomers[row.entry_key] = (form.details(), row.reason)
        return ""
