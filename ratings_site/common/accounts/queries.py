"""Who may do an act, and which accounts count as two people, where two have to agree.

Who invites may invite a second mailbox of their own. So an account that came in by an
invitation counts as the one who invited it, until somebody else confirms it.
"""

from collections.abc import Iterable
from itertools import islice

from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import acts
from ratings_site.common.models import User

MOST_NAMED = 5
# Which of the ways to sign in knows groups and permissions.
PERMISSIONS = "django.contrib.auth.backends.ModelBackend"


def who_may(permission: str, *, beside: Iterable[User] = ()) -> list[str]:
    """Name a few of the office who have a permission.

    Where two have to agree, these are second persons *beside* each of the others.
    """
    others = list(beside)
    staff = (
        User.objects.with_perm(permission, backend=PERMISSIONS)
        .filter(is_staff=True)
        .exclude(pk__in=[one.pk for one in others])
        .select_related("invited_by")
        .order_by("pk")
    )
    able = (
        str(one) for one in staff if all(are_two_people(one, two) for two in others)
    )
    return list(islice(able, MOST_NAMED))


def why_not_yours(user: User, permission: str) -> str:
    """Say that *user* may not do an act, and who may; blank if they may."""
    if user.has_perm(permission):
        return ""
    sentence = _("Your account lacks the permission “{name}”.").format(
        name=acts().get(permission, permission)
    )
    return f"{sentence} {who_may_in_words(permission)}"


def who_may_in_words(permission: str) -> str:
    names = who_may(permission)
    if not names:
        return _("At present nobody may do it.")
    return _("Who may do it: {names}.").format(names=", ".join(names))


def are_two_people(one: User, other: User) -> bool:
    return _counts_as(one) != _counts_as(other)


def why_not_second(actor: User, first: User) -> str:
    """Say why *actor* is no second person beside *first*; blank if they are one."""
    if are_two_people(actor, first):
        return ""
    if first.invited_by_id == actor.pk:
        sentence = _(
            "You invited {name}, and nobody else has confirmed them yet: somebody else "
            "has to agree."
        )
    elif actor.invited_by_id == first.pk:
        sentence = _(
            "{name} invited you, and nobody else has confirmed you yet: somebody else "
            "has to agree."
        )
    else:
        sentence = _(
            "You and {name} came in by the same colleague’s invitations, which nobody "
            "else has confirmed yet: somebody else has to agree."
        )
    return sentence.format(name=first)


def _counts_as(user: User) -> int:
    while user.invited_by_id and not user.confirmed_by_id:
        user = user.invited_by
    return user.pk
