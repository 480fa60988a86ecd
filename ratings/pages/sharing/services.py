"""Sign rating statements, and change the key that signs them."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings.models import SigningKey
from ratings.pages.sharing.queries import (
    ALGORITHM,
    JWS,
    SharedRating,
    encoded,
    link_id,
    title_of,
)
from ratings_site.common.accounts.encryption import InvalidToken, decrypt, encrypt
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record

SALT = "ratings.signing_key"


def sign_statement(shared: SharedRating, token: str) -> str:
    """Return a JWS (RFC 7515) of the shared rating, signed with Ed25519 (RFC 8037).

    It has what the page of the share link shows, the member's title, and today.
    """
    row = shared.row
    if row is None:
        raise Refusal(_("The member is not on the newest list."))
    key, private = _signing_key()
    facts = {
        "member": shared.player.member_id,
        "name": shared.player.name,
        "system": row.system,
        "rating": row.rating,
        "about": row.is_about,
        "title": title_of(shared.player),
        "list": shared.official_list.key,
        "issued": timezone.localdate().isoformat(),
        "link": link_id(token),
    }
    stated = {name: value for name, value in facts.items() if value not in ("", False)}
    content = json.dumps(stated, ensure_ascii=False, separators=(",", ":"))
    head = {"kid": key.key_id, "typ": None}
    return JWS.encode(content.encode(), private, ALGORITHM, head)


def rotate_key(*, reason: str) -> SigningKey:
    """Sign with a new key from now on, and delete the private half of the old one."""
    if not reason.strip():
        raise Refusal(_("Give a reason."))
    with transaction.atomic():
        current = SigningKey.objects.select_for_update().filter(retired_at=None)
        retired = [str(key) for key in current]
        current.update(retired_at=timezone.now(), private="")
        key, _private = _new_key()
        facts = {"retired": ", ".join(retired)}
        record(
            "signing_key.rotated", subject=key, actor=None, reason=reason, facts=facts
        )
    return key


def revoke_key(*, key_id: str, reason: str) -> SigningKey:
    """Make nothing count that a key signed, because the key was not safe.

    The next statement is signed with another key. Revoking it again changes nothing.
    """
    if not reason.strip():
        raise Refusal(_("Give a reason."))
    with transaction.atomic():
        key = SigningKey.objects.select_for_update().filter(key_id=key_id).first()
        if key is None:
            said = _("There is no key {key_id}. /verify/keys.json lists the keys.")
            raise Refusal(said.format(key_id=key_id))
        if not key.is_revoked:
            key.retired_at, key.private = key.retired_at or timezone.now(), ""
            key.is_revoked = True
            key.save()
            record("signing_key.revoked", subject=key, actor=None, reason=reason)
    return key


def _signing_key() -> tuple[SigningKey, Ed25519PrivateKey]:
    """Return the newest key that can be decrypted, or make one.

    A key that can't be decrypted stays as it is, because SECRET_KEY may come back.
    """
    for key in SigningKey.objects.filter(retired_at=None):
        try:
            private = urlsafe_b64decode(decrypt(key.private, salt=SALT))
        except InvalidToken:
            continue
        return key, Ed25519PrivateKey.from_private_bytes(private)
    with transaction.atomic():
        key, new = _new_key()
        record("signing_key.made", subject=key, actor=None)
    return key, new


def _new_key() -> tuple[SigningKey, Ed25519PrivateKey]:
    private = Ed25519PrivateKey.generate()
    public = private.public_key().public_bytes_raw()
    secret = urlsafe_b64encode(private.private_bytes_raw()).decode()
    key = SigningKey.objects.create(
        key_id=encoded(sha256(public).digest())[:8],
        public=encoded(public),
        private=encrypt(secret, salt=SALT),
        created_at=timezone.now(),
    )
    return key, private
