"""Parse the input of the estimator: players, results and whole sections.

No queries. Errors say where they are and how to write the text correctly.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.formats.member_ids import MEMBER_ID

LOWEST_RATING, HIGHEST_RATING = 100, 3_500
MAX_OPPONENTS = 20
MAX_PLAYERS = 60
MAX_SECTION_LENGTH = 4_000
MAX_NAME_LENGTH = 40
# The games of a rating without a number of games: no rating counts for more than 50.
DEFAULT_GAMES = 50

HALF_POINTS = {"W": 2, "D": 1, "L": 0}
_MIRRORED = {"W": "L", "D": "D", "L": "W"}
_WHO = re.compile(
    r"(?P<unrated>UNR(?:ATED)?)(?P<adult>[ /]ADULT)?"
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
_SPLIT_RESULT = re.compile(r"\b([WDL])\s+([0-9]{1,2})\b", re.ASCII | re.IGNORECASE)
_UNPLAYED = re.compile(r"[BHUXFZ]?-+|[BHUXFZ]0", re.ASCII)
_SEPARATORS = re.compile(r"[|;\t]")

PLAYER_FORMAT_HELP = gettext_lazy(
    "Enter a rating such as 1654, 1654P12 (based on 12 games) or 1654F1600 (floor "
    "1600), a member ID, or “unr” for an unrated player."
)


class ParseError(ValueError):
    """The input cannot be parsed; the message says how to write it."""


@dataclass(frozen=True, slots=True)
class TypedRating:
    """A typed rating with its number of games and its floor, if any."""

    rating: float
    games: int = DEFAULT_GAMES
    floor: int | None = None


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """A typed player: a member, one or two ratings, or neither (unrated).

    The second rating is for the second system of a dual-rated section.
    """

    text: str
    member_id: str = ""
    ratings: tuple[TypedRating, ...] = ()
    is_adult: bool = False


@dataclass(frozen=True, slots=True)
class TypedPlayer:
    """A player of a section and the results, each a letter and an opponent's number."""

    number: int
    spec: PlayerSpec
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
    """The parsed part of a section, and its errors."""

    rows: list[TypedPlayer] = field(default_factory=list)
    games: list[TypedGame] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def parse_player_spec(text: str) -> PlayerSpec:
    """Parse one player. Raises ParseError.

    >>> parse_player_spec("1654p12").ratings
    (TypedRating(rating=1654.0, games=12, floor=None),)
    >>> parse_player_spec("12345678").member_id, parse_player_spec("unr adult").is_adult
    ('12345678', True)
    >>> [one.rating for one in parse_player_spec("1654.5/1598").ratings]
    [1654.5, 1598.0]
    """
    text = " ".join(text.split())
    if MEMBER_ID.whole.fullmatch(text.upper()):
        return PlayerSpec(text, member_id=text.upper())
    found = _WHO.fullmatch(text.upper())
    if found is None:
        raise _not_a_player(text)
    if found["unrated"]:
        return PlayerSpec(text, is_adult=found["adult"] is not None)
    typed = [part for part in (found["first"], found["second"]) if part]
    return PlayerSpec(text, ratings=tuple(_rating(part, text) for part in typed))


def _not_a_player(text: str) -> ParseError:
    short = text if len(text) <= 30 else f"{text[:30]}…"
    words = _("“{short}” is not a player. {how_to_write}")
    return ParseError(words.format(short=short, how_to_write=PLAYER_FORMAT_HELP))


def is_name(text: str) -> bool:
    """Return whether a text is a name: letters, and no rating or number.

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
        raise _not_a_player(text)
    rating = float(found["rating"])
    if not LOWEST_RATING <= rating <= HIGHEST_RATING:
        raise ParseError(
            _(
                "{found} is not a rating. Ratings are from {lowest_rating} to "
                "{highest_rating}."
            ).format(
                found=found["rating"],
                lowest_rating=LOWEST_RATING,
                highest_rating=HIGHEST_RATING,
            )
        )
    games = DEFAULT_GAMES if found["games"] is None else int(found["games"])
    if not games:
        raise ParseError(
            _(
                "A provisional rating is based on at least one game. "
                "Enter 1654P1 or unr."
            )
        )
    floor = None if found["floor"] is None else int(found["floor"])
    if floor is not None and not LOWEST_RATING <= floor <= rating:
        raise ParseError(
            _(
                "A floor of {floor} does not fit a rating of {found}. A floor is at "
                "least {lowest_rating} and not above the rating."
            ).format(floor=floor, found=found["rating"], lowest_rating=LOWEST_RATING)
        )
    return TypedRating(rating, games, floor)


def parse_section(text: str) -> TypedSection:
    """Parse a section, one player per line; blank lines do not count.

    >>> section = parse_section("1654 Ada W2\\n1500 Ben L1")
    >>> section.games, section.faults
    ([TypedGame(first=1, second=2, score=2)], [])
    """
    section = TypedSection()
    lines = [line for line in text.splitlines() if _SEPARATORS.sub(" ", line).strip()]
    if len(lines) < 2:
        section.faults.append(
            _("A section needs at least two players, each on a line.")
        )
    if len(lines) > MAX_PLAYERS:
        section.faults.append(
            _("You entered {lines} players; the limit is {most_players}.").format(
                lines=len(lines), most_players=MAX_PLAYERS
            )
        )
    if section.faults:
        return section
    for number, line in enumerate(lines, start=1):
        try:
            section.rows.append(_row(number, line))
        except ParseError as unreadable:
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
    line = _SPLIT_RESULT.sub(r"\1\2", _SEPARATORS.sub(" ", line))
    words = line.split()
    words = words[_line_number_length(number, words) :]
    if not words:
        raise ParseError(
            _("There is no player after the line number. {how_to_write}").format(
                how_to_write=PLAYER_FORMAT_HELP
            )
        )
    is_adult = len(words) > 1 and words[1].upper() == "ADULT"
    length = 2 if is_adult else 1
    spec = parse_player_spec(" ".join(words[:length]))
    rest = words[length:]
    first = _first_result(rest)
    results = tuple(_results(rest[first:]))
    if len(results) > MAX_OPPONENTS:
        raise ParseError(
            _("There are {results} games; the limit is {most_opponents}.").format(
                results=len(results), most_opponents=MAX_OPPONENTS
            )
        )
    return TypedPlayer(number, spec, " ".join(rest[:first])[:MAX_NAME_LENGTH], results)


def _line_number_length(number: int, words: Sequence[str]) -> int:
    """Return 1 if the line begins with its number. No rating has so few digits."""
    found = _NUMBER.fullmatch(words[0])
    if found is None:
        return 0
    if int(found[1]) != number:
        raise ParseError(
            _(
                "It has the number {found}. Number the players 1, 2, 3 in order, or "
                "leave out the numbers."
            ).format(found=found[1])
        )
    return 1


def _first_result(words: Sequence[str]) -> int:
    """Return the index of the first result; results are at the end of a line."""
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
    """Return the errors where the lines of two players disagree."""
    by_pair = _results_by_pair(rows)
    faults = []
    for (number, other), letters in by_pair.items():
        if other == number:
            faults.append(
                _("Line {number}: a player cannot be their own opponent.").format(
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
            answer = by_pair.get((other, number), [])
            if mirrored != answer and (number < other or not answer):
                faults.append(_disagreement(number, other, letters, answer))
    return faults


def _results_by_pair(rows: Sequence[TypedPlayer]) -> dict[tuple[int, int], list[str]]:
    """Return each player's results against each opponent, in order."""
    by_pair = defaultdict(list)
    for row in rows:
        for letter, other in row.results:
            by_pair[row.number, other].append(letter)
    return dict(by_pair)


def _disagreement(
    number: int, other: int, letters: Sequence[str], answer: Sequence[str]
) -> str:
    said = " ".join(f"{letter}{other}" for letter in letters)
    wanted = " ".join(f"{_MIRRORED[letter]}{number}" for letter in letters)
    instead = " ".join(f"{letter}{number}" for letter in answer)
    words = (
        _(
            "Line {number} has {said}, so line {other} must have {wanted}, but it "
            "has {instead}. Correct one of them."
        )
        if answer
        else _(
            "Line {number} has {said}, so line {other} must have {wanted}, but it "
            "has no such result. Correct one of them."
        )
    )
    return words.format(
        number=number, said=said, other=other, wanted=wanted, instead=instead
    )


def _games(rows: Sequence[TypedPlayer]) -> Iterator[TypedGame]:
    """Yield each game once, from the line of the lower number."""
    for row in rows:
        for letter, other in row.results:
            if row.number < other:
                yield TypedGame(row.number, other, HALF_POINTS[letter])
