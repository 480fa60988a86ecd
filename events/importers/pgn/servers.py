"""Whether a game was played on a server, by what its tags say of its place."""

from __future__ import annotations

import re
from enum import Enum

from events.importers.pgn.tags import PgnGame


class Play(Enum):
    """Where a game was played."""

    BOARD = "over the board"
    ONLINE = "online"
    UNSURE = "unsure"


_NAME = r"(?<![\w-])"
# Addresses of games that were played over the board and shown live.
_BROADCAST = re.compile(
    rf"{_NAME}(?:lichess\.org/broadcast|chess\.com/events?/|livechesscloud\.com"
    r"|live\.chessbase\.com|chess-results\.com|followchess\.com|chessbomb\.com"
    r"|(?:new\.)?uschess\.org|ratings\.fide\.com)",
    re.IGNORECASE,
)
# Addresses that say nothing of where a game was played.
_LIBRARY = re.compile(
    rf"{_NAME}(?:lichess\.org/study|chess\.com/(?:analysis|library|c/)"
    r"|chessgames\.com|365chess\.com|chesstempo\.com/game-database)",
    re.IGNORECASE,
)
_SERVER = re.compile(
    rf"""{_NAME}(?:
    lichess(?:\.(?:org|dev))? | chess\.com(?!\.) | chesskid(?:\.com)?
    | chess24(?:\.com)?
    | playchess(?:\.(?:com|de))? | play\.chessbase\.com | schach\.de
    | (?:www\d?\.)?chessclub\.com | icc | internet\schess\sclub
    | freechess(?:\.org)? | fics | free\sinternet\schess\sserver
    | (?:arena\.)?myfide\.net | arena\.worldchess\.com | worldchess\.com/game
    | fide\s(?:online\s)?arena | chessarena\.com | chesscube(?:\.com)?
    | us\s?chess\s?live(?:\.(?:com|org))? | world\s?chess\s?network(?:\.com)?
    | chess\.net | gameknot(?:\.com)? | redhotpawn(?:\.com)? | chesstempo(?:\.com)?
    | chesshotel(?:\.com)? | chessworld\.net | itsyourturn(?:\.com)?
    | instantchess(?:\.com)? | sparkchess(?:\.com)? | chessfriends\.com
    | playok(?:\.com)? | buho21(?:\.com)? | kurnik | premiumchess(?:\.net)?
    | schacharena(?:\.de)? | chessmail(?:\.com)? | chess\scom | yahoo\s(?:chess|games)
    )(?![\w-])""",
    re.IGNORECASE | re.VERBOSE,
)
_ONLINE_WORD = re.compile(
    r"\b(?:internet|online|on-line|virtual|en\slinea|en\sl[ií]nea|en\sligne|cyber\w*"
    r"|world\swide\sweb|web|ics|zoom|tornelo|titled\stuesday)\b",
    re.IGNORECASE,
)
_SERVER_EVENT = re.compile(
    r"^(?:live\schess\b|(?:rated|casual|unrated)\s(?:ultra)?(?:bullet|blitz|rapid"
    r"|classical|correspondence|standard|lightning)\b)|\barena\b",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"://|\bwww\.|(?<![\w@])[\w-]+\.(?:com|org|net|io|eu|de|app|gg|live|tv|chess)\b",
    re.IGNORECASE,
)
_PLACES = ("Site", "Link", "GameUrl", "Url", "EventUrl", "BroadcastUrl", "SourceUrl")
_BY_MODE = {"otb": Play.BOARD, "ics": Play.ONLINE}


def where(game: PgnGame) -> Play:
    """Return where a game was played; a server's broadcast is not online play.

    >>> tags = {"site": "https://lichess.org/broadcast/may/round-1/abc"}
    >>> where(PgnGame("", 1, tags)), where(PgnGame("", 1, {"site": "FICS"}))
    (<Play.BOARD: 'over the board'>, <Play.ONLINE: 'online'>)
    """
    mode = game.tag("Mode").lower()
    if mode in _BY_MODE:
        return _BY_MODE[mode]
    places = [text for text in map(game.tag, _PLACES) if text]
    event = f"{game.tag('Event')} {game.tag('BroadcastName')}"
    hinted = bool(
        mode
        or _ONLINE_WORD.search(event)
        or _SERVER.search(event)
        or _SERVER_EVENT.search(event)
        or game.tag("WhiteRatingDiff")
    )
    if any(_BROADCAST.search(text) for text in places) or game.tag("BroadcastName"):
        return Play.UNSURE if hinted else Play.BOARD
    if any(_LIBRARY.search(text) for text in places):
        return Play.UNSURE
    if any(_SERVER.search(text) for text in places):
        return Play.ONLINE
    if hinted or any(
        _ADDRESS.search(text) or _ONLINE_WORD.search(text) for text in places
    ):
        return Play.UNSURE
    return Play.BOARD


def is_address(site: str) -> bool:
    """Tell whether a Site tag names a server or an address, and no town.

    >>> is_address("Chess.com"), is_address("Oakland, CA USA")
    (True, False)
    """
    shapes = (_ADDRESS, _SERVER, _ONLINE_WORD)
    return any(shape.search(site) for shape in shapes)


def told_place(game: PgnGame) -> str:
    """Return the tag that a person can judge: site, else link, else event."""
    tags = (*_PLACES, "Event", "Mode")
    return next(filter(None, map(game.tag, tags)), "")
