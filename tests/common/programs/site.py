"""A registration site and a pairing program, with the standard library alone.

They know the office's address and their client ID, and keep every byte they receive.
"""

import base64
import hashlib
import json
import secrets
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
# RFC 8017, 9.2: the DER prefix of a SHA-256 digest in a PKCS #1 v1.5 signature.
SHA256_PREFIX = bytes.fromhex("3031300d060960864801650304020105000420")


class Caller:
    """Any client of the office."""

    def __init__(self, office: str, client_id: str, secret: str = "") -> None:
        self.client_id, self.secret = client_id, secret
        self.received = b""
        self.status = 0
        self.headers: dict[str, str] = {}
        self.discovery = self.ask(f"{office}/.well-known/openid-configuration")

    def ask(self, url: str, form: dict | None = None, token: str = "", body=b"") -> Any:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if body:
            headers["Content-Type"] = "application/json"
        sent = urlencode(form).encode() if form is not None else body or None
        try:
            answer = urlopen(Request(url, sent, headers), timeout=20)  # noqa: S310
        except HTTPError as error:
            answer = error
        with answer:
            self.status, self.headers = answer.status, dict(answer.headers)
            read = answer.read()
        self.received += read + str(self.headers).encode()
        return json.loads(read) if read else {}

    def token(self, **form: str) -> Any:
        form["client_id"] = self.client_id
        if self.secret:
            form["client_secret"] = self.secret
        return self.ask(self.discovery["token_endpoint"], form)

    def refresh(self, said: dict) -> Any:
        return self.token(
            grant_type="refresh_token", refresh_token=said["refresh_token"]
        )

    def revoke(self, token: str) -> Any:
        form = {"client_id": self.client_id, "token": token}
        return self.ask(self.discovery["revocation_endpoint"], form)


class Site(Caller):
    """A site that people sign in to (OpenID Connect, code with PKCE)."""

    def __init__(self, *args: str, redirect_uri: str) -> None:
        super().__init__(*args)
        self.redirect_uri = redirect_uri

    def sign_in_url(self, scope: str, **changed: str | None) -> str:
        self.state, self.nonce = secrets.token_hex(8), secrets.token_hex(8)
        self.verifier = secrets.token_urlsafe(48)
        digest = hashlib.sha256(self.verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": scope,
            "state": self.state,
            "nonce": self.nonce,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
            **changed,
        }
        sent = {name: value for name, value in asked.items() if value is not None}
        return f"{self.discovery['authorization_endpoint']}?{urlencode(sent)}"

    def redeem(self, location: str, **changed: str) -> Any:
        """Take the code from the redirect, and return the answer for it."""
        self.received += location.encode()
        query = {k: v for k, [v] in parse_qs(urlsplit(location).query).items()}
        assert query["state"] == self.state
        form = {
            "grant_type": "authorization_code",
            "code": query["code"],
            "redirect_uri": self.redirect_uri,
            "code_verifier": self.verifier,
            **changed,
        }
        return self.token(**form)

    def verified(self, id_token: str) -> dict[str, Any]:
        """Return the claims of an ID token, after the checks of the specification."""
        signed, _, signature = id_token.rpartition(".")
        header, claims = (json.loads(decoded(part)) for part in signed.split("."))
        self.received += json.dumps([header, claims]).encode()
        keys = self.ask(self.discovery["jwks_uri"])["keys"]
        [key] = [key for key in keys if key["kid"] == header["kid"]]
        assert (header["alg"], key["kty"]) == ("RS256", "RSA")
        n, e = (int.from_bytes(decoded(key[name])) for name in "ne")
        size = (n.bit_length() + 7) // 8
        opened = pow(int.from_bytes(decoded(signature)), e, n).to_bytes(size)
        digest = SHA256_PREFIX + hashlib.sha256(signed.encode()).digest()
        padding = b"\xff" * (size - len(digest) - 3)
        assert opened == b"\x00\x01" + padding + b"\x00" + digest
        assert claims["iss"] == self.discovery["issuer"]
        assert (claims["aud"], claims["nonce"]) == (self.client_id, self.nonce)
        return claims

    def userinfo(self, said: dict) -> Any:
        url = self.discovery["userinfo_endpoint"]
        return self.ask(url, token=said["access_token"])


class Program(Caller):
    """A pairing program that shows a code (RFC 8628)."""

    def start(self, scope: str) -> Any:
        form = {"client_id": self.client_id, "scope": scope}
        self.device = self.ask(self.discovery["device_authorization_endpoint"], form)
        return self.device

    def poll(self) -> Any:
        return self.token(
            grant_type=DEVICE_GRANT, device_code=self.device["device_code"]
        )


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
