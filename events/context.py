"""What every page needs to know about who is looking."""

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from events.access import is_office, official_of


def office(request: HttpRequest) -> dict:
    """Say which parts of the site to offer. Costs queries only where a page asks."""
    return {"office": SimpleLazyObject(lambda: _office(request))}


def _office(request: HttpRequest) -> dict:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"is_staff_member": False, "is_td": False, "player_url": ""}
    player = getattr(user, "player", None)
    return {
        "is_staff_member": is_office(user),
        "is_td": official_of(user) is not None,
        "player_url": player.get_absolute_url() if player else "",
    }
