"""The kinds of acts that need a second person, and who does them once approved."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from ratings_site.common.models import User


class Refusal(Exception):
    """A service cannot do what is asked; the message is a sentence for people.

    The functions that do approved acts raise this, or an exception derived from it.
    """


class ActRefused(Refusal):
    """This act cannot be proposed or decided; the message says why."""


@dataclass(frozen=True, slots=True)
class Approved:
    """An act with both its names, as the function that does it sees it."""

    payload: dict[str, Any]
    reason: str
    proposed_by: User
    approved_by: User


@dataclass(frozen=True, slots=True)
class _Kind:
    permission: str
    do: Callable[[Approved], object]


_kinds: dict[str, _Kind] = {}


def second_person(kind: str, *, permission: str) -> Callable:
    """Register the function that does acts of *kind* once they are approved.

    *permission* is what both persons need.
    """

    def register(do: Callable[[Approved], object]) -> Callable[[Approved], object]:
        _kinds[kind] = _Kind(permission, do)
        return do

    return register


def permission_for(kind: str) -> str:
    """Return what both persons need; refuses a kind that no service registered."""
    return kind_of(kind).permission


def needs_second_person() -> set[str]:
    """Return the permissions of which some use waits for a second person."""
    return {kind.permission for kind in _kinds.values()}


def kind_of(name: str) -> _Kind:
    try:
        return _kinds[name]
    except KeyError:
        raise ActRefused(
            _("This office does not know how to do {name!r}.").format(name=name)
        ) from None
