"""What pages and other apps read about people."""

from players.queries.fide import (
    FideValue,
    fide_rating_on,
    fide_ratings_on,
    members_who_played,
    newest_list,
)
from players.queries.identity import opted_in_before, same_person_ids
from players.queries.members import find_players, membership_of, states

__all__ = [
    "FideValue",
    "fide_rating_on",
    "fide_ratings_on",
    "find_players",
    "members_who_played",
    "membership_of",
    "newest_list",
    "opted_in_before",
    "same_person_ids",
    "states",
]
