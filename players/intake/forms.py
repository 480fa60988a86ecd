"""Sending a file of records, and deciding what becomes of it."""

from django import forms
from django.utils.translation import gettext_lazy as _

from players.intake.kinds import kinds
from players.models import Intake
from ratings_site.common.acts.forms import ReasonForm


def _kinds() -> list[tuple[str, str]]:
    return [(kind.name, Intake.Kind(kind.name).label) for kind in kinds()]


class FileForm(forms.Form):
    kind = forms.ChoiceField(label=_("What the file holds"), choices=_kinds)
    file = forms.FileField(
        label=_("CSV file"),
        max_length=200,
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.txt,.tsv"}),
        help_text=_("With a line of headings, in UTF-8. It is kept byte for byte."),
        error_messages={"required": _("Choose the file.")},
    )


class ManyForm(ReasonForm):
    """For what would change more than the setting allows."""

    yes = forms.BooleanField(
        label=_("This is meant: change so many records"),
        error_messages={"required": _("Tick it if so many records are to change.")},
    )
