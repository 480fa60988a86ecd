"""What an office that has just opened does next, where a page has nothing to show."""

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
    """Return what comes next until the first event; only empty pages ask."""
    intakes, action = reverse("players_office:intakes"), _("To the files")
    if not Player.objects.exists():
        return Step(
            _("This office is empty. The members come first, from a file."),
            intakes,
            action,
        )
    if not Affiliate.objects.exists():
        return Step(
            _("The members are here. The affiliates come next, from a file."),
            intakes,
            action,
        )
    if not Official.objects.exists():
        return Step(
            _("Members and affiliates are here. The tournament directors come next."),
            intakes,
            action,
        )
    if not Event.objects.exists():
        return Step(
            _("No report has been accepted yet. Directors with an account send them."),
            reverse("players_office:invite_list"),
            _("Invite the directors"),
        )
    return None


@register.simple_tag
def has_members() -> bool:
    return Player.objects.exists()
