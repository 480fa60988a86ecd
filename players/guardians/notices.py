"""Children's emails from the office go to a guardian instead."""

from collections.abc import Collection
from datetime import date

from django.db.models import Q
from django.utils import timezone

from players.models import Guardian, Player

ADULT_AGE = 18


def is_child(birth_date: date | None, today: date) -> bool:
    """Return whether a person is known to be a child.

    >>> is_child(date(2008, 2, 29), date(2026, 2, 28))
    True
    >>> is_child(date(2008, 2, 29), date(2026, 3, 1)), is_child(None, date.max)
    (False, False)
    """
    return birth_date is not None and not is_of_age(birth_date, today)


def is_of_age(birth_date: date | None, today: date, age: int = ADULT_AGE) -> bool:
    """Return whether a person is known to be at least *age*.

    >>> is_of_age(date(2013, 5, 1), date(2026, 4, 30), 13), is_of_age(None, date.max)
    (False, False)
    """
    if birth_date is None:
        return False
    birthday = (today.year - age, today.month, today.day)
    return (birth_date.year, birth_date.month, birth_date.day) <= birthday


def guardian_addresses(accounts: Collection[int]) -> dict[int, str]:
    """Return the guardian's address for each account of a child (two queries).

    It is blank if none is known: notices never go to a child's own address. If the age
    is unknown, having a guardian's address means that the member is a child.
    """
    today = timezone.localdate()
    guardians = _addresses_by_account(accounts)
    members = Player.objects.filter(account__in_array=accounts)
    born = {
        member.account_id: member.latest_birth_date
        for member in members.only("account_id", "birth_date", "birth_year")
        if member.account_id
    }
    return {
        account: guardians.get(account, "")
        for account, day in born.items()
        if is_child(day, today) or (not day and account in guardians)
    }


def _addresses_by_account(accounts: Collection[int]) -> dict[int, str]:
    """Return the addresses on record, with a duplicate's under the kept record."""
    theirs = Q(player__account__in_array=accounts)
    merged = Q(player__merged_into__account__in_array=accounts)
    rows = Guardian.objects.filter(theirs | merged).order_by("stated_at")
    return {
        own or kept: email
        for own, kept, email in rows.values_list(
            "player__account_id", "player__merged_into__account_id", "email"
        )
    }
