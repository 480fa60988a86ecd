"""Sections as JSON: the format of `rate_section` and of the estimate API.

No input raises an exception. Errors become faults: the place of the value, and a
sentence that says how to fix it.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from dataclasses import fields as dataclass_fields
from datetime import date
from typing import Any, Final, NamedTuple

from .inputs import (
    AssignedRating,
    Competitor,
    Game,
    Kind,
    PlayerId,
    RatingInput,
    Record,
    SourceRating,
)
from .json_fields import Fault, Fields, escape_control_characters, shown
from .matches import MatchChange
from .results import RatingResult
from .rule_history import NoRuleInForce
from .rules import DEFAULT_EDITION, EDITIONS, Rules, rules_in_force
from .section import rate_section
from .systems import Body, Source, System
from .time_controls import (
    BadTimeControl,
    NotRatable,
    TimeControl,
    parse_time_control,
    systems_for,
)

HIGHEST_RATING: Final = 5000
MIN_FLOOR: Final = 100
MAX_GAMES: Final = 1_000_000
_HALF_POINTS = {0: 0, 0.5: 1, 1: 2}

_SECTION_FIELDS = (
    "id",
    "system",
    "time_control",
    "start_date",
    "end_date",
    "kind",
    "edition",
    "players",
    "games",
)
_SOURCE_FIELDS = ("system", "rating", "games", "date")
_MATCH_CHANGE_FIELDS = ("date", "change")


class ParsedSection(NamedTuple):
    """An input without faults: its own ID, the rating input, and the edition."""

    id: object
    rating_input: RatingInput
    edition: str

    @property
    def rules(self) -> Rules:
        return rules_in_force(self.rating_input.start_date, self.edition)


def rate_json(
    document: object, default_edition: str = DEFAULT_EDITION
) -> tuple[dict[str, Any] | None, list[Fault]]:
    """Rate one decoded JSON object: return its answer, or None and its faults.

    >>> answer, faults = rate_json({"system": "OTBR"})
    >>> answer, str(faults[0])
    (None, 'time_control: This is missing and must be given.')
    """
    given, faults = parse_section(document, default_edition)
    if given is None:
        return None, faults
    try:
        rated = rate_section(given.rating_input, given.rules)
    except NoRuleInForce as missing:
        return None, [Fault("start_date", str(missing))]
    return {
        "id": given.id,
        "players": [rating_result_to_json(one) for one in rated],
    }, []


def rate_text(
    text: str, default_edition: str = DEFAULT_EDITION
) -> tuple[list[str], list[str]]:
    """Rate every input of a text: answers and faults, each a list of lines.

    The text holds one JSON object, which may span lines, or one object per line.
    Answers are JSON; faults name the line: `line 2: players[3].rating: sentence`. Bytes
    that are not UTF-8 are in the text as `surrogateescape` decodes them, so that only
    their own input is refused.
    """
    answers: list[str] = []
    faults: list[str] = []
    for line, source in _inputs(text.removeprefix("\ufeff")):
        answer, found = _rate_source(source, default_edition)
        if answer is not None:
            answers.append(json.dumps(answer, allow_nan=False))
        faults += [f"line {line + fault.line}: {fault.text}" for fault in found]
    if not answers and not faults:
        faults.append("line 1: There is nothing here. Give one JSON object per line.")
    return answers, faults


def parse_section(
    document: object, default_edition: str = DEFAULT_EDITION
) -> tuple[ParsedSection | None, list[Fault]]:
    """Parse one decoded JSON object, or return None and all its faults."""
    faults: list[Fault] = []
    if not isinstance(document, dict):
        return None, [Fault("", f"Give one JSON object, not {shown(document)}.")]
    fields = Fields(document, "", faults)
    fields.check_names(_SECTION_FIELDS)
    section_id = fields.raw_value("id")
    system = fields.choice("system", System)
    control = _time_control(fields)
    start = fields.day("start_date", required=True)
    end = fields.day("end_date", required=True)
    kind = fields.choice("kind", Kind, default=Kind.SWISS)
    edition = _edition(fields, default_edition)
    if start and end and end < start:
        fields.fault("end_date", "The section ends before it starts; check both days.")
    if system and control and start:
        _check_system(fields, system, control, start)
    competitors = _competitors(fields, system, end)
    games = _games(fields, _known_ids(fields, competitors))
    if faults or not (system and control and start and end and kind and edition):
        return None, faults
    rating_input = RatingInput(
        system, kind, control, start, end, tuple(competitors), tuple(games)
    )
    return ParsedSection(section_id, rating_input, edition), []


def section_to_json(
    rating_input: RatingInput, edition: str, section_id: object = None
) -> dict[str, Any]:
    """Serialize a rating input to the JSON object that parses to it, bit for bit.

    Every field is written, defaults too, so that a stored input stays complete; only
    `match_changes` (earlier matches of a player) is left out if there are none.
    """
    return {
        "id": section_id,
        "system": rating_input.system.value,
        "time_control": rating_input.time_control.text,
        "start_date": rating_input.start_date.isoformat(),
        "end_date": rating_input.end_date.isoformat(),
        "kind": rating_input.kind.value,
        "edition": edition,
        "players": [_competitor_to_json(one) for one in rating_input.competitors],
        "games": [
            {**asdict(game), "score_a": game.score_a / 2, "score_b": game.score_b / 2}
            for game in rating_input.games
        ],
    }


def rating_result_to_json(rated: RatingResult) -> dict[str, Any]:
    """Serialize one result, unrounded. Scores are in points."""
    result = {
        "id": rated.id,
        "initial": rated.initial,
        "initial_games": rated.initial_games,
        "effective_games": rated.effective_games,
        "formula": rated.formula.value if rated.formula else None,
        "score": rated.score / 2,
        "games": rated.games,
        "expected": rated.expected,
        "k": rated.k,
        "bonus": rated.bonus,
        "intermediate": rated.intermediate,
        "post": rated.post,
        "post_games": rated.post_games,
        "floor": rated.floor,
        "ceiling": rated.ceiling,
    }
    if rated.floor_request:
        result["floor_request"] = True
    return result


def _names_of(kind: type[Competitor | AssignedRating | Game]) -> list[str]:
    """Return the names of fields that JSON and the inputs have in common."""
    return [one.name for one in dataclass_fields(kind)]


def _player_id(fields: Fields, name: str) -> PlayerId | None:
    value = fields.given(name, required=True)
    if isinstance(value, bool) or not isinstance(value, int | str | None):
        fields.fault(name, f"{shown(value)} is no id. Give a whole number or a text.")
        return None
    return value


def _time_control(fields: Fields) -> TimeControl | None:
    value = fields.given("time_control", required=True)
    if value is None:
        return None
    if not isinstance(value, str):
        fields.fault("time_control", f"{shown(value)} is not a text like G/60;d5.")
        return None
    try:
        return parse_time_control(value)
    except BadTimeControl as bad:
        fields.fault("time_control", str(bad))
        return None


def _check_system(
    fields: Fields, system: System, control: TimeControl, start: date
) -> None:
    try:
        systems = systems_for(control, online=system.is_online, day=start)
    except NotRatable as slow_or_fast:
        fields.fault("time_control", str(slow_or_fast))
        return
    if system not in systems:
        given = " and ".join(systems)
        fields.fault(
            "time_control",
            f"{control.text} is rated in {given}, not in {system.value}. "
            "Correct the system or the time control.",
        )


def _edition(fields: Fields, default: str) -> str | None:
    value = fields.given("edition", required=False)
    if value is None:
        return default
    if isinstance(value, str) and value in EDITIONS:
        return value
    fields.fault("edition", f"{shown(value)} is none of {', '.join(EDITIONS)}.")
    return None


def _competitors(
    section: Fields, system: System | None, end: date | None
) -> list[Competitor]:
    competitors = []
    places: dict[PlayerId, str] = {}
    for fields in section.objects("players", required=True):
        competitor = _competitor(fields, system, end)
        if competitor is None:
            continue
        earlier = places.setdefault(competitor.id, fields.path)
        if earlier != fields.path:
            fields.fault(
                "id",
                f"{shown(competitor.id)} is also the id of {earlier}. "
                "List a person once, with all games.",
            )
        competitors.append(competitor)
    return competitors


def _competitor(
    fields: Fields, system: System | None, end: date | None
) -> Competitor | None:
    fields.check_names(_names_of(Competitor))
    player = _player_id(fields, "id")
    if "rating" not in fields.values:
        fields.fault("rating", "This is missing. Give null for an unrated player.")
    rating = fields.number("rating", 0, HIGHEST_RATING)
    is_rated = fields.values.get("rating") is not None
    games = _games_before(fields, is_rated)
    record = fields.choice(
        "record", Record, default=Record.MIXED if is_rated else Record.NONE
    )
    floor = fields.number("floor", MIN_FLOOR, HIGHEST_RATING)
    ceiling = fields.number("ceiling", MIN_FLOOR, HIGHEST_RATING)
    birth_date = fields.day("birth_date")
    adult = fields.flag("adult")
    initial = _assigned(fields)
    sources = _sources(fields, None if is_rated else system, end)
    match_changes = _match_changes(fields, end)
    if player is None:
        return None
    return Competitor(
        id=player,
        rating=rating,
        games=games,
        record=record or Record.NONE,
        floor=floor,
        ceiling=ceiling,
        birth_date=birth_date,
        adult=adult,
        initial=initial,
        sources=sources,
        match_changes=match_changes,
    )


def _games_before(fields: Fields, is_rated: bool) -> int:
    games = fields.whole("games", 0, MAX_GAMES, required=is_rated)
    if is_rated and games == 0:
        fields.fault("games", "A rated player has at least 1 game. Give the number.")
    if not is_rated and games:
        fields.fault(
            "games", "An unrated player has no games. Give the rating, or 0 games."
        )
    return games or 0


def _assigned(player: Fields) -> AssignedRating | None:
    value = player.given("initial", required=False)
    if value is None:
        return None
    if not isinstance(value, dict):
        player.fault("initial", f"{shown(value)} is not a JSON object.")
        return None
    fields = Fields(value, f"{player.path}.initial", player.faults)
    fields.check_names(_names_of(AssignedRating))
    rating = fields.number("rating", 0, HIGHEST_RATING, required=True)
    games = fields.whole("games", 0, MAX_GAMES, required=True)
    return None if rating is None or games is None else AssignedRating(rating, games)


def _sources(
    player: Fields, system: System | None, end: date | None
) -> tuple[SourceRating, ...]:
    """Read a player's other ratings; *system* is None if they do not count."""
    sources = []
    seen: set[Source] = set()
    for fields in player.objects("sources"):
        source = _source(fields, end)
        if source is None:
            continue
        if source.source is system:
            fields.fault(
                "system", "This is the system being rated; give other ratings only."
            )
        if source.source in seen:
            fields.fault("system", f"{source.source.value} stands here twice.")
        seen.add(source.source)
        sources.append(source)
    return tuple(sources)


def _source(fields: Fields, end: date | None) -> SourceRating | None:
    fields.check_names(_SOURCE_FIELDS)
    system = _source_system(fields)
    rating = fields.number("rating", 0, HIGHEST_RATING, required=True)
    games = fields.whole("games", 0, MAX_GAMES, required=isinstance(system, System))
    day = fields.day("date", required=True)
    if day and end and day > end:
        fields.fault("date", "This is after the end of the section; check both days.")
    if system is None or rating is None or day is None:
        return None
    return SourceRating(system, rating, games or 0, day)


def _match_changes(player: Fields, end: date | None) -> tuple[MatchChange, ...]:
    changes = []
    for fields in player.objects("match_changes"):
        fields.check_names(_MATCH_CHANGE_FIELDS)
        day = fields.day("date", required=True)
        change = fields.number("change", -HIGHEST_RATING, HIGHEST_RATING, required=True)
        if day and end and day > end:
            fields.fault("date", "This is after the end of the match; check both days.")
        if day is not None and change is not None:
            changes.append(MatchChange(day, change))
    return tuple(changes)


def _source_system(fields: Fields) -> Source | None:
    value = fields.given("system", required=True)
    options: dict[object, Source] = {option.value: option for option in System}
    options |= {option.value: option for option in Body}
    if value is None:
        return None
    if isinstance(value, str) and value in options:
        return options[value]
    names = ", ".join(str(option) for option in options)
    fields.fault("system", f"{shown(value)} is none of {names}.")
    return None


def _known_ids(
    section: Fields, competitors: Sequence[Competitor]
) -> set[PlayerId] | None:
    """Return the players' ids, None if one could not be read.

    Then an unknown opponent may be that player, and saying so would mislead.
    """
    players = section.values.get("players")
    if not isinstance(players, list) or len(competitors) < len(players):
        return None
    return {competitor.id for competitor in competitors}


def _games(section: Fields, players: set[PlayerId] | None) -> list[Game]:
    games = []
    for fields in section.objects("games", required=True):
        game = _game(fields, players)
        if game is not None:
            games.append(game)
    return games


def _game(fields: Fields, players: set[PlayerId] | None) -> Game | None:
    fields.check_names(_names_of(Game))
    a = _opponent(fields, "a", players)
    b = _opponent(fields, "b", players)
    score_a = _half_points(fields, "score_a", None)
    score_b = _half_points(fields, "score_b", None if score_a is None else 2 - score_a)
    if a is not None and a == b:
        fields.fault("b", f"{shown(b)} cannot be their own opponent.")
    if a is None or b is None or score_a is None or score_b is None:
        return None
    return Game(a, b, score_a, score_b)


def _opponent(
    fields: Fields, name: str, players: set[PlayerId] | None
) -> PlayerId | None:
    player = _player_id(fields, name)
    if player is not None and players is not None and player not in players:
        fields.fault(name, f"No player of this section has the id {shown(player)}.")
    return player


def _half_points(fields: Fields, name: str, default: int | None) -> int | None:
    """Read a score; a missing one becomes *default*, or a fault without a default."""
    if name == "score_b" and fields.values.get(name) is None:
        return default
    value = fields.given(name, required=True)
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        half_points = _HALF_POINTS.get(value)
        if half_points is not None:
            return half_points
    fields.fault(name, f"{shown(value)} is no score. Give 1, 0.5 or 0.")
    return None


# --- Writing an input -------------------------------------------------------------


def _competitor_to_json(competitor: Competitor) -> dict[str, Any]:
    birth_date, initial = competitor.birth_date, competitor.initial
    written: dict[str, Any] = {
        "id": competitor.id,
        "rating": competitor.rating,
        "games": competitor.games,
        "record": competitor.record.value,
        "floor": competitor.floor,
        "ceiling": competitor.ceiling,
        "birth_date": birth_date.isoformat() if birth_date else None,
        "adult": competitor.adult,
        "initial": asdict(initial) if initial else None,
        "sources": [
            {
                "system": source.source.value,
                "rating": source.rating,
                "games": source.games,
                "date": source.day.isoformat(),
            }
            for source in competitor.sources
        ],
    }
    if competitor.match_changes:
        written["match_changes"] = [
            {"date": match.day.isoformat(), "change": match.change}
            for match in competitor.match_changes
        ]
    return written


# --- Reading a text ---------------------------------------------------------------


class _LineFault(NamedTuple):
    """A fault in a source text; *line* counts from 0 within that source."""

    line: int
    text: str


def _inputs(text: str) -> list[tuple[int, str]]:
    """Split a text into JSON sources, each with the number of its first line."""
    lines = [
        (number, line)
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]
    if len(lines) > 1 and not _is_one_per_line(text, [line for _, line in lines]):
        first = lines[0][0]
        return [(first, "\n".join(text.split("\n")[first - 1 :]))]
    return lines


def _is_one_per_line(text: str, lines: Sequence[str]) -> bool:
    """Return whether the text has one object per line, not one that spans lines."""
    try:
        json.loads(text)
    except json.JSONDecodeError as bad:
        if bad.msg == "Extra data":
            return True
    except (ValueError, RecursionError):
        pass  # A value is refused; that does not tell the two apart.
    else:
        return False
    openings = [line for line in lines if line.startswith("{")]
    return len(openings) > 1 or any(_is_json(line) for line in openings)


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


class _BadValue(ValueError):
    """A value that is JSON to Python, but not allowed here."""


def _rate_source(
    source: str, default_edition: str
) -> tuple[dict[str, Any] | None, list[_LineFault]]:
    try:
        source.encode()
        document = json.loads(
            source,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_without_repetition,
        )
    except json.JSONDecodeError as bad:
        sentence = (
            f"This is not JSON at column {bad.colno} ({bad.msg}). "
            "Check quotes, commas and brackets there."
        )
        return None, [_LineFault(bad.lineno - 1, sentence)]
    except _BadValue as bad:
        return None, [_LineFault(0, escape_control_characters(str(bad)))]
    except UnicodeEncodeError as bad:
        line = source.count("\n", 0, bad.start)
        return None, [_LineFault(line, "This is not UTF-8. Save it as UTF-8.")]
    except RecursionError:
        return None, [_LineFault(0, "The brackets are nested too deeply.")]
    except ValueError:
        return None, [_LineFault(0, "A number has too many digits to be read.")]
    answer, faults = rate_json(document, default_edition)
    return answer, [_LineFault(0, str(fault)) for fault in faults]


def _refuse_constant(name: str) -> object:
    raise _BadValue(f"{name} is not a JSON number. Give null if there is no value.")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _BadValue(f"{text[:40]} is too large for a number.")
    return value


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise _BadValue(f"{shown(twice)} appears twice in one object. Keep one.")
    return values
