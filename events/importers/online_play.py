"""Servers on which chess is played, by their names and addresses in a file."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S|^\S+\.(?:org|com|net)(?:/\S*)?$", re.I)
_SERVERS = re.compile(
    r"\blichess\b|\bchess\.com\b|\bchesskid\b|\bchess24\b|\bplaychess\b"
    r"|\bfreechess\b|\bchessclub\.com\b|\binternet chess club\b|\bgameknot\b"
    r"|\bchesstempo\b|\bchessbase live\b",
    re.IGNORECASE,
)
_ONLINE = re.compile(r"\b(?:online|internet)\b|\ben l[ií]nea\b", re.IGNORECASE)


def is_address(text: str) -> bool:
    """Tell an address on the internet from the name of a place.

    >>> is_address("https://lichess.org/swiss/AbCd"), is_address("chess.com/play")
    (True, True)
    >>> is_address("Springfield, IL"), is_address("St. Louis")
    (False, False)
    """
    return _ADDRESS.search(text.strip()) is not None


def server_in(texts: Iterable[str]) -> str:
    """Return the first server that is named, blank if there is none.

    >>> server_in(["Practice Night", "https://lichess.org/swiss"])
    'lichess'
    """
    found = (_SERVERS.search(text) for text in texts)
    return next((match[0] for match in found if match), "")


def may_be_online(texts: Iterable[str]) -> bool:
    """Tell whether a word says that the games were played online.

    >>> may_be_online(["Maple Online Open"]), may_be_online(["Maple Open"])
    (True, False)
    """
    return any(map(_ONLINE.search, texts))
