"""For whom an account speaks."""

from datetime import date

from django.utils import timezone

from players.guardians.notices import is_of_age
from players.models import GuardianAccount, Player
from ratings_site.common.models import User


def children_of(account: User) -> list[Player]:
    """Return the children an account speaks for, until they are of age (one query).

    A record that was merged counts as the one that goes on.
    """
    today = timezone.localdate()
    rows = GuardianAccount.objects.filter(account=account, ended_at=None)
    found = {}
    for row in rows.select_related("player__merged_into"):
        child = row.player.canonical
        if not is_of_age(child.birth_date, today):
            found[child.pk] = child
    return sorted(found.values(), key=lambda child: child.search_name)


def age_class(birth_date: date | None) -> str:
    """Return "under 13", "13 to 17", "of age", or "" where it is not known."""
    today = timezone.localdate()
    if birth_date is None:
        return ""
    if is_of_age(birth_date, today):
        return "of age"
    return "13 to 17" if is_of_age(birth_date, today, 13) else "under 13"
