"""The forms of registered events and of messages on a report."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.forms.models import model_to_dict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.access import officials_by_id
from events.calendar.services import Plan, PlannedSection
from events.formats.places import with_parsed_place_fields
from events.models import Affiliate, EventRegistration
from events.reports.forms.edits import DatedForm
from players.members.forms import MemberIdField
from players.models import Player
from ratings_site.common.approvals.forms import ReasonField
from ratings_site.common.ui.fields import DayField, NumberField, StateField

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise


MAX_SECTIONS = 40
LONGEST_SECTION = 60


def reason_field(label: "_StrOrPromise") -> ReasonField:
    """Return a field for a reason that is shown in the public calendar."""
    return ReasonField(
        label=label,
        help_text=_("This is shown in the public calendar."),
        missing=_("Enter a reason. It is shown in the public calendar."),
    )


class RegistrationForm(DatedForm):
    """The facts of a planned event."""

    name = forms.CharField(label=_("Event name"), max_length=80)
    starts = DayField(label=_("First day"))
    ends = DayField(label=_("Last day"))
    affiliate = forms.CharField(
        label=_("Affiliate ID"),
        max_length=8,
        widget=forms.TextInput(attrs={"class": "short"}),
        help_text=_("The club or organizer’s ID, such as A6000001."),
    )
    chief = MemberIdField(label=_("Chief TD’s member ID"))
    city = forms.CharField(label=_("City"), required=False, max_length=40)
    state = StateField(label=_("State"), required=False)
    is_online = forms.BooleanField(label=_("Played online"), required=False)
    sections = forms.CharField(
        label=_("Planned sections"),
        required=False,
        max_length=MAX_SECTIONS * 2 * LONGEST_SECTION,
        widget=forms.Textarea(attrs={"rows": 4, "placeholder": _("Open, G/90;+30")}),
        help_text=_("One per line: name, comma, time control. Such as: Open, G/90;+30"),
    )
    website = forms.URLField(
        label=_("Website"),
        required=False,
        max_length=200,
        assume_scheme="https",
        validators=[URLValidator(schemes=["http", "https"])],
        error_messages={
            "invalid": _("Enter a web address such as https://club.example.")
        },
    )

    @classmethod
    def present(cls, registered: EventRegistration) -> dict[str, Any]:
        """Return the initial values of the form for a registered event."""
        lines = [
            ", ".join(part for part in (section.name, section.time_control) if part)
            for section in registered.sections.all()
        ]
        return {
            **model_to_dict(registered, cls.base_fields.keys()),
            "affiliate": registered.affiliate.affiliate_id,
            "chief": registered.chief.member_id,
            "sections": "\n".join(lines),
        }

    def clean_affiliate(self) -> Affiliate:
        affiliate_id = self.cleaned_data["affiliate"].upper()
        affiliate = Affiliate.objects.filter(affiliate_id=affiliate_id).first()
        if affiliate is None:
            raise ValidationError(gettext("No affiliate has this ID."))
        return affiliate

    def clean_chief(self) -> Player:
        member_id = self.cleaned_data["chief"]
        chief = Player.objects.filter(member_id=member_id).first()
        if chief is None or not officials_by_id([member_id]):
            raise ValidationError(gettext("No tournament director has this member ID."))
        return chief

    def clean_sections(self) -> list[PlannedSection]:
        lines = [
            line for line in self.cleaned_data["sections"].splitlines() if line.strip()
        ]
        if len(lines) > MAX_SECTIONS:
            raise ValidationError(
                gettext("Enter up to {number} sections.").format(number=MAX_SECTIONS)
            )
        return [_planned(line) for line in lines]

    def clean(self) -> dict[str, Any]:
        return with_parsed_place_fields(super().clean())

    def plan(self) -> Plan:
        return Plan(**{one.name: self.cleaned_data[one.name] for one in fields(Plan)})


def _planned(line: str) -> PlannedSection:
    name, _comma, control = (part.strip() for part in line.partition(","))
    if not name:
        raise ValidationError(gettext("A section needs a name before the comma."))
    if max(len(name), len(control)) > LONGEST_SECTION:
        raise ValidationError(
            gettext(
                "“{start}…” is too long. Shorten the section’s name or time control."
            ).format(start=line[:20])
        )
    return PlannedSection(name, control)


class ChangeForm(RegistrationForm):
    """A change to a planned event, with the reason and the changes that were shown."""

    changes = NumberField(required=False, widget=forms.HiddenInput)
    reason = reason_field(_("Reason for the change"))


class CancelForm(forms.Form):
    reason = reason_field(_("Reason for canceling"))


class LinkReportForm(forms.Form):
    """The registered event that a report belongs to; 0 for none."""

    registration = forms.IntegerField(
        min_value=0, max_value=2**31 - 1, widget=forms.HiddenInput
    )
