"""What a clerk may do with a member: links to the pages of the actions."""

from collections.abc import Iterator
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from events.certification.services import CERTIFY
from events.models import Official
from players.claims.queries import address_on_record
from players.models import Claim, Player
from ratings_site.common.models import User

# The permissions that an action needs, its label, and the address of its page.
Action = tuple[str, str, str]


def member_actions(
    player: Player, official: Official | None, user: User
) -> list[tuple[str, str]]:
    """Return labels and addresses of the actions that this account may do."""
    return [
        (label, url)
        for permissions, label, url in _actions(player, official)
        if user.has_perms(permissions.split())
    ]


def _actions(player: Player, official: Official | None) -> Iterator[Action]:
    own, edit = player.member_id, _url("admin:players_player_change", player.pk)
    yield "players.change_player", _("Edit"), edit
    status = _url("players_office:status", own)
    yield "players.change_status", _("Change status"), status
    merge = _url("players_office:duplicates", kept=own)
    yield "players.merge_players", _("Merge"), f"{merge}#other"
    if player.fide_id:
        unlink = _url("players_office:unlink", own)
        yield "players.link_fide_id", _("Remove FIDE ID"), unlink
    else:
        links = _url("players_office:links", q=own, member=own)
        yield "players.link_fide_id", _("Link FIDE ID"), f"{links}#known"
    yield _td_action(player, official)
    if address := address_on_record(player):
        permissions = "players.view_contact players.view_guardian"
        yield permissions, _("Email"), f"mailto:{address}"
    invite = _url("players_office:invite", member=own)
    yield "players.decide_claim", _("Invite"), invite
    floors = _url("ratings:office_floors", own)
    yield "events.review_submission", _("Floors and ratings"), floors
    privacy = _url("players_office:privacy", own)
    yield "players.change_privacy", _("Privacy"), privacy
    forget = _url("ratings:forget_member", own)
    yield "players.forget_member", _("Delete personal data"), forget


def _td_action(player: Player, official: Official | None) -> Action:
    """Return the link to the open TD request, or else to the TD's record."""
    asked = player.claims.filter(as_td=True, state__in=Claim.OPEN_STATES).first()
    if asked is not None:
        return CERTIFY, _("Review TD request"), _url("events:td_request", asked.pk)
    if official is not None:
        url = _url("admin:events_official_change", official.pk)
        return "events.change_official", _("TD certification"), url
    url = _url("admin:events_official_add", player=player.pk)
    return "events.add_official", _("Certify as TD"), url


def _url(name: str, *args: object, **query: Any) -> str:
    url = reverse(name, args=args)
    return f"{url}?{urlencode(query)}" if query else url
