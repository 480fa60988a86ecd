"""Registered programs and sites."""

from allauth.idp.oidc.models import Client

from ratings_site.common.programs.kinds import API_SCOPES, SIGN_IN_SCOPES
from tests.common.programs.site import DEVICE_GRANT

CALLBACK = "https://entries.example.org/callback"


def make_program(scopes=tuple(API_SCOPES)) -> Client:
    client = Client(id="pairings", name="Pairings Plus", type="public")
    client.set_grant_types([DEVICE_GRANT, "refresh_token"])
    client.set_scopes(list(scopes))
    client.response_types = ""
    client.save()
    return client


def make_site(secret: str = "", scopes=tuple(SIGN_IN_SCOPES), **facts) -> Client:
    kind = "confidential" if secret else "public"
    facts = {"id": "entries", "name": "Entry Site", "redirect_uris": CALLBACK} | facts
    client = Client(type=kind, **facts)
    client.set_grant_types(["authorization_code", "refresh_token"])
    client.set_scopes(list(scopes))
    client.set_secret(secret or "unused")
    client.save()
    return client
