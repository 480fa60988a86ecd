"""What people type into the estimator, read: players, results and whole sections.

Nothing here asks the database. What cannot be read becomes sentences that say where
it stands and how to write it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

LOWEST_RATING, HIGHEST_RATING = 100, 3_500
MOST_OPPONENTS = 20
MOST_PLAYERS = 60
LONGEST_SECTION = 4_000
LONGEST_NAME = 40
# What a rating without a number of games is taken to rest on: no rating is ever worth
# more than 50 games.
USUAL_GAMES = 50

HALF_POINTS = {"W": 2, "D": 1, "L": 0}
_MIRRORED = {"W": "L", "D": "D", "L": "W"}
_WHO = re.compile(
    r"(?P<member>[1-9][0-9]{7})"
    r"|(?P<unrated>UNR(?:ATED)?)(?P<adult>[ /]ADULT)?"
    r"|(?P<first>[^/]+)(?:/(?P<second>[^/]+))?",
    re.ASCII,
)
_RATING = re.compile(
    r"(?P<rating>[0-9]{3,4}(?:\.[0-9]{1,2})?)"
    r"(?:P(?P<games>[0-9]{1,4}))?(?:F(?P<floor>[0-9]{3,4}))?",
    re.ASCII,
)
_DIGIT = re.compile(r"[0-9]", re.ASCII)
_NUMBER = re.compile(r"([0-9]{1,2})[.):]?", re.ASCII)
_RESULT = re.compile(r"([WDL])([0-9]{1,2})", re.ASCII)
_APART = re.compile(r"\b([WDL])\s+([0-9]{1,2})\b", re.ASCII | re.IGNORECASE)
_UNPLAYED = re.compile(r"[BHUXFZ]?-+|[BHUXFZ]0", re.ASCII)
_SEPARATORS = re.compile(r"[|;\t]")

HOW_TO_WRITE = gettext_lazy(
    "Write a rating such as 1654, 1654P12 (on 12 games) or 1654F1600 (floor 1600), a "
    "member ID of eight digits, or “unr” for an unrated player."
)


class Unreadable(ValueError):
    """What was typed cannot be read; the message says how to write it."""


@dataclass(frozen=True, slots=True)
class TypedRating:
    """A rating as typed, with the games it rests on and its floor, if there is one."""

    rating: float
    games: int = USUAL_GAMES
    floor: int | None = None


@dataclass(frozen=True, slots=True)
class Who:
    """A player as typed: a member, one or two ratings, or (neither) unrated.

    The second rating is that in the second system of a dual-rated section.
    """

    text: str
    member_id: str = ""
    ratings: tuple[TypedRating, ...] = ()
    is_adult: bool = False


@dataclass(frozen=True, slots=True)
class TypedPlayer:
    """A player of a section and the results, each a letter and an opponent's number."""

    number: int
    who: Who
    name: str
    results: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class TypedGame:
    """A game between two numbers of a section; *score* is the first one's."""

    first: int
    second: int
    score: int


@dataclass(slots=True)
class TypedSection:
    """What could be read of a section, and what could not."""

    rows: list[TypedPlayer] = field(default_factory=list)
    games: list[TypedGame] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def read_who(text: str) -> Who:
    """Read one player; raises Unreadable.

    >>> read_who("1654p12").ratings
    (TypedRating(rating=1654.0, games=12, floor=None),)
    >>> read_who("12345678").member_id, read_who("unr adult").is_adult
    ('12345678', True)
    >>> [one.rating for one in read_who("1654.5/1598").ratings]
    [1654.5, 1598.0]
    """
    text = " ".join(text.split())
    found = _WHO.fullmatch(text.upper())
    if found is None:
        raise Unreadable(
            _("“{short}” names no player. {how_to_write}").format(
                short=_short(text), how_to_write=HOW_TO_WRITE
            )
        )
    if found["member"]:
        return Who(text, member_id=found["member"])
    if found["unrated"]:
        return Who(text, is_adult=found["adult"] is not None)
    typed = [part for part in (found["first"], found["second"]) if part]
    return Who(text, ratings=tuple(_rating(part, text) for part in typed))


def is_name(text: str) -> bool:
    """Tell whether a text names somebody: letters, and no rating or number.

    >>> is_name("O'Brien, Pat"), is_name("unr adult"), is_name("1654P12")
    (True, False, False)
    """
    words = " ".join(text.split()).upper()
    unrated = _WHO.fullmatch(words)
    if unrated is not None and unrated["unrated"]:
        return False
    return not _DIGIT.search(words) and any(sign.isalpha() for sign in words)


def _rating(part: str, text: str) -> TypedRating:
    found = _RATING.fullmatch(part)
    if found is None:
        raise Unreadable(
            _("“{short}” names no player. {how_to_write}").format(
                short=_short(text), how_to_write=HOW_TO_WRITE
            )
        )
    rating = float(found["rating"])
    if not LOWEST_RATING <= rating <= HIGHEST_RATING:
        raise Unreadable(
            _(
                "{found} is not a rating: ratings are from {lowest_rating} to "
                "{highest_rating}."
            ).format(
                found=found["rating"],
                lowest_rating=LOWEST_RATING,
                highest_rating=HIGHEST_RATING,
            )
        )
    games = USUAL_GAMES if found["games"] is None else int(found["games"])
    if not games:
        raise Unreadable(_("A rating rests on at least one game. Write 1654P1 or unr."))
    floor = None if found["floor"] is None else int(found["floor"])
    if floor is not None and not LOWEST_RATING <= floor <= rating:
        raise Unreadable(
            _(
                "A floor of {floor} does not go with a rating of {found}: it is "
                "at least {lowest_rating} and not above the rating."
            ).format(floor=floor, found=found["rating"], lowest_rating=LOWEST_RATING)
        )
    return TypedRating(rating, games, floor)


def read_section(text: str) -> TypedSection:
    """Read a section, one player per line; lines without a word do not count.

    >>> section = read_section("1654 Ada W2\\n1500 Ben L1")
    >>> section.games, section.faults
    ([TypedGame(first=1, second=2, score=2)], [])
    """
    section = TypedSection()
    lines = [line for line in text.splitlines() if _SEPARATORS.sub(" ", line).strip()]
    if len(lines) < 2:
        section.faults.append(
            _("A section needs at least two players, each on a line.")
        )
    if len(lines) > MOST_PLAYERS:
        section.faults.append(
            _("These are {lines} players; at most {most_players} fit in here.").format(
                lines=len(lines), most_players=MOST_PLAYERS
            )
        )
    if section.faults:
        return section
    for number, line in enumerate(lines, start=1):
        try:
            section.rows.append(_row(number, line))
        except Unreadable as unreadable:
            section.faults.append(
                _("Line {number}: {unreadable}").format(
                    number=number, unreadable=unreadable
                )
            )
    if not section.faults:
        section.faults += _faults_in_results(section.rows)
    if not section.faults:
        section.games += _games(section.rows)
    return section


def _row(number: int, line: str) -> TypedPlayer:
    line = _APART.sub(r"\1\2", _SEPARATORS.sub(" ", line))
    words = line.split()
    words = words[_numbers_ahead(number, words) :]
    if not words:
        raise Unreadable(
            _("There is no player behind the number. {how_to_write}").format(
                how_to_write=HOW_TO_WRITE
            )
        )
    is_adult = len(words) > 1 and words[1].upper() == "ADULT"
    length = 2 if is_adult else 1
    who = read_who(" ".join(words[:length]))
    rest = words[length:]
    first = _first_result(rest)
    results = tuple(_results(rest[first:]))
    if len(results) > MOST_OPPONENTS:
        raise Unreadable(
            _("These are {results} games; at most {most_opponents}.").format(
                results=len(results), most_opponents=MOST_OPPONENTS
            )
        )
    return TypedPlayer(number, who, " ".join(rest[:first])[:LONGEST_NAME], results)


def _numbers_ahead(number: int, words: Sequence[str]) -> int:
    """Return 1 if the line begins with its number. No rating has so few digits."""
    found = _NUMBER.fullmatch(words[0])
    if found is None:
        return 0
    if int(found[1]) != number:
        raise Unreadable(
            _(
                "It has the number {found}. Number the players 1, 2, 3 in order, or "
                "leave the numbers out."
            ).format(found=found[1])
        )
    return 1


def _first_result(words: Sequence[str]) -> int:
    """Return where the results begin, which stand at the end of a line."""
    first = len(words)
    while first and _is_result(words[first - 1].upper()):
        first -= 1
    return first


def _is_result(word: str) -> bool:
    return bool(_RESULT.fullmatch(word) or _UNPLAYED.fullmatch(word))


def _results(words: Sequence[str]) -> Iterator[tuple[str, int]]:
    for word in words:
        found = _RESULT.fullmatch(word.upper())
        if found:
            yield found[1], int(found[2])


def _faults_in_results(rows: Sequence[TypedPlayer]) -> list[str]:
    """Return where the lines of two players do not tell the same."""
    told = _told(rows)
    faults = []
    for (number, other), letters in told.items():
        if other == number:
            faults.append(
                _("Line {number}: nobody can be their own opponent.").format(
                    number=number
                )
            )
        elif not 1 <= other <= len(rows):
            faults.append(
                _(
                    "Line {number}: {letters}{other} names a player on line {other}, "
                    "but there are {rows} lines."
                ).format(number=number, letters=letters[0], other=other, rows=len(rows))
            )
        else:
            mirrored = [_MIRRORED[letter] for letter in letters]
            answer = told.get((other, number), [])
            if mirrored != answer and (number < other or not answer):
                faults.append(_disagreement(number, other, letters, answer))
    return faults


def _told(rows: Sequence[TypedPlayer]) -> dict[tuple[int, int], list[str]]:
    """Return each player's results against each opponent, in order."""
    told = defaultdict(list)
    for row in rows:
        for letter, other in row.results:
            told[row.number, other].append(letter)
    return dict(told)


def _disagreement(
    number: int, other: int, letters: Sequence[str], answer: Sequence[str]
) -> str:
    said = " ".join(f"{letter}{other}" for letter in letters)
    wanted = " ".join(f"{_MIRRORED[letter]}{number}" for letter in letters)
    instead = " ".join(f"{letter}{number}" for letter in answer)
    words = (
        _(
            "Line {number} has {said}, so line {other} must have {wanted}, but it "
            "has {instead}. Correct one of the two."
        )
        if answer
        else _(
            "Line {number} has {said}, so line {other} must have {wanted}, but it "
            "says nothing of it. Correct one of the two."
        )
    )
    return words.format(
        number=number, said=said, other=other, wanted=wanted, instead=instead
    )


def _games(rows: Sequence[TypedPlayer]) -> Iterator[TypedGame]:
    """Return each game once, as the line of the lower number has it."""
    for row in rows:
        for letter, other in row.results:
            if row.number < other:
                yield TypedGame(row.number, other, HALF_POINTS[letter])


def _short(text: str) -> str:
    return text if len(text) <= 30 else f"{text[:30]}…"
