"""Pending approvals and the permission matrix."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import Group, Permission
from django.db.models import Q, QuerySet
from django.utils.translation import ngettext_lazy

from ratings_site.common.accounts.permissions import action_permissions
from ratings_site.common.approvals.kinds import second_approval_permissions
from ratings_site.common.dashboard.queries import register_count
from ratings_site.common.models import PendingAct, User


def pending_approvals() -> QuerySet[PendingAct]:
    """Return the pending approvals, the oldest first."""
    waiting = PendingAct.objects.open().select_related("proposed_by__invited_by")
    return waiting.order_by("pk")


def decided_approvals() -> QuerySet[PendingAct]:
    """Return the decided approvals, the latest decision first."""
    return PendingAct.objects.decided().select_related("proposed_by", "decided_by")


register_count(
    pending_approvals,
    order=70,
    what=ngettext_lazy(
        "action awaiting second approval", "actions awaiting second approval"
    ),
    page="office:approvals",
    at="#waiting",
    since="proposed_at",
)


def permission_matrix() -> dict[str, Any]:
    """Return permissions, groups and accounts, in five queries."""
    names = action_permissions()
    groups = list(
        Group.objects.prefetch_related("permissions__content_type").order_by("name")
    )
    given = [_names_of(group.permissions.all()) for group in groups]
    people = list(
        User.objects.filter(is_active=True)
        .filter(
            Q(is_staff=True)
            | Q(groups__isnull=False)
            | Q(user_permissions__isnull=False)
        )
        .distinct()
        .prefetch_related("groups", "user_permissions__content_type")
        .order_by("username")
    )
    own = {person.pk: _names_of(person.user_permissions.all()) for person in people}
    needs_two = second_approval_permissions()
    lines = [
        {
            "permission": permission,
            "name": name.removeprefix("Can "),
            "needs_two": permission in needs_two,
            "groups": [permission in names_given for names_given in given],
            "people": [one for one in people if permission in own[one.pk]],
        }
        for permission, name in sorted(names.items())
    ]
    accounts = [
        {
            "user": one,
            "groups": sorted(group.name for group in one.groups.all()),
            "own": sorted(_in_words(one.user_permissions.all(), names)),
        }
        for one in people
    ]
    return {"groups": groups, "action_permissions": lines, "people": accounts}


def _names_of(permissions: Iterable[Permission]) -> set[str]:
    return {_name_of(permission) for permission in permissions}


def _name_of(permission: Permission) -> str:
    return f"{permission.content_type.app_label}.{permission.codename}"


def _in_words(permissions: Iterable[Permission], names: Mapping[str, str]) -> set[str]:
    return {names.get(_name_of(one), one.name) for one in permissions}
