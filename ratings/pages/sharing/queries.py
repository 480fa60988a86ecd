"""A member's official rating as a share link shows it, and statements of it."""

import json
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from jwt import PyJWK, PyJWS, PyJWTError
from jwt.utils import base64url_encode

from players.members.queries import same_person_ids
from players.models import Player, ShareLink
from players.sharing.queries import live_share_link
from ratings.decisions.floors.queries.titles import highest_titles
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import official_number
from ratings.lists.queries.official import latest_list
from ratings.models import OfficialList, OfficialRating, SigningKey
from ratings.models.official import month_name
from ratings_site.common.ui.formatting import ApproximateRating, format_rating

# A statement has some 400 characters.
LONGEST = 2_000
# Not JWT: that escapes letters such as ñ, and the address has to fit into a QR code.
JWS = PyJWS()
ALGORITHM = "EdDSA"


@dataclass(frozen=True, slots=True)
class SharedRating:
    """The published number of the newest official list, and what it is, in words."""

    player: Player
    official_list: OfficialList
    rating: str
    what: str
    row: OfficialRating | None = None


def shared_rating(token: str) -> SharedRating | None:
    """Return the rating of a share link, None if it is revoked or there is no list.

    Of the six ratings it is the regular one, or else the first on the list.
    """
    link, newest = live_share_link(token), latest_list()
    if link is None or newest is None:
        return None
    player = link.player.canonical
    numbers = same_person_ids([player.pk])[player.pk]
    rows = newest.ratings.filter(player__in=numbers)
    listed = {row.system: row for row in rows.order_by(*OfficialRating.KEPT_LAST)}
    system = next((one for one in System if one in listed), System.OTBR)
    row = listed.get(system)
    return SharedRating(
        player,
        newest,
        format_rating(official_number(row)) if row else _("not listed"),
        _official_rating(system, month_name(newest.month)),
        row,
    )


def title_of(player: Player) -> str:
    """Return a member's highest norm title, "" without one."""
    numbers = same_person_ids([player.pk])[player.pk]
    titles = highest_titles(dict.fromkeys(numbers, player.pk))
    return titles[player.pk].name if titles else ""


def _official_rating(system: System, month: str) -> str:
    return _("Official rating ({system}), {month}").format(
        system=_(system.label), month=month
    )


# Signed statements


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with a valid signature. The office signed all of its facts.

    *is_shared*: the share link it was made from is still there. *newest* is the newest
    list if that is another one, *corrected* a later version of the statement's list.
    """

    facts: dict[str, Any]
    rating: str
    what: str
    issued: date
    official_list: OfficialList
    corrected: OfficialList | None
    newest: OfficialList | None
    is_shared: bool


def read_statement(text: str) -> Statement | None:
    """Return a statement that this office signed, None if it is anything else."""
    facts = _signed_facts(text)
    if facts is None:
        return None
    slug, _dash, correction = facts["list"].partition("-correction-")
    of_month = list(OfficialList.objects.filter(month=f"{slug}-01"))
    official = next(one for one in of_month if one.correction == int(correction or 0))
    newest = latest_list()
    rating = facts["rating"]
    return Statement(
        facts,
        format_rating(ApproximateRating(rating) if facts.get("about") else rating),
        _official_rating(System(facts["system"]), month_name(official.month)),
        date.fromisoformat(facts["issued"]),
        official,
        of_month[0] if of_month[0] != official else None,
        newest if newest and newest.month != official.month else None,
        _is_shared(facts),
    )


def _signed_facts(text: str) -> dict[str, Any] | None:
    """Return what is signed, which this office wrote and is therefore sound."""
    if len(text) > LONGEST:
        return None
    try:
        keys = {key["kid"]: key for key in published_keys()["keys"]}
        key = keys[JWS.get_unverified_header(text)["kid"]]
        content = JWS.decode(text, PyJWK(key), [ALGORITHM])
    except (PyJWTError, ValueError, KeyError, RecursionError):
        return None
    facts: dict[str, Any] = json.loads(content)
    # The private half of a key that was retired may have been in an old backup.
    is_too_late = key["valid_until"] and facts["issued"] > key["valid_until"]
    return None if is_too_late else facts


def _is_shared(facts: dict[str, Any]) -> bool:
    player = Player.objects.filter(member_id=facts["member"]).first()
    if player is None:
        return False
    numbers = same_person_ids([player.canonical.pk])[player.canonical.pk]
    links = ShareLink.objects.filter(player__in=numbers)
    return any(
        link_id(link.token) == facts["link"] and live_share_link(link.token)
        for link in links
    )


def published_keys() -> dict[str, Any]:
    """Return the public keys as a JWK set (RFC 7517, 8037) with their validity."""
    return {
        "keys": [
            {
                "kty": "OKP",
                "crv": "Ed25519",
                "alg": ALGORITHM,
                "use": "sig",
                "kid": key.key_id,
                "x": key.public,
                "valid_from": timezone.localdate(key.created_at).isoformat(),
                "valid_until": key.retired_at
                and timezone.localdate(key.retired_at).isoformat(),
            }
            for key in SigningKey.objects.filter(is_revoked=False)
        ]
    }


def link_id(token: str) -> str:
    """Return what identifies a share link without giving its address away."""
    return encoded(sha256(token.encode()).digest()[:9])


def encoded(content: bytes) -> str:
    """Return base64url without padding (RFC 7515, section 2)."""
    return base64url_encode(content).decode()
