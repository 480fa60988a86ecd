"""The scopes a program can ask for, and what upper apps contribute to them."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from django.core.exceptions import PermissionDenied
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models import ApiKey, ProgramAccess, User

REPORT_DRAFT: Final = "report:draft"
REPORT_SUBMIT: Final = "report:submit"
MEMBERS_READ: Final = "members:read"
OPENID: Final = "openid"

# Scopes of the API, in words.
API_SCOPES: Final[Mapping[str, Promise]] = {
    REPORT_DRAFT: _("Check rating reports, and save them as your drafts"),
    REPORT_SUBMIT: _("Submit your rating reports to the office"),
    MEMBERS_READ: _("Look up members and published ratings"),
}
# What another site learns about a member. *openid* alone is only a name for this site.
SIGN_IN_SCOPES: Final[Mapping[str, Promise]] = {
    OPENID: _("Recognize you when you sign in again"),
    "name": _("Name"),
    "member_id": _("Member ID"),
    "ratings": _("Official ratings"),
    "membership": _("When the membership ends"),
    "td_level": _("TD certification level"),
}
SCOPES: Final[Mapping[str, Promise]] = {**API_SCOPES, **SIGN_IN_SCOPES}


def scope_labels(scopes: list[str]) -> list[Promise]:
    """Return scopes in words, in a fixed order."""
    return [label for scope, label in SCOPES.items() if scope in scopes]


class ScopeMissing(PermissionDenied):
    """The access token lacks *scope*."""

    def __init__(self, scope: str) -> None:
        super().__init__(
            f"The access token lacks the scope “{scope}”. Sign in again and ask for it."
        )
        self.scope = scope


def require_scope(key: ApiKey | ProgramAccess, scope: str) -> None:
    """Raise ScopeMissing unless an access token has the scope."""
    if isinstance(key, ProgramAccess) and not key.allows(scope):
        raise ScopeMissing(scope)


class MemberChoice(NamedTuple):
    """A member an account may sign in for; *denial* says why not."""

    member_id: str
    name: str
    denial: str = ""
    # Of duplicates that were merged into it.
    earlier_ids: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        return (self.member_id, *self.earlier_ids)


MemberChoices = Callable[[User], list[MemberChoice]]
Claims = Callable[[str], dict[str, Any]]

_claims: dict[str, Claims] = {}
_choices: list[MemberChoices] = []


def register_claims(scope: str, claims: Claims) -> None:
    """Register what a scope tells about the member with an ID."""
    _claims[scope] = claims


def bind_member_choices(choices: MemberChoices) -> None:
    """Bind the function that returns the members an account may sign in for."""
    _choices[:] = [choices]


def member_choices(account: User) -> list[MemberChoice]:
    return [choice for choices in _choices for choice in choices(account)]


def may_sign_in_for(account: User, member_id: str) -> bool:
    """Return whether an account may still sign in for a member, or for none."""
    return not member_id or bool(ids_to_sign_in_for(account, member_id))


def ids_to_sign_in_for(account: User, member_id: str) -> tuple[str, ...]:
    """Return all IDs of a member an account may sign in for, merged ones too."""
    for choice in member_choices(account):
        if member_id in choice.ids and not choice.denial:
            return choice.ids
    return ()


def claims_about(member_id: str, scopes: list[str]) -> dict[str, Any]:
    """Return the claims of the granted scopes about a member."""
    found: dict[str, Any] = {}
    for scope in scopes:
        if member_id and scope in _claims:
            found |= _claims[scope](member_id)
    return found
