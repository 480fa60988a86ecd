"""The accounts of the demo federation, which ``make run`` prints."""

from typing import Any, NamedTuple

from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group
from django.utils import timezone

from events.review.groups import DIRECTOR, MANAGER, OFFICE
from players.models import Player
from ratings_site.common.models import Notice, User
from ratings_site.common.notices.services import (
    MAIL,
    count_unread,
    kinds,
    save_preferences,
)

UNREAD = 3


class DemoAccount(NamedTuple):
    username: str
    password: str
    member_id: str
    what: str
    groups: tuple[str, ...] = ()


DEMO_ACCOUNTS = (
    DemoAccount("staff", "demo-staff", "", "ratings-office staff", (OFFICE,)),
    DemoAccount(
        "manager", "demo-manager", "", "second ratings manager", (OFFICE, MANAGER)
    ),
    DemoAccount(
        "director", "demo-director", "", "Executive Director", (OFFICE, DIRECTOR)
    ),
    DemoAccount("td", "demo-td", "12000001", "tournament director"),
    DemoAccount("member", "demo-member", "12000002", "member"),
    DemoAccount("admin", "demo-admin", "", "superuser"),
)


def make_accounts() -> None:
    """Create the accounts with their groups and members."""
    for account in DEMO_ACCOUNTS:
        user = open_account(
            account.username,
            password=account.password,
            is_staff=bool(account.groups) or account.username == "admin",
            is_superuser=account.username == "admin",
        )
        user.groups.set(Group.objects.filter(name__in=account.groups))
        if account.member_id:
            Player.objects.filter(member_id=account.member_id).update(account=user)


def open_account(username: str, **fields: Any) -> User:
    """Create an account; without a password it cannot be signed in to."""
    user = User.objects.create_user(username, email=f"{username}@example.org", **fields)
    EmailAddress.objects.create(
        user=user, email=user.email, verified=True, primary=True
    )
    # Emails to example.org would only fill the log.
    save_preferences(user.pk, {(kind.name, MAIL): False for kind in kinds()})
    return user


def read_old_notices() -> None:
    """Mark all notices of each account as read except the newest few."""
    for user in User.objects.all():
        newest = user.notices.values_list("pk", flat=True)[:UNREAD]
        old = Notice.objects.filter(account=user).exclude(pk__in=list(newest))
        old.update(read_at=timezone.now())
    count_unread(User.objects.values_list("pk", flat=True))
