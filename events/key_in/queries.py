"""Whom a typed line means: members by their ID, or by a name that is nobody else's."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from events.importers.dbf.layout_2c import ENTRY_FIELDS
from events.importers.key_in import Newcomer, plain
from players.members.careers import careers
from players.members.queries import find_players
from players.models import Player
from ratings_site.common.looks.figures import whole
from ratings_site.common.names.sounds import searchable

# The system whose rating stands beside a name.
MAIN_SYSTEM = "OTBR"
MOST_CHOICES = 6
NAME_WIDTH = next(field.width for field in ENTRY_FIELDS if field.name == "D_NAME")

_MEMBER_ID = re.compile(r"(?<![0-9])[1-9][0-9]{7}(?![0-9])", re.ASCII)
_NUMBERING = re.compile(r"^\s*[0-9]{1,4}\s*[.):\t]\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Choice:
    """A member one may mean."""

    player: Player
    rating: float | None


def choices_for(text: str, *, limit: int = MOST_CHOICES) -> list[Choice]:
    """Return the members that a text may mean, the likeliest first. Two queries."""
    found = with_ratings(find_players(text)[:limit])
    return [Choice(player, rating_of(player)) for player in found]


def rating_of(player: Player) -> float | None:
    """Return the rating that helps to know somebody, of a player with ratings."""
    return player.ratings_shown.get(MAIN_SYSTEM)


def players_with_ratings(member_ids: Iterable[str]) -> dict[str, Player]:
    players = Player.objects.filter(member_id__in=set(member_ids))
    return {one.member_id: one for one in with_ratings(players)}


def with_ratings(players: Iterable[Player]) -> list[Player]:
    """Give each player the ratings that everybody sees (one query)."""
    found = list(players)
    ratings = careers().ratings_shown([player.pk for player in found])
    for player in found:
        player.ratings_shown = ratings[player.pk]
    return found


def meant_by(lines: Sequence[str]) -> list[Newcomer]:
    """Return whom each line means; a name that may be several people's stays a name.

    A member's ID anywhere in the line decides. One query for all IDs, a few for each
    name without one.
    """
    texts = [plain(_NUMBERING.sub("", line)) for line in lines]
    ids = [match[0] if (match := _MEMBER_ID.search(text)) else "" for text in texts]
    known = players_with_ratings(filter(None, ids))
    return [
        _newcomer(text, member_id, known)
        for text, member_id in zip(texts, ids, strict=True)
        if text
    ]


def _newcomer(text: str, member_id: str, known: dict[str, Player]) -> Newcomer:
    if member_id:
        player = known.get(member_id)
        name = _MEMBER_ID.sub("", text).strip(" ,;-")
        return entered(player) if player else Newcomer(member_id, name)
    player = _named(text)
    return entered(player) if player else Newcomer(name=text)


def _named(text: str) -> Player | None:
    """Return the only member of this very name.

    A name typed short may be anybody's who was not at hand: an initial and a family
    name stay as typed, and the row offers whom they fit, to be confirmed.
    """
    words = sorted(searchable(text).split())
    found = choices_for(text, limit=20) if words and not text.isdecimal() else []
    same = [
        choice.player
        for choice in found
        if sorted(choice.player.search_name.split()) == words
    ]
    return same[0] if len(same) == 1 else None


def entered(player: Player) -> Newcomer:
    """Return the entry of a member, as the files of a report spell it."""
    name = f"{player.family_name}, {player.given_name}".upper()
    rating = rating_of(player)
    return Newcomer(
        member_id=player.member_id,
        name=name[:NAME_WIDTH],
        state=player.state,
        rating=str(whole(rating)) if rating else "",
    )
