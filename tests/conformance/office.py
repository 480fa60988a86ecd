"""An office with the demo's members that the conformance kit needs."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import Group

from events.review.groups import OFFICE
from ratings.ledger.services.rating import enter_openings
from ratings_site.common.models import User
from ratings_site.demo.accounts import open_account
from ratings_site.demo.clubs import make_club
from ratings_site.demo.kit_members import add_kit_members
from ratings_site.demo.members import Register


def open_kit_office() -> User:
    """Create the members, the club, its TD and a clerk; return the TD's account.

    The passwords are those of the demo, in the hash of a real office.
    """
    register = Register()
    td = register.new(state="IL")
    openings = add_kit_members(register)
    register.save()
    make_club(td)
    td.account, staff = open_account("td"), open_account("staff", is_staff=True)
    td.save()
    staff.groups.set(Group.objects.filter(name=OFFICE))
    for account in (td.account, staff):
        password = f"demo-{account.username}"
        account.password = PBKDF2PasswordHasher().encode(password, "salt")
        account.save()
    enter_openings(entries=openings, actor=staff)
    return td.account
