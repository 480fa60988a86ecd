"""What waits for a second person, and who may do what."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import Group, Permission
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import ngettext_lazy

from ratings_site.common.accounts.permissions import acts
from ratings_site.common.acts.kinds import needs_second_person
from ratings_site.common.desk.queries import (
    Waiting,
    says_what_waits,
    waiting_in,
)
from ratings_site.common.models import PendingAct, User


def waiting_acts() -> QuerySet[PendingAct]:
    """Return the acts that wait for a second person, the oldest first."""
    return (
        PendingAct.objects.filter(status=PendingAct.Status.WAITING)
        .select_related("proposed_by__invited_by")
        .order_by("pk")
    )


def decided_acts() -> QuerySet[PendingAct]:
    """Return the decided acts, the latest decision first."""
    return (
        PendingAct.objects.exclude(status=PendingAct.Status.WAITING)
        .select_related("proposed_by", "decided_by")
        .order_by("-decided_at", "-pk")
    )


@says_what_waits
def _acts_that_wait(now: datetime) -> list[Waiting]:
    return [
        waiting_in(
            PendingAct.objects.filter(status=PendingAct.Status.WAITING),
            since="proposed_at",
            what=ngettext_lazy("act for a second person", "acts for a second person"),
            url=reverse("office:approvals"),
            now=now,
        )
    ]


@dataclass(frozen=True, slots=True)
class ActLine:
    """One act: which groups may do it, and who may besides."""

    permission: str
    name: str
    needs_two: bool
    groups: tuple[bool, ...]
    people: tuple[User, ...]


@dataclass(frozen=True, slots=True)
class PersonLine:
    """One account that may do more than read public pages."""

    user: User
    groups: tuple[str, ...]
    own: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WhoMayDoWhat:
    groups: tuple[Group, ...]
    acts: tuple[ActLine, ...]
    people: tuple[PersonLine, ...]


def who_may_do_what() -> WhoMayDoWhat:
    """Return the acts, the groups and the people, in five queries."""
    names = acts()
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
    needs_two = needs_second_person()
    lines = tuple(
        ActLine(
            permission=permission,
            name=name.removeprefix("Can "),
            needs_two=permission in needs_two,
            groups=tuple(permission in names_given for names_given in given),
            people=tuple(one for one in people if permission in own[one.pk]),
        )
        for permission, name in sorted(names.items())
    )
    return WhoMayDoWhat(
        groups=tuple(groups),
        acts=lines,
        people=tuple(
            PersonLine(
                user=one,
                groups=tuple(sorted(group.name for group in one.groups.all())),
                own=tuple(sorted(_in_words(one.user_permissions.all(), names))),
            )
            for one in people
        ),
    )


def _names_of(permissions: Iterable[Permission]) -> set[str]:
    return {_name_of(permission) for permission in permissions}


def _name_of(permission: Permission) -> str:
    return f"{permission.content_type.app_label}.{permission.codename}"


def _in_words(
    permissions: Iterable[Permission], acts_named: Mapping[str, str]
) -> set[str]:
    return {acts_named.get(_name_of(one), one.name) for one in permissions}
