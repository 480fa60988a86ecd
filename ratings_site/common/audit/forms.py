"""Narrowing the record of acts."""

from datetime import date

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from ratings_site.common.audit.log import Wanted, kinds_of_subjects

LARGEST_ID = 2**63 - 1


def day_field(label: str) -> forms.DateField:
    """A day that may stay blank, in a form that narrows a list."""
    sentence = _("Write a day such as 2024-05-04, between 1900 and 2999.")
    return forms.DateField(
        label=label,
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        validators=[
            MinValueValidator(date(1900, 1, 1), sentence),
            MaxValueValidator(date(2999, 12, 31), sentence),
        ],
        error_messages={"invalid": sentence},
    )


class AuditFilter(forms.Form):
    """Which entries to show. Everything may stay blank."""

    action = forms.CharField(
        label=_("Action begins with"),
        required=False,
        max_length=60,
        widget=forms.TextInput(attrs={"placeholder": "correction", "size": 16}),
    )
    person = forms.CharField(label=_("Person"), required=False, max_length=80)
    subject_type = forms.ChoiceField(label=_("Kind of record"), required=False)
    subject_id = forms.CharField(
        label=_("Record number"),
        required=False,
        max_length=40,
        widget=forms.TextInput(attrs={"size": 8}),
    )
    subject_name = forms.CharField(
        label=_("Record name contains"), required=False, max_length=80
    )
    reason = forms.CharField(label=_("Reason contains"), required=False, max_length=80)
    since = day_field(_("From"))
    until = day_field(_("Until"))
    own_tasks = forms.BooleanField(
        label=_("The office’s own tasks only"), required=False
    )
    before = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST_ID,
        widget=forms.HiddenInput,
    )

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.fields["subject_type"].choices = [("", _("Any")), *kinds_of_subjects()]

    def wanted(self) -> Wanted:
        """Return what is looked for; a field with a fault is passed over."""
        given = {
            name: value
            for name, value in self.cleaned_data.items()
            if name != "before" and value
        }
        return Wanted(**given)
