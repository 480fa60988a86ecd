"""Whose e-mails about the office go to somebody else: children's, to a guardian."""

from collections.abc import Collection
from datetime import date

from django.db.models import Q
from django.utils import timezone

from players.models import Guardian, Player

OF_AGE = 18


def is_child(birth_date: date | None, today: date) -> bool:
    """Tell whether somebody is known to be a child.

    >>> is_child(date(2008, 2, 29), date(2026, 2, 28))
    True
    >>> is_child(date(2008, 2, 29), date(2026, 3, 1)), is_child(None, date.max)
    (False, False)
    """
    return birth_date is not None and not is_of_age(birth_date, today)


def is_of_age(birth_date: date | None, today: date, age: int = OF_AGE) -> bool:
    """Tell whether somebody is known to be of *age*.

    >>> is_of_age(date(2013, 5, 1), date(2026, 4, 30), 13), is_of_age(None, date.max)
    (False, False)
    """
    if birth_date is None:
        return False
    birthday = (today.year - age, today.month, today.day)
    return (birth_date.year, birth_date.month, birth_date.day) <= birthday


def guardians_instead(accounts: Collection[int]) -> dict[int, str]:
    """Return the guardian's address for each account of a child (two queries).

    It is blank where none is known: a child's own address is never written to. Of
    somebody whose age is not known, a guardian's address says that it is a child.
    """
    today = timezone.localdate()
    guardians = _guardians(accounts)
    members = Player.objects.filter(account__among=accounts)
    return {
        account: guardians.get(account, "")
        for account, birth_date in members.values_list("account_id", "birth_date")
        if is_child(birth_date, today) or (not birth_date and account in guardians)
    }


def _guardians(accounts: Collection[int]) -> dict[int, str]:
    """Return the addresses stated; one under a merged number counts for the kept."""
    theirs = Q(player__account__among=accounts)
    merged = Q(player__merged_into__account__among=accounts)
    rows = Guardian.objects.filter(theirs | merged).order_by("stated_at")
    return {
        own or kept: email
        for own, kept, email in rows.values_list(
            "player__account_id", "player__merged_into__account_id", "email"
        )
    }
