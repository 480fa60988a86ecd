"""Detect games played on a server, by the places named in a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum

from events.formats.findings import Collector, Place
from events.formats.report import ReportedEntry, ReportedEvent, ReportedSection


class Venue(Enum):
    """Where games were played."""

    BOARD = "over the board"
    ONLINE = "online"
    UNSURE = "unsure"


_NAME = r"(?<![\w-])"
# Addresses of games that were played over the board and broadcast.
_BROADCAST = re.compile(
    rf"{_NAME}(?:lichess\.org/broadcast|chess\.com/events?/|livechesscloud\.com"
    r"|live\.chessbase\.com|chess-results\.com|followchess\.com|chessbomb\.com"
    r"|(?:new\.)?uschess\.org|ratings\.fide\.com)",
    re.IGNORECASE,
)
# Addresses that do not show where a game was played.
_LIBRARY = re.compile(
    rf"{_NAME}(?:lichess\.org/study|chess\.com/(?:analysis|library|c/)"
    r"|chessgames\.com|365chess\.com|chesstempo\.com/game-database)",
    re.IGNORECASE,
)
_SERVER = re.compile(
    rf"""{_NAME}(?:
    lichess\w*(?:\.(?:org|dev|com))? | chess\.com(?!\.) | chesscom
    | chesskid(?:\.com)?
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
    | playok(?:\.com)? | buho21(?:\.com)? | kurnik\.(?:org|pl)
    | premiumchess(?:\.net)? | chessbase\slive
    | schemingmind(?:\.com)? | schacharena(?:\.de)? | chessmail(?:\.com)?
    | chess\scom | yahoo\s(?:chess|games)
    )(?![\w-])""",
    re.IGNORECASE | re.VERBOSE,
)
_ONLINE_WORD = re.compile(
    r"\b(?:internet|online|on-line|virtual|en\slinea|en\sl[ií]nea|en\sligne|cyber\w*"
    r"|world\swide\sweb|web|ics|iccf|zoom|discord|skype|remote(?:ly)?|tornelo"
    r"|titled\stuesday)\b",
    re.IGNORECASE,
)
_SERVER_EVENT = re.compile(
    r"^(?:live\schess\b|(?:rated|casual|unrated)\s(?:ultra)?(?:bullet|blitz|rapid"
    r"|classical|correspondence|standard|lightning)\b)|\barena\b",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"://|\bwww\.|(?<![\w@])[\w-]+\.(?:com|org|net|info|io|eu|de|app|gg|live|tv|chess|ee"
    r"|ru|fr|es|it|uk|pl|nl|at|ch)\b",
    re.IGNORECASE,
)


def detect_venue(
    places: Iterable[str],
    events: Iterable[str] = (),
    *,
    is_broadcast: bool = False,
    is_hinted: bool = False,
) -> Venue:
    """Return where games were played; a server's broadcast is not online play.

    *places* state the venue; *events* are names, which like *is_hinted* can only make
    it unsure.

    >>> detect_venue(["https://lichess.org/broadcast/may/round-1/abc"])
    <Venue.BOARD: 'over the board'>
    >>> detect_venue(["FICS"]), detect_venue(["Springfield, IL"], ["Maple Online Open"])
    (<Venue.ONLINE: 'online'>, <Venue.UNSURE: 'unsure'>)
    """
    places = [text for text in places if text]
    shapes = (_ONLINE_WORD, _SERVER, _SERVER_EVENT)
    hinted = is_hinted or any(shape.search(text) for text in events for shape in shapes)
    if is_broadcast or any(map(_BROADCAST.search, places)):
        return Venue.UNSURE if hinted else Venue.BOARD
    if any(map(_LIBRARY.search, places)):
        return Venue.UNSURE
    if any(map(_SERVER.search, places)):
        return Venue.ONLINE
    doubtful = any(
        _ADDRESS.search(text) or _ONLINE_WORD.search(text) for text in places
    )
    return Venue.UNSURE if hinted or doubtful else Venue.BOARD


def is_address(text: str) -> bool:
    """Return whether *text* is an address or a server, and not the name of a town.

    >>> is_address("https://lichess.org/swiss/AbCd"), is_address("Chess.com")
    (True, True)
    >>> is_address("Springfield, IL"), is_address("St. Louis")
    (False, False)
    """
    return any(shape.search(text) for shape in (_ADDRESS, _SERVER, _ONLINE_WORD))


def server_in(texts: Iterable[str]) -> str:
    """Return the first server that is named, blank if there is none.

    >>> server_in(["Practice Night", "https://lichess.org/swiss"])
    'lichess.org'
    """
    matches = (_SERVER.search(text) for text in texts)
    return next((match[0] for match in matches if match), "")


def without_server_ratings(
    entries: Sequence[ReportedEntry], venue: Venue
) -> tuple[ReportedEntry, ...]:
    """Return *entries* without FIDE ratings that may be those of a server.

    If games may have been played online, a rating without a FIDE ID is not a FIDE
    rating.
    """
    return tuple(
        replace(entry, fide_rating="")
        if venue is Venue.ONLINE or (venue is Venue.UNSURE and not entry.fide_id)
        else entry
        for entry in entries
    )


def with_online_play(
    report: ReportedEvent, findings: Collector, file: str = ""
) -> ReportedEvent:
    """Return *report* with sections marked as online if its place is a server.

    Findings ask about each such section, and about each doubtful one. An address is not
    a city.
    """
    places = (report.city, report.country)
    sections = [
        _section(
            section, detect_venue(places, (report.name, section.name)), places, findings
        )
        for section in report.sections
    ]
    report = replace(report, sections=tuple(sections))
    for name, field in (
        ("event.address", "city"),
        ("event.address/country", "country"),
    ):
        written = getattr(report, field)
        if is_address(written):
            findings.add(name, Place(file, field=field), written=written[:80])
            report = report.with_event(**{field: ""})
    return report


def _section(
    section: ReportedSection, venue: Venue, places: Sequence[str], findings: Collector
) -> ReportedSection:
    if venue is Venue.BOARD:
        return section
    entries = without_server_ratings(section.entries, venue)
    if section.online:
        return replace(section, entries=entries)
    place = Place(section=section.number, field="online")
    if venue is Venue.UNSURE:
        findings.add("section.online/unsure", place)
    else:
        findings.add("section.online", place, server=server_in(places))
    return replace(section, entries=entries, online=venue is Venue.ONLINE)
