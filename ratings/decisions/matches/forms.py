"""The form of the match calculator."""

from datetime import date
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from players.members.forms import MemberIdField
from ratings.decisions.floors.forms import number_field
from ratings.decisions.matches.queries import MAX_GAMES, MIN_GAMES
from ratings.ledger.forms import SystemField
from ratings_site.common.ui.fields import DayField


class MatchForm(forms.Form):
    """A planned match between two members."""

    one = MemberIdField(label=_("First player’s member ID"), max_length=8)
    other = MemberIdField(label=_("Second player’s member ID"), max_length=8)
    system = SystemField()
    day = DayField(label=_("Last day of the match"))
    games = number_field(_("Games"), MIN_GAMES, MAX_GAMES)

    def clean_day(self) -> date:
        day: date = self.cleaned_data["day"]
        if day < timezone.localdate():
            raise forms.ValidationError(_("Choose today or a later date."))
        return day

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("one") and cleaned.get("one") == cleaned.get("other"):
            self.add_error("other", _("Enter two different member IDs."))
        return cleaned
