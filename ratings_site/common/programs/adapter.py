# mypy: disallow-subclassing-any=False
"""django-allauth's OpenID Connect with our keys, subjects and claims."""

import logging
from typing import Any, Final, Literal
from uuid import UUID

from allauth.idp.oidc.adapter import DefaultOIDCAdapter
from allauth.idp.oidc.models import Client, PrivateKey
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from django.db import transaction
from django.utils import timezone
from oauthlib.oauth2.rfc6749.errors import InvalidGrantError, InvalidTokenError

from ratings_site.common.accounts.encryption import InvalidToken, decrypt, encrypt
from ratings_site.common.models import ProgramAccess, SigningKey, User
from ratings_site.common.programs.kinds import SCOPES, claims_about, may_sign_in_for

SALT: Final = "common.programs.signing_key"

logger = logging.getLogger(__name__)


class OfficeOIDCAdapter(DefaultOIDCAdapter):
    """Names accounts differently for each site, and tells them about one member."""

    scope_display = SCOPES

    def hash_token(self, token: str) -> str:
        """Hash any text of a header, also what is no valid Unicode."""
        hashed: str = super().hash_token(token.encode(errors="replace").decode())
        return hashed

    def get_user_sub(self, client: Client, user: User) -> str:
        access = ProgramAccess.active(user, client)
        return str(access.subject) if access else ""

    def get_user_by_sub(self, client: Client, sub: str) -> User | None:
        try:
            subject = UUID(sub)
        except ValueError:
            return None
        access = ProgramAccess.objects.filter(
            client=client, subject=subject, revoked_at=None, owner__is_active=True
        ).first()
        return access.owner if access else None

    def get_claims(
        self,
        purpose: Literal["id_token", "userinfo"],
        user: User,
        client: Client,
        scopes: Any,
        email: str | None = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Return what the member consented to; refuse it once a right has ended."""
        access = ProgramAccess.active(user, client)
        if access is None or not may_sign_in_for(user, access.member_id):
            ended = InvalidGrantError if purpose == "id_token" else InvalidTokenError
            raise ended(description="Access was revoked. Sign in again.")
        if access.last_used_on != (today := timezone.now().date()):
            ProgramAccess.objects.filter(pk=access.pk).update(last_used_on=today)
        granted = {*scopes} & {*client.get_scopes()} & {*access.scope_list}
        told = claims_about(access.member_id, [one for one in SCOPES if one in granted])
        return {"sub": str(access.subject), **told}

    def list_private_keys(self, **filters: Any) -> list[PrivateKey]:
        """Return the keys, the newest first; create the first one when it is needed."""
        return _readable_keys() or [_create_key()]


def _readable_keys() -> list[PrivateKey]:
    found = []
    for key in SigningKey.objects.all():
        try:
            pem = decrypt(key.pem, salt=SALT)
        except InvalidToken:
            logger.warning(
                "Signing key %s was encrypted by a key that is gone.", key.pk
            )
            continue
        found.append(PrivateKey(pem=pem, issued_at=key.created_at))
    return found


def _create_key() -> PrivateKey:
    """Create a key; of several processes that do so at once, one succeeds."""
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    newest = SigningKey.objects.first()
    with transaction.atomic():
        SigningKey.objects.get_or_create(
            pk=newest.pk + 1 if newest else 1, defaults={"pem": encrypt(pem, salt=SALT)}
        )
    return _readable_keys()[0]
