"""Detect where a game was played, by its tags."""

from __future__ import annotations

from events.formats.online_play import Venue, detect_venue
from events.formats.pgn.tags import PgnGame

_LINK_TAGS = ("Link", "GameUrl", "Url", "EventUrl", "BroadcastUrl", "SourceUrl")
_VENUE_TAGS = ("Site", *_LINK_TAGS)
_BY_MODE = {"otb": Venue.BOARD, "ics": Venue.ONLINE}


def game_venue(game: PgnGame) -> Venue:
    """Return where a game was played.

    >>> game_venue(PgnGame("", 1, {"site": "FICS"}))
    <Venue.ONLINE: 'online'>
    """
    mode = game.tag("Mode").lower()
    if mode in _BY_MODE:
        return _BY_MODE[mode]
    return detect_venue(
        map(game.tag, _VENUE_TAGS),
        (f"{game.tag('Event')} {game.tag('BroadcastName')}",),
        is_broadcast=bool(game.tag("BroadcastName")),
        is_hinted=bool(mode or game.tag("WhiteRatingDiff")),
    )


def stated_venue(game: PgnGame) -> str:
    """Return the tag that a person can judge: site, else link, else event."""
    tags = (*_VENUE_TAGS, "Event", "Mode")
    return next(filter(None, map(game.tag, tags)), "")
