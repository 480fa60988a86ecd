"""Find repeated games by players, day and moves, even if other tags differ.

A copy may abbreviate the names ("Poe, A.") or have no date or round.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, partial
from itertools import chain, product, starmap
from typing import NamedTuple

from events.formats.pgn.moves import main_line
from events.formats.pgn.players import SIDES, name_words, player_ids
from events.formats.pgn.tags import PgnGame

# Two games of the same players may share an opening, but hardly this many half-moves.
_MIN_LONG_GAME = 12
# Two players do not meet more often on one day.
_MAX_COMPARED = 40
# Of a name with more words, these are enough to find it.
_MAX_WORDS = 3
# So many players with the same word and initial are not one player abbreviated.
_MAX_SIMILAR = 20
_MAX_NAMES = 10_000

_ANY_DAY = date.min

_NameWords = tuple[str, ...]


class _Player(NamedTuple):
    """The words of a player's name, and the IDs."""

    name: _NameWords
    ids: tuple[str, str]

    def keys(self) -> list[object]:
        return [one for one in (self.name, *self.ids) if one]

    def contradicts(self, other: _Player) -> bool:
        return any(starmap(_is_known_difference, zip(self.ids, other.ids, strict=True)))

    def is_same_player(self, other: _Player) -> bool:
        """Return whether both have the same name or an ID in common."""
        if self.name and self.name == other.name:
            return True
        return any(a and a == b for a, b in zip(self.ids, other.ids, strict=True))


def _players(game: PgnGame) -> list[_Player]:
    return [
        _Player(name_words(game.tag(side)), player_ids(game, side)) for side in SIDES
    ]


@dataclass(eq=False)  # without slots, so that cached properties work
class GameRecord:
    """A game with the data of its tags; the round is 0 if unknown."""

    game: PgnGame
    section: tuple[str, str]
    day: date | None
    round_number: int
    codes: tuple[str, str]

    def __post_init__(self) -> None:
        self.time = self.game.tag("UTCTime")
        site = self.game.tag("Site")
        self.address = self.game.tag("Link") or (site if "://" in site else "")
        self.players = _players(self.game)

    @cached_property
    def moves(self) -> tuple[str, ...]:
        return main_line(self.game.movetext)

    def is_duplicate_of(self, other: GameRecord) -> bool:
        """Return whether this is certainly the same game as *other*."""
        return (
            (self.section, self.codes) == (other.section, other.codes)
            and self._has_same_details(other)
            and not _is_known_difference(self.moves, other.moves)
            and (self.has_same_long_moves(other) or self._is_same_board_or_time(other))
        )

    def is_likely_duplicate_of(self, other: GameRecord) -> bool:
        """Return whether this is likely the same game, though the tags differ."""
        if self.has_same_long_moves(other):
            return True
        if self.codes != other.codes or _is_known_difference(self.moves, other.moves):
            return False
        if bool(self.moves) == bool(other.moves):
            return self.section == other.section and self._has_same_details(other)
        return not _is_known_difference(self.round_number, other.round_number)

    def _has_same_details(self, other: GameRecord) -> bool:
        """Return whether the known details (round, time and place) are the same."""
        return not (
            _is_known_difference(self.round_number, other.round_number)
            or _is_known_difference(self.time, other.time)
            or _is_known_difference(self.address, other.address)
        )

    def has_same_long_moves(self, other: GameRecord) -> bool:
        return len(self.moves) >= _MIN_LONG_GAME and self.moves == other.moves

    def _is_same_board_or_time(self, other: GameRecord) -> bool:
        """Return whether two players can have had only one game there."""
        if _is_known_difference(self._board_number(), other._board_number()):
            return False
        return bool(
            (self.round_number and other.round_number)
            or (self.address and other.address)
            or (self.time and other.time)
        )

    def _board_number(self) -> str:
        """Return the board or the game within the round, "2" of "1.2"."""
        return self.game.tag("Round").partition(".")[2].strip()

    def merge_from(self, copy: GameRecord) -> None:
        """Fill in missing moves, day, round, names and IDs from a copy."""
        game, more = self.game, copy.game
        if copy.moves and not self.moves:
            self.moves = copy.moves
            game, more = more, game
        tags = dict(game.tags)
        for tag in more.tags:
            if tag.startswith(("white", "black")) and not game.tag(tag):
                tags[tag] = more.tags[tag]
        for side, ours, theirs in zip(SIDES, self.players, copy.players, strict=True):
            is_whole = not ours.name or (
                _letter_count(theirs.name) > _letter_count(ours.name)
                and is_abbreviation(ours.name, theirs.name)
            )
            tags[side.lower()] = (copy if is_whole else self).game.tag(side)
        if bool(self.day) != bool(copy.day):
            dated = self if self.day else copy
            for tag in ("date", "utcdate"):
                tags[tag] = dated.game.tag(tag)
        if bool(self.round_number) != bool(copy.round_number):
            numbered = self if self.round_number else copy
            tags["round"] = numbered.game.tag("Round")
        self.game = replace(game, tags=tags)
        self.day = self.day or copy.day
        self.round_number = self.round_number or copy.round_number
        self.players = _players(self.game)


class DuplicateFinder:
    """Finds games that repeat an earlier one."""

    def __init__(self, games: Iterable[GameRecord]) -> None:
        self._seen: dict[tuple[object, ...], list[GameRecord]] = defaultdict(list)
        self._has_undated = False
        names: dict[_NameWords, None] = {}
        for game in games:
            names.update(dict.fromkeys(player.name for player in game.players))
            self._has_undated |= game.day is None
        self._similar_names = _similar_names(names)

    def add(self, game: GameRecord) -> tuple[GameRecord | None, bool]:
        """Return the game that *game* repeats or None, and whether it is certain."""
        others = self._candidates(game)
        same = list(filter(game.is_duplicate_of, others))
        for other in same:
            if self._has_same_players(game, other):
                return other, True
        for key in product(*(player.keys() for player in game.players)):
            self._seen[game.day, *key].append(game)
            if self._has_undated and game.day:
                self._seen[_ANY_DAY, *key].append(game)
        likely = chain(same, filter(game.is_likely_duplicate_of, others))
        return next(likely, None), False

    def _candidates(self, game: GameRecord) -> Collection[GameRecord]:
        """Return the games that may have the players and the day of *game*."""
        sides = [
            [*player.keys(), *self._similar_names.get(player.name, ())]
            for player in game.players
        ]
        days = [game.day]
        if self._has_undated:
            days.append(None if game.day else _ANY_DAY)
        games = {
            id(one): one
            for day, *key in product(days, *sides)
            for one in self._seen.get((day, *key), ())[-_MAX_COMPARED:]
            if not _is_known_difference(game.day, one.day)
        }
        return games.values()

    def _has_same_players(self, game: GameRecord, other: GameRecord) -> bool:
        """Return whether both games certainly have the same players.

        An abbreviated name counts if it fits no other player in the files, or if the
        games have the same long moves.
        """
        return all(
            not ours.contradicts(theirs)
            and (
                ours.is_same_player(theirs)
                or game.has_same_long_moves(other)
                or self._is_unambiguous(ours, theirs)
            )
            for ours, theirs in zip(game.players, other.players, strict=True)
        )

    def _is_unambiguous(self, ours: _Player, theirs: _Player) -> bool:
        short = min(ours.name, theirs.name, key=_letter_count)
        return len(self._similar_names.get(short, ())) == 1


def _similar_names(names: Collection[_NameWords]) -> dict[_NameWords, list[_NameWords]]:
    """Return the similar names of each name, with initials or additional words.

    >>> _similar_names([("a", "poe"), ("ann", "poe"), ("bob", "poe")])
    {('a', 'poe'): [('ann', 'poe')], ('ann', 'poe'): [('a', 'poe')]}
    """
    by_word: dict[tuple[str, str], list[_NameWords]] = defaultdict(list)
    for name in list(names)[:_MAX_NAMES]:
        for key in _name_keys(name):
            by_word[key].append(name)
    similar: dict[_NameWords, dict[_NameWords, None]] = defaultdict(dict)
    for name in list(names)[:_MAX_NAMES]:
        if len(name) == 2 and all(map(_is_full_word, name)):
            continue  # added from the other name
        for other in chain.from_iterable(
            by_word[key][:_MAX_SIMILAR] for key in _name_keys(name)
        ):
            if name != other and is_abbreviation(name, other):
                similar[name][other] = similar[other][name] = None
    return {name: list(others) for name, others in similar.items()}


def is_abbreviation(one: _NameWords, other: _NameWords) -> bool:
    """Return whether one name may be the other, with initials or without some words.

    >>> ann = ("ann", "poe")
    >>> [is_abbreviation(one, ann) for one in (("a", "poe"), ("poe",), ("andy", "poe"))]
    [True, False, False]
    >>> is_abbreviation(("a", "p"), ("p",))
    False
    >>> is_abbreviation(("1", "player"), ("12", "player"))
    False
    >>> is_abbreviation(("ali", "ali"), ("ali", "hassan", "mohammed"))
    False
    """
    short, long = sorted((one, other), key=len)
    full_words = Counter(filter(_is_full_word, short))
    whole = full_words & Counter(long)
    left = list((Counter(long) - whole).elements())
    for word in sorted((Counter(short) - whole).elements()):
        if not (match := next(filter(partial(_is_initial, word), left), "")):
            return False
        left.remove(match)
    return bool(whole) and len(short) > 1


def _name_keys(name: _NameWords) -> list[tuple[str, str]]:
    """Return the word and initial of each of the shortest abbreviations of *name*.

    >>> _name_keys(("ann", "poe"))
    [('ann', 'p'), ('poe', 'a')]
    """
    whole = sorted(filter(_is_full_word, name), key=len)[-_MAX_WORDS:]
    return [
        (word, initial)
        for word in whole
        for initial in sorted({other[0] for other in name if other != word})
    ]


def _is_initial(one: str, other: str) -> bool:
    return 1 in (len(one), len(other)) and one[0] == other[0] and one[0].isalpha()


def _is_full_word(word: str) -> bool:
    return len(word) > 1


def _letter_count(name: _NameWords) -> int:
    return sum(map(len, name))


def _is_known_difference(ours: object, theirs: object) -> bool:
    """Return whether both are known and differ."""
    return bool(ours and theirs and ours != theirs)
