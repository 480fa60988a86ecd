"""The site search for players, events, clubs, towns and IDs.

The number of queries is fixed, also for a list of 200 IDs.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q, prefetch_related_objects
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from events.models import Affiliate, Event
from events.public.queries import Town, find_clubs, find_events, find_towns
from players.formats.member_ids import MEMBER_ID
from players.members.queries import find_players, membership_label, suggest_players
from players.models import Player
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import current_published
from ratings_site.common.ui.formatting import days

# Results of each kind on the page, and on the page of one kind.
DEFAULT_LIMIT, MAX_LIMIT = 8, 100
MAX_SUGGESTIONS = 5
MAX_TEXT_LENGTH = 4_000
MAX_IDS = 200

PLAYERS, EVENTS, CLUBS, TOWNS = "players", "events", "clubs", "towns"
KINDS = (PLAYERS, EVENTS, CLUBS, TOWNS)

_FIDE_ID = re.compile(r"[1-9][0-9]{3,9}", re.ASCII)
_EVENT_ID = re.compile(r"[0-9]{12}", re.ASCII)
_AFFILIATE_ID = re.compile(r"[A-Z][0-9]{7}", re.ASCII)
_SEPARATORS = re.compile(r"[\s,;]+")
# Shorter numbers may be parts of one long number: 120 00001.
MIN_LISTED_ID_LENGTH = 5


@dataclass(frozen=True, slots=True)
class FoundPlayer:
    """A row of the results, without anything that reveals a member's age."""

    player: Player
    rating: float | None
    membership: str


@dataclass(frozen=True, slots=True)
class SearchResults:
    """Search results by kind; *more* names the kinds with further results."""

    text: str = ""
    players: Sequence[FoundPlayer] = ()
    events: Sequence[Event] = ()
    clubs: Sequence[Affiliate] = ()
    towns: Sequence[Town] = ()
    more: frozenset[str] = frozenset()
    # The players match only with one typing error corrected.
    is_guess: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.players or self.events or self.clubs or self.towns)

    @property
    def only_match(self) -> str:
        """The URL of the only match, or "" if there are several."""
        if self.is_guess:
            return ""
        number = normalize_text(self.text).upper().replace(" ", "")
        all_urls = list(self._urls())
        exact = [url for url, ids in all_urls if number in ids]
        urls = exact or [url for url, _ids in all_urls]
        return urls[0] if len(urls) == 1 and (exact or not self.more) else ""

    def _urls(self) -> Iterator[tuple[str, tuple[str | None, ...]]]:
        for row in self.players:
            ids = (row.player.member_id, row.player.shown_fide_id)
            yield row.player.get_absolute_url(), ids
        for event in self.events:
            yield event.get_absolute_url(), (event.event_id,)
        for club in self.clubs:
            yield url_of_club(club), (club.affiliate_id,)
        for town in self.towns:
            yield url_of_town(town), ()


def url_of_club(club: Affiliate) -> str:
    return reverse("events:affiliate", args=[club.affiliate_id])


def url_of_town(town: Town) -> str:
    query = urlencode({"q": town.city, "state": town.state})
    return f"{reverse('events:list')}?{query}"


def normalize_text(text: str) -> str:
    """Normalize full-width digits and white space."""
    normal = unicodedata.normalize("NFKC", text[:MAX_TEXT_LENGTH])
    return " ".join(normal.replace("\x00", " ").split())


def search(text: str, *, kind: str = "", most: int = DEFAULT_LIMIT) -> SearchResults:
    """Search for *text*, in one kind or in all (at most eight queries)."""
    text = normalize_text(text)
    if not text:
        return SearchResults()
    kinds = (kind,) if kind else KINDS
    players: list[Player] = []
    is_guess = False
    if PLAYERS in kinds:
        players = list(find_players(text)[: most + 1])
    found: dict[str, Sequence[Any]] = {
        EVENTS: list(find_events(text)[: most + 1]) if EVENTS in kinds else [],
        CLUBS: list(find_clubs(text)[: most + 1]) if CLUBS in kinds else [],
        TOWNS: find_towns(text, most + 1) if TOWNS in kinds else [],
    }
    if PLAYERS in kinds and not players:
        players = suggest_players(text)
        is_guess = bool(players)
    more = {one for one, rows in found.items() if len(rows) > most}
    more |= {PLAYERS} if len(players) > most else set()
    return SearchResults(
        text=text,
        players=_with_ratings(players[:most]),
        events=found[EVENTS][:most],
        clubs=found[CLUBS][:most],
        towns=found[TOWNS][:most],
        more=frozenset(more),
        is_guess=is_guess,
    )


def _with_ratings(players: Sequence[Player]) -> list[FoundPlayer]:
    ratings = current_published([player.pk for player in players])
    prefetch_related_objects(players, "memberships")
    return [
        FoundPlayer(one, ratings[one.pk].get(System.OTBR), membership_label(one))
        for one in players
    ]


# Several IDs at once


@dataclass(frozen=True, slots=True)
class IdRow:
    """The match of one ID."""

    asked: str
    kind: str
    number: str
    name: str
    url: str
    details: str
    state: str = ""
    fide_id: str = ""
    ratings: dict[System, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IdLookup:
    rows: Sequence[IdRow]
    unknown: Sequence[str]
    left_out: Sequence[str]  # more than one search accepts


def parse_ids(text: str) -> list[str]:
    """Return the IDs that a text lists, and its other words.

    >>> parse_ids("12000001, 12000002; a6000001"), parse_ids("120 00001")
    (['12000001', '12000002', 'A6000001'], [])
    """
    normal = unicodedata.normalize("NFKC", text).replace("\x00", " ").upper()
    words = list(dict.fromkeys(filter(None, _SEPARATORS.split(normal))))
    ids = [word for word in words if len(word) >= MIN_LISTED_ID_LENGTH and _is_id(word)]
    is_listed = re.search(r"[,;\n]", normal.strip()) or len(ids) == len(words)
    return words if len(ids) > 1 and is_listed else []


def _is_id(word: str) -> bool:
    patterns = (MEMBER_ID.whole, _FIDE_ID, _EVENT_ID, _AFFILIATE_ID)
    return any(pattern.fullmatch(word) for pattern in patterns)


def look_up_ids(ids: Sequence[str]) -> IdLookup:
    """Return the matches of the IDs, in the given order (at most five queries)."""
    asked = ids[:MAX_IDS]
    found: dict[str, list[IdRow]] = {one: [] for one in asked}
    for row in (*_members(asked), *_events(asked), *_clubs(asked)):
        found[row.asked].append(row)
    return IdLookup(
        rows=[row for rows in found.values() for row in rows],
        unknown=[one for one, rows in found.items() if not rows],
        left_out=ids[MAX_IDS:],
    )


def _matching(pattern: re.Pattern[str], asked: Sequence[str]) -> list[str]:
    return [one for one in asked if pattern.fullmatch(one)]


def _members(asked: Sequence[str]) -> Iterator[IdRow]:
    member_ids = _matching(MEMBER_ID.whole, asked)
    fide_ids = _matching(_FIDE_ID, asked)
    if not (member_ids or fide_ids):
        return
    called = Q(member_id__in=member_ids) | Q(fide_id__in=fide_ids)
    players = list(Player.objects.filter(called).select_related("merged_into"))
    ratings = current_published([player.pk for player in players])
    prefetch_related_objects(players, "memberships")
    wanted = set(asked)
    for player in players:
        details = membership_label(player)
        if player.merged_into is not None:
            details = _("Duplicate of {member_id}").format(
                member_id=player.merged_into.member_id
            )
        for number in wanted & {player.member_id, player.shown_fide_id}:
            yield IdRow(
                asked=number,
                kind=PLAYERS,
                number=player.member_id,
                name=player.name,
                url=player.get_absolute_url(),
                details=details,
                state=player.state,
                fide_id=player.shown_fide_id or "",
                ratings=ratings[player.pk],
            )


def _events(asked: Sequence[str]) -> Iterator[IdRow]:
    for event in Event.objects.filter(event_id__in=_matching(_EVENT_ID, asked)):
        number, url = event.event_id, event.get_absolute_url()
        details = days(event.starts, event.ends)
        yield IdRow(number, EVENTS, number, event.name, url, details, event.state)


def _clubs(asked: Sequence[str]) -> Iterator[IdRow]:
    ids = _matching(_AFFILIATE_ID, asked)
    for club in Affiliate.objects.filter(affiliate_id__in=ids):
        number, url = club.affiliate_id, url_of_club(club)
        yield IdRow(number, CLUBS, number, club.name, url, "", club.state)
