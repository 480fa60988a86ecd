"""The next setup step of a new office, for empty pages."""

from typing import NamedTuple

from django import template
from django.urls import reverse
from django.utils.translation import gettext as _

from events.models import Affiliate, Event, Official
from players.models import Player

register = template.Library()


class Step(NamedTuple):
    sentence: str
    url: str
    action: str


@register.simple_tag
def next_step() -> Step | None:
    """Return the next step until the first event; only empty pages call it."""
    imports = (
        (Player, _("There are no members yet. Import the members first.")),
        (Affiliate, _("Members are imported. Import the affiliates next.")),
        (
            Official,
            _(
                "Members and affiliates are imported. Import the tournament "
                "directors next."
            ),
        ),
    )
    for model, sentence in imports:
        if not model._default_manager.exists():
            return Step(sentence, reverse("players_office:intakes"), _("Import files"))
    if not Event.objects.exists():
        return Step(
            _("No report has been accepted yet. TDs with an account can send reports."),
            reverse("players_office:invite_list"),
            _("Invite TDs"),
        )
    return None


@register.simple_tag
def has_members() -> bool:
    return Player.objects.exists()
