"""The programs of an account, and the account of an access token."""

import re
from urllib.parse import urlsplit

from allauth.idp.oidc.internal.clientkit import is_loopback
from allauth.idp.oidc.models import Token
from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from ratings_site.common.models import ProgramAccess, User
from ratings_site.common.sign_in.queries import lacks_second_factor


def active_programs(owner: User) -> QuerySet[ProgramAccess]:
    """Return the programs with access, the newest first."""
    return owner.programs.filter(revoked_at=None).select_related("client")


def find_access(text: str) -> ProgramAccess | None:
    """Return the access of an access token, limited to the token's scopes.

    None if it is expired or revoked, or if the account is inactive or has to set up a
    second factor first.
    """
    tokens = Token.objects.select_related("client")
    token = tokens.lookup(Token.Type.ACCESS_TOKEN, text)
    if token is None or token.user_id is None or token.client is None:
        return None
    access = ProgramAccess.active(token.user_id, token.client)
    if access is None or not access.owner.is_active:
        return None
    if settings.REQUIRE_SECOND_FACTOR and lacks_second_factor(access.owner):
        return None
    granted = {*token.get_scopes()} & {*token.client.get_scopes()}
    granted &= {*access.scope_list}
    access.scopes = " ".join(sorted(granted))
    return access


def redirect_fault(uri: str) -> str:
    """Return what is wrong with a redirect address, or ""."""
    try:
        parts = urlsplit(uri)
        is_plain = parts.username is None and (parts.port or 1) and "*" not in uri
    except ValueError:
        return _("This is not an address.")
    if parts.fragment or not is_plain:
        return _("Leave out “#”, “*”, and names before “@”.")
    if parts.scheme == "https" and parts.hostname:
        return ""
    if is_loopback(parts):
        return ""
    # A program's own scheme is a domain in reverse (RFC 8252), such as org.example.
    if re.fullmatch(r"[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+", parts.scheme):
        return ""
    return _(
        "Use https://, or http://127.0.0.1 for a program on the person’s computer."
    )
