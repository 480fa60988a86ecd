"""Registry of the actions that need a second approval."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from django.conf import settings
from django.utils.translation import gettext as _

from ratings_site.common.models import PendingAct, User


class Refusal(Exception):
    """A service refuses an action; the message is a sentence for the user.

    Functions that do approved actions raise this or a subclass.
    """


def shown_digest(shown: object) -> str:
    """Return a digest of what a page showed, to compare it when the form comes back."""
    return sha256(repr(shown).encode()).hexdigest()[:16]


def changed_meanwhile() -> str:
    """Return the refusal of a form that shows outdated values."""
    return _(
        "This has changed since you opened the page, so nothing was saved. Open the "
        "page again to see the change."
    )


class ApprovalRefused(Refusal):
    """This action cannot be proposed or decided; the message says why."""


@dataclass(frozen=True, slots=True)
class ApprovedAction:
    """An approved action, as passed to the function that does it."""

    payload: dict[str, Any]
    reason: str
    proposed_by: User
    approved_by: User


ActionFunction = TypeVar("ActionFunction", bound=Callable[[ApprovedAction], object])


@dataclass(frozen=True, slots=True)
class _Kind:
    permission: str
    do: Callable[[ApprovedAction], object]
    setting: str = ""
    on_decision: Callable[[PendingAct], None] | None = None

    @property
    def is_needed(self) -> bool:
        return not self.setting or bool(getattr(settings, self.setting))


_kinds: dict[str, _Kind] = {}


def register_approved_action(
    kind: str,
    *,
    permission: str,
    setting: str = "",
    on_decision: Callable[[PendingAct], None] | None = None,
) -> Callable[[ActionFunction], ActionFunction]:
    """Register the function that does an approved action of *kind*.

    Both people need *permission*. The *setting*, if any, tells whether actions of this
    kind need a second approval. With *on_decision*, which tells the decision, it is a
    request: its service says who may make it, and only the office needs *permission*.
    """

    def register(do: ActionFunction) -> ActionFunction:
        _kinds[kind] = _Kind(permission, do, setting, on_decision)
        return do

    return register


def permission_for(kind: str) -> str:
    """Return the permission for a kind; raise ApprovalRefused if it is unknown."""
    return kind_of(kind).permission


def second_approval_permissions() -> set[str]:
    """Return the permissions with an action that needs a second approval."""
    return {kind.permission for kind in _kinds.values() if kind.is_needed}


def kind_of(name: str) -> _Kind:
    try:
        return _kinds[name]
    except KeyError:
        raise ApprovalRefused(
            _("Unknown action: {name!r}.").format(name=name)
        ) from None
