"""The forms of registered events and of messages on a report."""

from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.calendar.services import Plan, PlannedSection
from events.models import Affiliate, EventRegistration
from players.models import Player
from ratings_site.common.acts.forms import LONGEST_REASON
from ratings_site.common.looks.fields import DayField, MemberIdField, StateField

MOST_SECTIONS = 40
LONGEST_SECTION = 60


def reason_field(label: str) -> forms.CharField:
    """A reason that everybody reads in the calendar."""
    return forms.CharField(
        label=label,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("Everybody reads it in the calendar."),
        error_messages={
            "required": gettext_lazy("Say why; everybody reads it in the calendar.")
        },
    )


class RegistrationForm(forms.Form):
    """What an event is going to be."""

    name = forms.CharField(label=gettext_lazy("Name of the event"), max_length=80)
    starts = DayField(label=gettext_lazy("First day"))
    ends = DayField(label=gettext_lazy("Last day"))
    affiliate = forms.CharField(
        label=gettext_lazy("Affiliate ID"),
        max_length=8,
        widget=forms.TextInput(attrs={"class": "short"}),
        help_text=gettext_lazy("The club or organizer, such as A6000001."),
    )
    chief = MemberIdField(
        label=gettext_lazy("Chief TD’s member ID"),
    )
    city = forms.CharField(label=gettext_lazy("City"), required=False, max_length=40)
    state = StateField(label=gettext_lazy("State"), required=False)
    is_online = forms.BooleanField(label=gettext_lazy("Played online"), required=False)
    sections = forms.CharField(
        label=gettext_lazy("Sections planned"),
        required=False,
        max_length=MOST_SECTIONS * 2 * LONGEST_SECTION,
        widget=forms.Textarea(
            attrs={"rows": 4, "placeholder": gettext_lazy("Open, G/90;+30")}
        ),
        help_text=gettext_lazy(
            "One a line: the name, a comma, the time control. Such as: Open, G/90;+30"
        ),
    )
    website = forms.URLField(
        label=gettext_lazy("Website"),
        required=False,
        max_length=200,
        assume_scheme="https",
        validators=[URLValidator(schemes=["http", "https"])],
        error_messages={
            "invalid": gettext_lazy("Enter an address such as https://club.example.")
        },
    )

    @classmethod
    def present(cls, registered: EventRegistration) -> dict[str, Any]:
        """Return what stands in the form for a registered event."""
        lines = [
            ", ".join(part for part in (section.name, section.time_control) if part)
            for section in registered.sections.all()
        ]
        return {
            "name": registered.name,
            "starts": registered.starts,
            "ends": registered.ends,
            "affiliate": registered.affiliate.affiliate_id,
            "chief": registered.chief.member_id,
            "city": registered.city,
            "state": registered.state,
            "is_online": registered.is_online,
            "sections": "\n".join(lines),
            "website": registered.website,
        }

    def clean_affiliate(self) -> Affiliate:
        affiliate_id = self.cleaned_data["affiliate"].upper()
        affiliate = Affiliate.objects.filter(affiliate_id=affiliate_id).first()
        if affiliate is None:
            raise ValidationError(_("No affiliate has this ID."))
        return affiliate

    def clean_chief(self) -> Player:
        chief = Player.objects.filter(
            member_id=self.cleaned_data["chief"], official__isnull=False
        ).first()
        if chief is None:
            raise ValidationError(_("No tournament director has this member ID."))
        return chief

    def clean_sections(self) -> list[PlannedSection]:
        lines = [
            line for line in self.cleaned_data["sections"].splitlines() if line.strip()
        ]
        if len(lines) > MOST_SECTIONS:
            raise ValidationError(
                _("Name {number} sections at most.").format(number=MOST_SECTIONS)
            )
        return [_planned(line) for line in lines]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        starts, ends = cleaned.get("starts"), cleaned.get("ends")
        if isinstance(starts, date) and isinstance(ends, date) and ends < starts:
            self.add_error("ends", _("An event cannot end before it starts."))
        return cleaned

    def plan(self) -> Plan:
        said = dict(self.cleaned_data)
        said.pop("reason", None)
        return Plan(**said)


def _planned(line: str) -> PlannedSection:
    name, _comma, control = (part.strip() for part in line.partition(","))
    if not name:
        raise ValidationError(_("A section needs a name before the comma."))
    if max(len(name), len(control)) > LONGEST_SECTION:
        raise ValidationError(
            _("“{start}…” is too long for a section.").format(start=line[:20])
        )
    return PlannedSection(name, control)


class ChangeForm(RegistrationForm):
    """A change of what is planned, with the reason."""

    reason = reason_field(gettext_lazy("Why it changes"))


class CancelForm(forms.Form):
    reason = reason_field(gettext_lazy("Why it is not played"))


class TieForm(forms.Form):
    """Which registered event a report is of; 0 for none of them."""

    registration = forms.IntegerField(
        min_value=0, max_value=2**31 - 1, widget=forms.HiddenInput
    )
