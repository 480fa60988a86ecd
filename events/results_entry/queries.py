"""Members for typed lines: by member ID, or by a name that only one member has."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from events.checks.queries.members import affiliate_of
from events.formats.dbf.layout_2c import ENTRY_FIELDS
from events.formats.results_entry import NewEntry, clean_input
from events.models import Event
from events.reports.queries.report_defaults import PLACE
from players.formats.member_ids import MEMBER_ID
from players.members.queries import find_players
from players.members.rating_history import MAIN_SYSTEM, rating_history
from players.models import Player
from ratings_site.common.names.phonetics import searchable
from ratings_site.common.ui.formatting import whole

MAX_CHOICES = 6
NAME_WIDTH = next(field.width for field in ENTRY_FIELDS if field.name == "D_NAME")

_NUMBERING = re.compile(r"^\s*[0-9]{1,4}\s*[.):\t]\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate for a typed line, with the published rating."""

    player: Player
    rating: float | None


def choices_for(text: str, *, limit: int = MAX_CHOICES) -> list[Choice]:
    """Return the candidates for a text, most likely first. Two queries."""
    return with_ratings(find_players(text)[:limit])


def players_with_ratings(member_ids: Iterable[str]) -> dict[str, Choice]:
    players = Player.objects.filter(member_id__in=set(member_ids))
    return {one.player.member_id: one for one in with_ratings(players)}


def names_in_form(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the club, chief TD and members whose IDs are in a form's valid data."""
    lines = data.get("players") or []
    ids = [MEMBER_ID.find(line) for line in lines]
    chief = data.get("chief_td_id", "")
    known = players_with_ratings([chief, *filter(None, ids)])
    pairs = zip(lines, ids, strict=True)
    return {
        "club": affiliate_of(data.get("affiliate_id", "")),
        "chief": known.get(chief),
        "place": data,
        "lines": [(line, known.get(member_id)) for line, member_id in pairs],
    }


def place_of_club(affiliate_id: str) -> dict[str, str]:
    """Return the place of a club's latest event, or else its state."""
    club = affiliate_of(affiliate_id)
    last = Event.objects.filter(affiliate=club).first() if club else None
    if last is None:
        return {"state": club.state} if club else {}
    return {name: getattr(last, name) for name in PLACE}


def with_ratings(players: Iterable[Player]) -> list[Choice]:
    """Return the players with their published ratings (one query)."""
    found = list(players)
    ratings = rating_history().public_ratings([player.pk for player in found])
    return [Choice(player, ratings[player.pk].get(MAIN_SYSTEM)) for player in found]


def resolve_lines(lines: Sequence[str]) -> list[NewEntry]:
    """Return an entry for each line; an ambiguous name stays a name.

    A member ID anywhere in the line decides. One query for all IDs, a few for each name
    without one.
    """
    texts = [clean_input(_NUMBERING.sub("", line)) for line in lines]
    ids = list(map(MEMBER_ID.find, texts))
    known = players_with_ratings(filter(None, ids))
    return [
        _newcomer(text, member_id, known)
        for text, member_id in zip(texts, ids, strict=True)
        if text
    ]


def _newcomer(text: str, member_id: str, known: dict[str, Choice]) -> NewEntry:
    if member_id:
        member = known.get(member_id)
        name = MEMBER_ID.within.sub("", text).strip(" ,;-")
        return newcomer_from_member(member) if member else NewEntry(member_id, name)
    member = _member_named(text)
    return newcomer_from_member(member) if member else NewEntry(name=text)


def _member_named(text: str) -> Choice | None:
    """Return the only member of exactly this name.

    An abbreviated name may mean other members too: an initial and a family name stay as
    typed, and the row offers candidates to confirm.
    """
    words = sorted(searchable(text).split())
    found = choices_for(text, limit=20) if words and not text.isdecimal() else []
    same = [
        choice for choice in found if sorted(choice.player.search_name.split()) == words
    ]
    return same[0] if len(same) == 1 else None


def newcomer_from_member(member: Choice) -> NewEntry:
    """Return the entry of a member, spelled as in report files."""
    player, rating = member.player, member.rating
    name = f"{player.family_name}, {player.given_name}".upper()
    return NewEntry(
        member_id=player.member_id,
        name=name[:NAME_WIDTH],
        state=player.state,
        rating=str(whole(rating)) if rating else "",
    )
