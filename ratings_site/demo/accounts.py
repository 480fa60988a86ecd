"""The accounts of the demo federation, which ``make run`` prints."""

from typing import NamedTuple

from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group
from django.utils import timezone

from events.office.groups import DIRECTOR, MANAGER, OFFICE
from players.models import Player
from ratings_site.common.models import Notice, User
from ratings_site.common.notices.services import MAIL, count_unread, kinds, switch

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
        "manager",
        "demo-manager",
        "",
        "ratings manager, a second person",
        (OFFICE, MANAGER),
    ),
    DemoAccount(
        "director", "demo-director", "", "Executive Director", (OFFICE, DIRECTOR)
    ),
    DemoAccount("td", "demo-td", "12000001", "tournament director"),
    DemoAccount("member", "demo-member", "12000002", "member"),
    DemoAccount("admin", "demo-admin", "", "superuser"),
)


def make_accounts() -> None:
    """Open the accounts, each in its groups and with its member, if one is there."""
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


def open_account(username: str, **fields) -> User:
    """Open an account; without a password nobody can sign in to it."""
    user = User.objects.create_user(username, email=f"{username}@example.org", **fields)
    EmailAddress.objects.create(
        user=user, email=user.email, verified=True, primary=True
    )
    # Nobody reads what is sent to example.org; it would only fill the log.
    switch(user.pk, {(kind.name, MAIL): False for kind in kinds()})
    return user


def read_old_notices() -> None:
    """Leave each account the newest few notices unread, as somebody would who looks."""
    for user in User.objects.all():
        newest = user.notices.values_list("pk", flat=True)[:UNREAD]
        old = Notice.objects.filter(account=user).exclude(pk__in=list(newest))
        old.update(read_at=timezone.now())
    count_unread(User.objects.values_list("pk", flat=True))
