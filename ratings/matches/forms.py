"""Two players, before they play a match."""

from datetime import date

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_lazy as _

from ratings.floors.forms import short_text
from ratings.ledger.forms import SystemField
from ratings.matches.queries import FEWEST_GAMES, MOST_GAMES
from ratings_site.common.looks.fields import DayField, MemberIdField, NumberField


class MatchForm(forms.Form):
    """A match that two members think of playing."""

    one = MemberIdField(label=gettext_lazy("Member ID of one player"), max_length=8)
    other = MemberIdField(label=gettext_lazy("Member ID of the other"), max_length=8)
    system = SystemField()
    day = DayField(label=gettext_lazy("Last day of the match"))
    games = NumberField(
        label=gettext_lazy("Games"),
        min_value=FEWEST_GAMES,
        max_value=MOST_GAMES,
        widget=short_text(),
    )

    def clean_day(self) -> date:
        day = self.cleaned_data["day"]
        if day < timezone.localdate():
            raise forms.ValidationError(_("Choose today or a day to come."))
        return day

    def clean(self) -> dict:
        said = super().clean()
        if said.get("one") and said.get("one") == said.get("other"):
            self.add_error("other", _("A match needs two players."))
        return said
