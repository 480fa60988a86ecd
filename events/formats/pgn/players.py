"""Identify the players of a section by ID, or by name if there is none."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from events.formats.byes import can_be_username, is_no_player
from events.formats.findings import Collector, Place
from events.formats.online_play import Venue
from events.formats.pairings import PairedPlayer
from events.formats.parsing import (
    LONG_FIDE_ID,
    RATING,
    clean_text,
    match_or_blank,
)
from events.formats.pgn.tags import PgnGame
from events.formats.pgn.unplayed import has_too_few_moves
from events.formats.pgn.venues import game_venue
from events.formats.translatable_text import translatable_list
from players.formats.member_ids import MEMBER_ID

MAX_NAME_LENGTH = 60
SIDES = ("White", "Black")


class _Ids(NamedTuple):
    """The IDs of a player in one game, "" if missing."""

    member: str
    fide: str

    def __bool__(self) -> bool:
        return bool(self.member or self.fide)


class SectionPlayers:
    """The players of a section's games, numbered as they appear.

    A player without an ID is the only one with that name. Names that differ only in
    letter case and spaces are the same.
    """

    def __init__(self, games: Sequence[PgnGame], findings: Collector) -> None:
        self.findings = findings
        self._by_id: dict[str, PairedPlayer] = {}
        self._by_name: dict[str, list[PairedPlayer]] = defaultdict(list)
        self._without_id: dict[str, PairedPlayer] = {}
        # A player with moves is a person, even with the name "Free".
        self._handles = {
            _normalized_name(name)
            for game in games
            for name in map(game.tag, SIDES)
            if can_be_username(name) and not has_too_few_moves(game)
        }
        seats = [
            (game, side, player_ids(game, side)) for game in games for side in SIDES
        ]
        # Players with IDs are added before players are identified by name alone.
        ids_first = sorted(enumerate(seats), key=lambda item: not item[1][2])
        by_index = {place: self._player(*seat) for place, seat in ids_first}
        self._players_by_side = [by_index[place] for place in range(len(seats))]
        self.players = list(dict.fromkeys(filter(None, self._players_by_side)))
        for number, player in enumerate(self.players, start=1):
            player.number = number

    def players_of_game(
        self, game: int
    ) -> tuple[PairedPlayer | None, PairedPlayer | None]:
        """Return White and Black of a game by its index; None without a name."""
        return self._players_by_side[2 * game], self._players_by_side[2 * game + 1]

    def _player(self, game: PgnGame, side: str, ids: _Ids) -> PairedPlayer | None:
        name = clean_text(game.tag(side), MAX_NAME_LENGTH)
        if (
            not ids
            and is_no_player(name)
            and _normalized_name(name) not in self._handles
        ):
            return None
        player = self._find_known(_normalized_name(name), ids) or self._new(name, ids)
        self._report_other_name(game, player, name)
        self._add_ids(player, ids)
        player.rating = player.rating or match_or_blank(RATING, game.tag(f"{side}USCF"))
        if ids.fide and not player.fide_rating and game_venue(game) is Venue.BOARD:
            # Servers write their own rating into this tag.
            player.fide_rating = match_or_blank(RATING, game.tag(f"{side}Elo"))
        return player

    def _find_known(self, name: str, ids: _Ids) -> PairedPlayer | None:
        by_member = self._by_id.get(ids.member) if ids.member else None
        by_fide = self._by_id.get(f"FIDE {ids.fide}") if ids.fide else None
        if by_member or (by_fide and not (ids.member and by_fide.member_id)):
            return by_member or by_fide
        namesakes = self._by_name[name] if name else []
        if len(namesakes) == 1 and _can_be_same_player(namesakes[0], ids):
            return namesakes[0]
        return None if ids else self._without_id.get(name)

    def _new(self, name: str, ids: _Ids) -> PairedPlayer:
        player = PairedPlayer(0, name=name)
        if name:
            self._by_name[_normalized_name(name)].append(player)
        if not ids:
            self._without_id[_normalized_name(name)] = player
        return player

    def _add_ids(self, player: PairedPlayer, ids: _Ids) -> None:
        player.member_id = player.member_id or ids.member
        player.fide_id = player.fide_id or ids.fide
        if ids.member:
            self._by_id.setdefault(ids.member, player)
        if ids.fide:
            self._by_id.setdefault(f"FIDE {ids.fide}", player)

    def _report_other_name(
        self, game: PgnGame, player: PairedPlayer, name: str
    ) -> None:
        if not player.name:
            player.name = name
        elif name and name_words(name) != name_words(player.name):
            names = {"name": name, "known": player.name}
            member_id = player.member_id or player.fide_id
            place = Place(game.file, field=f"line {game.line}")
            values = {"line": game.line, "member_id": member_id, **names}
            self.findings.add("pgn.other_name", place, **values)

    def report_similar_names(self, section: int) -> None:
        """Report separate entries with similar names."""
        alike: dict[tuple[str, ...], list[PairedPlayer]] = defaultdict(list)
        for player in self.players:
            if player.name:
                alike[name_words(player.name)].append(player)
        for players in alike.values():
            if len(players) > 1:
                names = {_normalized_name(player.name) for player in players}
                kind = "pgn.alike/namesakes" if len(names) == 1 else "pgn.alike"
                place = Place(section=section, pairing_number=players[0].number)
                listed = translatable_list(_player_labels(players))
                self.findings.add(kind, place, listed=listed)


def _player_labels(players: Iterable[PairedPlayer]) -> list[str]:
    return [f"{player.number} ({player.name})" for player in players][:10]


def _can_be_same_player(player: PairedPlayer, ids: _Ids) -> bool:
    """Return whether the player has no known ID that differs from these."""
    return not ((ids.member and player.member_id) or (ids.fide and player.fide_id))


def _normalized_name(name: str) -> str:
    return " ".join(name.casefold().split())


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a name in any order: "Poe, Ann" and "Ann Poe" are alike.

    Vowel signs are part of their words.

    >>> name_words("Poe, Ann") == name_words("ann POE")
    True
    >>> name_words("राम") == name_words("रिम")
    False
    """
    signs = (
        sign if sign.isalnum() or unicodedata.category(sign)[0] == "M" else " "
        for sign in name.casefold()
    )
    return tuple(sorted("".join(signs).split()))


def player_ids(game: PgnGame, side: str) -> _Ids:
    """Return the IDs. The standard's tag of the rating often holds the member ID."""
    tags = (f"{side}USCFId", f"{side}USChessId", f"{side}USCF")
    members = (match_or_blank(MEMBER_ID.whole, game.tag(tag)) for tag in tags)
    fide_id = match_or_blank(LONG_FIDE_ID, game.tag(f"{side}FideId"))
    return _Ids(next(filter(None, members), ""), fide_id)
