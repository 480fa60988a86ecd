"""Who has a permission, and which accounts count as two people for an approval.

A clerk could invite a second mailbox of their own. So an invited account counts as the
one who invited it until another clerk confirms it.
"""

from collections.abc import Iterable
from itertools import islice

from django.db.models import Q
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import action_permissions
from ratings_site.common.models import User

MAX_NAMES = 5
# The authentication backend with groups and permissions.
PERMISSION_BACKEND = "django.contrib.auth.backends.ModelBackend"


def permission_holders(permission: str, *, beside: Iterable[User] = ()) -> list[str]:
    """Return the names of a few staff members who have a permission.

    They count as different people from all accounts in *beside*.
    """
    others = list(beside)
    staff = (
        User.objects.with_perm(permission, backend=PERMISSION_BACKEND)
        .filter(is_staff=True)
        .exclude(pk__in=[one.pk for one in others])
        .select_related("invited_by")
        .order_by("pk")
    )
    able = (
        str(one)
        for one in staff
        if all(are_different_people(one, two) for two in others)
    )
    return list(islice(able, MAX_NAMES))


def find_account(*names: str | None) -> User | None:
    """Return the account with one of these usernames or addresses, ignoring case."""
    wanted = Q()
    for name in filter(None, names):
        wanted |= Q(username__iexact=name) | Q(email__iexact=name)
        wanted |= Q(emailaddress__email__iexact=name)
    return User.objects.filter(wanted).order_by("pk").first() if wanted else None


def denial_reason(user: User, permission: str) -> str:
    """Return why *user* may not do an action and who may, or ""."""
    if user.has_perm(permission):
        return ""
    sentence = _("Your account needs the permission “{name}”.").format(
        name=action_permissions().get(permission, permission)
    )
    return f"{sentence} {permission_holders_text(permission)}"


def permission_holders_text(permission: str) -> str:
    names = permission_holders(permission)
    if not names:
        return _("No account has this permission.")
    return _("Who can do this: {names}.").format(names=", ".join(names))


def are_different_people(one: User, other: User) -> bool:
    return _responsible_account(one) != _responsible_account(other)


def second_approval_denial(actor: User, first: User) -> str:
    """Return why *actor* may not approve what *first* proposed, or ""."""
    if are_different_people(actor, first):
        return ""
    if first.invited_by_id == actor.pk:
        sentence = _(
            "You invited {name}, and no other staff member has confirmed them yet. "
            "Another person has to approve this."
        )
    elif actor.invited_by_id == first.pk:
        sentence = _(
            "{name} invited you, and no other staff member has confirmed you yet. "
            "Another person has to approve this."
        )
    else:
        sentence = _(
            "The same person invited you and {name}, and no other staff member has "
            "confirmed you yet. Another person has to approve this."
        )
    return sentence.format(name=first)


def _responsible_account(user: User) -> int:
    while not user.confirmed_by_id and (inviter := user.invited_by):
        user = inviter
    return user.pk
