"""The members an account can sign in for at other sites, and what those are told."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from players.access import get_member_or_404
from players.guardians.queries import children_of, open_to_others
from players.members.queries import is_life_member, membership_end
from players.models import GuardianConsent, Player
from ratings_site.common.models import User
from ratings_site.common.programs.kinds import (
    MemberChoice,
    bind_member_choices,
    register_claims,
)


def sign_in_members(account: User) -> list[MemberChoice]:
    """Return the account's own member and its children.

    A child's own account needs a guardian's consent.
    """
    children = list(children_of(account))
    own = getattr(account, "player", None)
    members = [*children, own] if own else children
    duplicates = Player.objects.filter(merged_into__in=members).order_by("pk")
    merged: dict[int | None, tuple[str, ...]] = {}
    for kept, number in duplicates.values_list("merged_into", "member_id"):
        merged[kept] = (*merged.get(kept, ()), number)
    choices = [
        MemberChoice(child.member_id, child.name, "", merged.get(child.pk, ()))
        for child in children
    ]
    if own is None:
        return choices
    kind = GuardianConsent.Kind.SIGN_IN
    denial = _(
        "For members under 18, or without a birth date on record, a parent or guardian "
        "has to allow it: on their account page, under Sharing."
    )
    is_open = own.pk in open_to_others([own.pk], kind)
    denied = "" if is_open else denial
    mine = MemberChoice(own.member_id, own.name, denied, merged.get(own.pk, ()))
    return [mine, *choices]


def name_claims(member_id: str) -> dict[str, Any]:
    player = get_member_or_404(member_id)
    return {
        "name": player.full_name,
        "given_name": player.given_name,
        "family_name": player.family_name,
    }


def membership_claims(member_id: str) -> dict[str, Any]:
    """Return the last day of the membership, without its type, which reveals an age."""
    player = get_member_or_404(member_id)
    ends, is_life = membership_end(player), is_life_member(player)
    is_current = is_life or (ends is not None and ends >= timezone.localdate())
    return {
        "membership": {
            "ends": ends.isoformat() if ends else None,
            "is_current": is_current,
            "is_life": is_life,
        }
    }


bind_member_choices(sign_in_members)
register_claims("name", name_claims)
register_claims(
    "member_id", lambda number: {"member_id": get_member_or_404(number).member_id}
)
register_claims("membership", membership_claims)
