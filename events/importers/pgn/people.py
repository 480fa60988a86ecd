"""Who the players of a section are, told by IDs where there are any, else by name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from events.importers.findings import Collector, Place
from events.importers.foreign.records import tidy
from events.importers.pairings import PairedPlayer
from events.importers.pgn.byes import is_nobody, may_be_handle
from events.importers.pgn.servers import Play, where
from events.importers.pgn.tags import PgnGame
from events.importers.pgn.unplayed import bare
from events.importers.sentences import say_list

LONGEST_NAME = 60
SIDES = ("White", "Black")

_MEMBER_ID = re.compile(r"[1-9][0-9]{7}", re.ASCII)
_FIDE_ID = re.compile(r"[1-9][0-9]{3,9}", re.ASCII)
_RATING = re.compile(r"[1-9][0-9]{2,3}", re.ASCII)


class _Ids(NamedTuple):
    """The IDs that a game gives one of its players, "" where it gives none."""

    member: str
    fide: str

    def __bool__(self) -> bool:
        return bool(self.member or self.fide)


class People:
    """The players of a section's games, numbered as they appear.

    Somebody without an ID is the only player of that name. Names are one if they
    differ in letter case and blanks only.
    """

    def __init__(self, games: Sequence[PgnGame], findings: Collector) -> None:
        self.findings = findings
        self._by_id: dict[str, PairedPlayer] = {}
        self._by_name: dict[str, list[PairedPlayer]] = defaultdict(list)
        self._without_id: dict[str, PairedPlayer] = {}
        # Who made moves is a player, even one who is called "Free".
        self._handles = {
            _plain(name)
            for game in games
            for name in map(game.tag, SIDES)
            if may_be_handle(name) and not bare(game)
        }
        seats = [(game, side, ids_of(game, side)) for game in games for side in SIDES]
        # Whom IDs tell apart is known before anybody is told by name alone.
        in_turn = sorted(enumerate(seats), key=lambda item: not item[1][2])
        found = {place: self._player(*seat) for place, seat in in_turn}
        self._seated = [found[place] for place in range(len(seats))]
        self.players = list(dict.fromkeys(filter(None, self._seated)))
        for number, player in enumerate(self.players, start=1):
            player.number = number

    def of(self, game: int) -> tuple[PairedPlayer | None, PairedPlayer | None]:
        """Return White and Black of a game by its place; None where nobody is named."""
        return self._seated[2 * game], self._seated[2 * game + 1]

    def _player(self, game: PgnGame, side: str, ids: _Ids) -> PairedPlayer | None:
        name = tidy(game.tag(side), LONGEST_NAME)
        if not ids and is_nobody(name) and _plain(name) not in self._handles:
            return None
        player = self._known(_plain(name), ids) or self._new(name, ids)
        self._tell_other_name(game, player, name)
        self._learn(player, ids)
        player.rating = player.rating or _matching(_RATING, game.tag(f"{side}USCF"))
        if ids.fide and not player.fide_rating and where(game) is Play.BOARD:
            # Servers write their own rating into this tag.
            player.fide_rating = _matching(_RATING, game.tag(f"{side}Elo"))
        return player

    def _known(self, name: str, ids: _Ids) -> PairedPlayer | None:
        by_member = self._by_id.get(ids.member) if ids.member else None
        by_fide = self._by_id.get(f"FIDE {ids.fide}") if ids.fide else None
        if by_member or (by_fide and not (ids.member and by_fide.member_id)):
            return by_member or by_fide
        namesakes = self._by_name[name] if name else []
        if len(namesakes) == 1 and _may_be(namesakes[0], ids):
            return namesakes[0]
        return None if ids else self._without_id.get(name)

    def _new(self, name: str, ids: _Ids) -> PairedPlayer:
        player = PairedPlayer(0, name=name)
        if name:
            self._by_name[_plain(name)].append(player)
        if not ids:
            self._without_id[_plain(name)] = player
        return player

    def _learn(self, player: PairedPlayer, ids: _Ids) -> None:
        player.member_id = player.member_id or ids.member
        player.fide_id = player.fide_id or ids.fide
        if ids.member:
            self._by_id.setdefault(ids.member, player)
        if ids.fide:
            self._by_id.setdefault(f"FIDE {ids.fide}", player)

    def _tell_other_name(self, game: PgnGame, player: PairedPlayer, name: str) -> None:
        if not player.name:
            player.name = name
        elif name and words_of(name) != words_of(player.name):
            self.findings.add(
                "pgn.other_name",
                Place(game.file, field=f"line {game.line}"),
                line=game.line,
                name=name,
                known=player.name,
                member_id=player.member_id or player.fide_id,
            )

    def tell_alike(self, section: int) -> None:
        """Say whose names are alike though they are entries of their own."""
        alike: dict[tuple[str, ...], list[PairedPlayer]] = defaultdict(list)
        for player in self.players:
            if player.name:
                alike[words_of(player.name)].append(player)
        for players in alike.values():
            if len(players) > 1:
                one_name = len({_plain(player.name) for player in players}) == 1
                self.findings.add(
                    "pgn.alike/namesakes" if one_name else "pgn.alike",
                    Place(section=section, pairing_number=players[0].number),
                    listed=say_list(_shown(players)),
                )


def _shown(players: Iterable[PairedPlayer]) -> list[str]:
    return [f"{player.number} ({player.name})" for player in players][:10]


def _may_be(player: PairedPlayer, ids: _Ids) -> bool:
    """Tell whether no ID says that it is somebody else."""
    return not ((ids.member and player.member_id) or (ids.fide and player.fide_id))


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in any order: "Poe, Ann" and "Ann Poe" are alike."""
    return tuple(sorted(re.findall(r"[^\W_]+", name.casefold())))


def ids_of(game: PgnGame, side: str) -> _Ids:
    """Return the IDs. The standard's tag of the rating often holds the member ID."""
    tags = (f"{side}USCFId", f"{side}USChessId", f"{side}USCF")
    members = (_matching(_MEMBER_ID, game.tag(tag)) for tag in tags)
    fide_id = _matching(_FIDE_ID, game.tag(f"{side}FideId"))
    return _Ids(next(filter(None, members), ""), fide_id)


def _matching(shape: re.Pattern[str], text: str) -> str:
    return text if shape.fullmatch(text) else ""
