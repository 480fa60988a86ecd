"""Time controls in the spellings of files and people, and the one the office stores.

All readers and forms parse time controls here. A number counts only if its unit or its
position makes its meaning clear. An ambiguous text is not read: the report asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

MAX_TEXT_LENGTH = 200
_MAX_MINUTES, _MAX_SECONDS = 1000, 120
# Without a unit, a main time of at least this is in seconds: no game has 180 minutes
# and a short increment. With a long one it may have.
_SECONDS_FROM = 180
_MAX_GAME_MINUTES = 300
_LONG_INCREMENT = 15

_HOUR = r"(?:hours?|horas?|heures?|hrs?|stunden?|std|ore|uur|h)(?![a-zà-ÿ])"
_MINUTE = r"(?:minutes?|minutos?|minuten|minuti|minuut|mins?|mn|m)(?![a-zà-ÿ])|'(?!')"
_SECOND = (
    r"(?:seconds?|segundos?|sekunden?|secondes?|secondi|seconden|secs?|sek|seg|s)"
    r"(?![a-zà-ÿ])|''|\""
)
_MOVES = (
    r"(?:moves|mvs|z[uü]gen?|jugadas|movimientos|movidas|lances|coups|mosse|zetten)"
)
_UNRELATED_UNITS = (
    r"(?:rounds?|rds?|rnds?|runden?|rondas?|rondes?|rodadas|turni|players?|spielern?|"
    r"jugadores|joueurs|games|partien|partidas|parties|boards?|bretter|sections?|"
    r"participants?|points?|ss|rr)"
)
_TOKENS = re.compile(
    "|".join(
        f"(?P<{name}>{pattern})"
        for name, pattern in (
            # Rounds or later moves with times of their own are not one control.
            ("several", r"(?:rounds?|rds?|runden?|rondas?)\s*#?[0-9]+|\bor\b|\boder\b"),
            ("first_move", r"(?:from|starting|after|ab|desde)?\W*(?:on |at |with )?"
             r"(?:move|zug|jugada|coup)\W*(?:no\W*|number )?(?:1|one)(?![0-9])"),
            ("later_move", r"(?:move|zug|jugada|coup)\W*(?:no\W*|number )?[0-9]+"),
            ("none", r"(?:no|without|w/o|zero)\s+(?:delay|increment|inc|bonus)\b"),
            ("other", rf"[0-9]+[\s-]*{_UNRELATED_UNITS}(?![a-zà-ÿ])"),
            ("moves", rf"[0-9]+[\s-]*{_MOVES}(?![a-zà-ÿ])"),
            ("clock", r"[0-9]{1,3}:[0-9]{2}(?::[0-9]{2})?(?![0-9:])"),
            ("hours_minutes", rf"[0-9]+[\s-]*{_HOUR.replace('(?![a-zà-ÿ])', '')}(?:"
             rf"[0-9]{{1,2}}(?![0-9/.,]|\s*(?:{_SECOND}))(?:\s*(?:{_MINUTE}))?"
             rf"|[.\s,]*(?:and |und |y |et )?[0-9]{{1,2}}[\s-]*(?:{_MINUTE}))"),
            ("hours", rf"[0-9]+(?:[.,][0-9]+)?[\s-]*{_HOUR}"),
            ("seconds", rf"[0-9]+[\s-]*(?:{_SECOND})"),
            ("minutes", rf"[0-9]+[\s-]*(?:{_MINUTE})"),
            ("rest", r"(?:\bgame(?:\s*in\b)?|\bsudden\s*death(?:\s*in\b)?|\bs\.?d\b\.?"
             r"|\bg)\s*[/:]?\s*(?=[0-9])"),
            ("per_moves", r"[0-9]+\s*/\s*(?=[0-9])"),
            ("delay", r"\bt\s*/\s*d\b|\btd(?=[\W0-9])|(?:time |simple |us )?delay"
             r"|bronstein|(?<![a-zà-ÿ])d(?=[\s/:=.-]*[0-9])"),
            ("increment", r"increments?|incremento|incr?(?![a-zà-ÿ])|fischer|bonus"
             r"|(?:per|a|each|every|pro|je|por|par)[ -](?:move|zug|jugada|coup)"
             r"|/\s*(?:move|mv|zug|jugada|coup)\b|(?<![a-zà-ÿ])i(?=[\s/:=.+-]*[0-9])"),
            ("plus", r"\+|\bplus\b|\|"),
            ("number", r"[0-9]+(?![0-9]|[.,][0-9])"),
            ("word", r"[a-zà-ÿ]+"),
            ("gap", r"[\s,;:./=()\[\]–—-]+"),
        )
    )
)  # fmt: skip
_QUOTE_VARIANTS = str.maketrans(
    {"’": "'", "′": "'", "‘": "'", "´": "'", "`": "'", "″": '"', "”": '"', "“": '"'}
)
_Token = tuple[str, str]


@dataclass(frozen=True, slots=True)
class TimeControlReading:
    """The office's spelling, or "" and all candidates of an ambiguous text."""

    control: str = ""
    candidates: tuple[str, ...] = ()


class _ParseError(ValueError):
    """The text is not a time control, or has more than one."""


def normalize_time_control(text: str) -> str:
    """Return the office's spelling of a time control; other texts are unchanged.

    A text that differs only in spaces, commas and capitals is unchanged, too.

    >>> texts = ("90 min + 30 sec/move", "G/60, T/D 5", "g60 d5", "by arrangement")
    >>> [normalize_time_control(text) for text in texts]
    ['G/90;+30', 'G/60;d5', 'g60 d5', 'by arrangement']
    """
    control = read_time_control(text).control
    return control if control and _plain(control) != _plain(text) else text


def _plain(text: str) -> str:
    return re.sub(r"[\s,;/]", "", text.casefold()).removesuffix("d0")


@lru_cache(maxsize=1024)
def read_time_control(text: str) -> TimeControlReading:
    """Read a time control.

    >>> texts = ("40/2, SD/1; i30", "900s+10s", "25 min, 7 rounds", "7 rounds")
    >>> [read_time_control(text).control for text in texts]
    ['40/120,SD/60;+30', 'G/15;+10', 'G/25;d0', '']
    >>> read_time_control("180+30").candidates
    ('G/3;+30', 'G/180;+30')
    """
    try:
        parser = _Parser(list(_tokens(text)))
        return parser.read()
    except _ParseError:
        return TimeControlReading()


def _tokens(text: str) -> Iterator[_Token]:
    if len(text) > MAX_TEXT_LENGTH:
        raise _ParseError
    text, place = text.casefold().translate(_QUOTE_VARIANTS), 0
    while place < len(text):
        match = _TOKENS.match(text, place)
        if match is None or match.lastgroup is None or match.end() == place:
            raise _ParseError
        if match.lastgroup in ("several", "later_move"):
            raise _ParseError
        if match.lastgroup not in ("gap", "first_move"):
            yield match.lastgroup, match[0]
        place = match.end()


def _numbers(text: str) -> list[int]:
    return [int(digits[:6]) for digits in re.findall("[0-9]+", text)]


class _Parser:
    """Finds the meaning of each number, by its unit or its neighbors."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = [token for token in tokens if token[0] != "other"]
        # The moves, and the possible minutes for them.
        self.controls: list[tuple[int | None, tuple[int, ...]]] = []
        self.moves: int | None = None
        self.is_rest = self.is_sudden_death = self.is_unclear = False
        self.seconds: set[tuple[int, bool]] = set()

    def read(self) -> TimeControlReading:
        for place, (kind, text) in enumerate(self.tokens):
            if kind == "number":
                self._number(place, _numbers(text)[0])
            elif kind == "seconds":
                self._seconds(place, _numbers(text)[0])
            elif kind in ("hours", "hours_minutes", "minutes", "clock"):
                self._control(*_minutes(kind, text))
            elif kind in ("moves", "per_moves"):
                self._moves(kind, _numbers(text)[0])
            elif kind == "rest":
                self.is_rest, self.is_sudden_death = True, text.startswith("s")
            elif kind == "none":
                self.seconds.add((0, False))
        return self._reading()

    def _reading(self) -> TimeControlReading:
        moves = [moves for moves, _ in self.controls]
        in_order = moves and moves[-1] is None and None not in moves[:-1]
        named = {one for one in self.seconds if one[0]}
        if not in_order or self.moves or len(named) > 1:
            raise _ParseError
        seconds, is_delay = next(iter(named), (0, True))
        tail = f"d{seconds}" if is_delay or not seconds else f"+{seconds}"
        rest = "G" if len(moves) == 1 else "SD"
        candidates = tuple(
            ",".join(
                f"{number or rest}/{minutes}"
                for number, minutes in zip(moves, all_minutes, strict=True)
            )
            + f";{tail}"
            for all_minutes in product(*(minutes for _, minutes in self.controls))
        )
        if len(candidates) > 1 or self.is_unclear:
            return TimeControlReading(candidates=candidates)
        return TimeControlReading(candidates[0])

    def _control(self, *minutes: int) -> None:
        if not all(0 <= one <= _MAX_MINUTES for one in minutes):
            raise _ParseError
        self.controls.append((self.moves, minutes))
        self.moves, self.is_rest = None, False

    def _moves(self, kind: str, moves: int) -> None:
        """Assign moves to the time before them (90 min for 40 moves) or after."""
        if not 0 < moves <= 200 or self.is_rest or self.moves:
            raise _ParseError
        if kind == "moves" and self.controls and self.controls[-1][0] is None:
            self.controls[-1] = (moves, self.controls[-1][1])
        else:
            self.moves = moves

    def _token_kind(self, place: int) -> str:
        return self.tokens[place][0] if 0 <= place < len(self.tokens) else ""

    def _number(self, place: int, number: int) -> None:
        before, behind = self._token_kind(place - 1), self._token_kind(place + 1)
        if self.moves:
            self._control(*self._hours_or_minutes(number))
        elif self.is_rest:
            self._control(*self._rest_of_game(number))
        elif self._needs_control() and behind in ("plus", "delay", "increment"):
            self._control(*self._unit_by_size(place, number))
        elif before in ("plus", "delay", "increment") or (
            self.controls and behind in ("delay", "increment")
        ):
            self._seconds(place, number)
        else:
            raise _ParseError

    def _needs_control(self) -> bool:
        return not self.controls or self.controls[-1][0] is not None

    def _hours_or_minutes(self, number: int) -> tuple[int, ...]:
        """Return minutes: 40/2 is two hours, and 40/7200 is in seconds."""
        if self.moves and self.moves >= 20 and 0 < number <= 3:
            return (number * 60,)
        if number >= 2 * _MAX_GAME_MINUTES and number % 60 == 0:
            return (number // 60,)
        return (number,)

    def _rest_of_game(self, number: int) -> tuple[int, ...]:
        if number not in (1, 2) or not (self.controls or self.is_sudden_death):
            return (number,)
        before = min(self.controls[-1][1]) if self.controls else number * 60
        return (number * 60,) if before >= 30 else (number, number * 60)

    def _unit_by_size(self, place: int, number: int) -> tuple[int, ...]:
        """Return the minutes of a main time without a unit, as 90+30 and 600d5."""
        if number < _SECONDS_FROM:
            return (number,)
        if number % 60:
            self.is_unclear = True
            return (number,)
        following = self.tokens[place + 1 :]
        seconds = next(
            (_numbers(text)[0] for _, text in following if _has_digit(text)), 0
        )
        is_delay = any(kind == "delay" for kind, _ in following)
        if number < _MAX_GAME_MINUTES and (is_delay or seconds >= _LONG_INCREMENT):
            return number // 60, number
        return (number // 60,)

    def _seconds(self, place: int, number: int) -> None:
        before, behind = self._token_kind(place - 1), self._token_kind(place + 1)
        if not self.controls:
            if before in ("plus", "delay", "increment") or not number or number % 60:
                raise _ParseError
            self._control(number // 60)
            return
        if number > _MAX_SECONDS or self.is_rest or self.moves:
            raise _ParseError
        if behind == "delay" and self._token_kind(place + 2) in ("number", "seconds"):
            behind = ""  # it names the next number, as in +5;d5
        self.seconds.add((number, "delay" in (before, behind) or not number))


def _has_digit(text: str) -> bool:
    return bool(re.search("[0-9]", text))


def _minutes(kind: str, text: str) -> tuple[int, ...]:
    first, *more = _numbers(text)
    if kind == "minutes":
        return (first,)
    if kind == "hours_minutes":
        return (first * 60 + more[0],)
    if kind == "hours":
        minutes = 60 * float(re.match("[0-9.,]+", text)[0].replace(",", "."))  # type: ignore[index]
        if minutes % 1:
            raise _ParseError
        return (int(minutes),)
    if len(more) == 1 and 3 <= first < 10:
        by_hours = (first * 60 + more[0],)
        return by_hours if more[0] else (first, *by_hours)
    if more[-1] and (len(more) == 2 or first >= 10):
        raise _ParseError
    return (first if len(more) == 1 and first >= 10 else first * 60 + more[0],)
