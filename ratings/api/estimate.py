"""Rating a section that is given with its ratings, without storing anything."""

import json
from collections.abc import Sequence
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import Router

from ratings.api.json_schema import array_of, described, object_of
from ratings.api.responses import Problem, is_body_larger_than
from ratings.engine.section_json import rate_text
from ratings.engine.systems import System
from ratings_site.common.web.problems import problem

# Enough for a section of 4,500 players.
MAX_BODY_BYTES: Final = 1_000_000
MAX_ERRORS: Final = 100
MAX_KEYS: Final = 50
# The maximum length of each list, and the required keys of its items.
LISTS: Final[dict[str, tuple[int, set[str]]]] = {
    "players": (6_000, {"id", "rating"}),
    "games": (40_000, {"a", "b", "score_a"}),
    "sources": (10, {"system", "rating"}),
}

EXAMPLE: Final = {
    "system": "OTBR",
    "time_control": "G/90;d5",
    "start_date": "2024-05-04",
    "end_date": "2024-05-05",
    "players": [
        {"id": 1, "rating": 1654.31, "games": 31},
        {"id": 2, "rating": 1502.0, "games": 40},
        {"id": 3, "rating": None, "birth_date": "2011-03-02"},
    ],
    "games": [
        {"a": 1, "b": 2, "score_a": 1},
        {"a": 1, "b": 3, "score_a": 0.5},
        {"a": 2, "b": 3, "score_a": 0},
    ],
}

_NUMBER: Final = {"type": "number"}
_NULLABLE_NUMBER: Final = {"type": ["number", "null"]}
_WHOLE: Final = {"type": "integer"}
_DAY: Final = {"type": "string", "format": "date"}
_ID: Final = {"oneOf": [{"type": "integer"}, {"type": "string"}]}
_SYSTEM: Final = {"type": "string", "enum": [system.value for system in System]}
_POINTS: Final = {"type": "number", "enum": [0, 0.5, 1]}

_INITIAL: Final = object_of(
    {"rating": _NUMBER, "games": _WHOLE},
    description="Initial rating to use for an unrated player.",
)
_SOURCE: Final = object_of(
    {
        "system": {"type": "string", "enum": [*_SYSTEM["enum"], "FIDE", "CFC"]},
        "rating": _NUMBER,
        "games": _WHOLE,
        "date": _DAY,
    }
)
_PLAYER: Final = object_of(
    {
        "id": _ID,
        "rating": described(_NULLABLE_NUMBER, "Rating before; null if unrated."),
        "games": described(_WHOLE, "Games behind the rating; required if rated."),
        "record": {
            "type": "string",
            "enum": ["mixed", "all_wins", "all_losses", "none"],
        },
        "floor": _NULLABLE_NUMBER,
        "ceiling": _NULLABLE_NUMBER,
        "birth_date": {"type": ["string", "null"], "format": "date"},
        "adult": {"type": "boolean", "default": False},
        "initial": _INITIAL,
        "sources": {
            "type": "array",
            "description": "Other ratings of an unrated player.",
            "items": _SOURCE,
        },
    },
    required=["id", "rating"],
)
_GAME: Final = object_of(
    {
        "a": _ID,
        "b": _ID,
        "score_a": _POINTS,
        "score_b": described(_POINTS, "Only if it is not 1 − score_a."),
    },
    required=["a", "b", "score_a"],
)
SECTION: Final = object_of(
    {
        "id": {"description": "Any text. It is returned in the response."},
        "system": _SYSTEM,
        "time_control": {"type": "string", "example": "G/90;d5"},
        "start_date": described(_DAY, "Determines which rules apply."),
        "end_date": described(_DAY, "Used for ages and inactive ratings."),
        "kind": {
            "type": "string",
            "default": "swiss",
            "description": "swiss, round_robin, match, and so on. Matches have limits.",
        },
        "edition": {"type": "string", "example": "2025-07-26"},
        "players": array_of(_PLAYER),
        "games": array_of(_GAME),
    },
    required=[
        *("system", "time_control", "start_date", "end_date", "players", "games")
    ],
)

_RATED_PLAYER: Final = object_of(
    {
        "id": _ID,
        "initial": _NUMBER,
        "initial_games": _WHOLE,
        "effective_games": _NUMBER,
        "formula": {"type": ["string", "null"], "enum": ["special", "standard", None]},
        "score": _NUMBER,
        "games": _WHOLE,
        "expected": _NULLABLE_NUMBER,
        "k": _NULLABLE_NUMBER,
        "bonus": _NULLABLE_NUMBER,
        "intermediate": _NULLABLE_NUMBER,
        "post": _NULLABLE_NUMBER,
        "post_games": _WHOLE,
        "floor": _NULLABLE_NUMBER,
        "ceiling": _NULLABLE_NUMBER,
    }
)
ANSWER: Final = object_of({"id": {}, "players": array_of(_RATED_PLAYER)})

ESTIMATE_DOCS: Final = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": SECTION, "example": EXAMPLE}},
    },
    "responses": {
        200: {
            "description": "The rated players",
            "content": {"application/json": {"schema": ANSWER}},
        },
    },
}

router = Router(tags=["Estimate"])


@router.post(
    "/section",
    summary="Rate a section without storing anything",
    response=dict.fromkeys((401, 413, 422, 429), Problem),
    openapi_extra=ESTIMATE_DOCS,
)
def estimate_section(request: HttpRequest) -> HttpResponse:
    """Rate one section in one system, from the ratings you send.

    Uses the algorithm that rates events. No ratings are looked up or changed, and
    nothing you send is stored.
    """
    if is_body_larger_than(request, MAX_BODY_BYTES):
        sentence = (
            f"Send at most {MAX_BODY_BYTES:,} bytes. Estimate one section at a time."
        )
        return problem(413, "The section is too large.", errors=[sentence])
    text = request.body.decode("utf-8", "surrogateescape")
    text = text.removeprefix("\ufeff")
    answers: list[str] = []
    faults = _quick_errors(text)
    if not faults:
        # On one line it is one input. In JSON, line ends mean no more than spaces.
        line = text.replace("\n", " ")
        answers, faults = rate_text(line, settings.RATING_EDITION)
    if faults:
        return problem(422, "The section cannot be rated.", errors=_sentences(faults))
    return HttpResponse(answers[0], content_type="application/json")


def _quick_errors(text: str) -> list[str]:
    """Return the errors if *text* is not one section, before rating.

    Refusing a megabyte of errors must cost no more than refusing one.
    """
    if not text.strip():
        return ["The request is empty. Send one section as a JSON object."]
    try:
        # Numbers with too many digits are refused later, with their own message.
        document = json.loads(text, parse_int=float, object_pairs_hook=_check_bounds)
    except json.JSONDecodeError as bad:
        if bad.msg == "Extra data":
            return ["Send one section at a time."]
        return [
            f"This is not JSON at line {bad.lineno:,}, column {bad.colno:,} "
            f"({bad.msg}). Check quotes, commas and brackets there."
        ]
    except _OutOfBounds as refusal:
        return [str(refusal)]
    except RecursionError:
        return ["The brackets are nested too deeply."]
    return [] if isinstance(document, dict) else ["Send one section as a JSON object."]


class _OutOfBounds(Exception):
    """The document exceeds the limits of size or errors."""


def _check_bounds(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of the document. Raises _OutOfBounds."""
    if len(pairs) > MAX_KEYS:
        raise _OutOfBounds(
            f"An object has {len(pairs):,} names; at most {MAX_KEYS} are read."
        )
    for name, items in pairs:
        if name in LISTS and isinstance(items, list):
            _check_list(name, items)
    return dict(pairs)


def _check_list(name: str, items: list[Any]) -> None:
    most, needed = LISTS[name]
    if len(items) > most:
        raise _OutOfBounds(f"{name}: There are {len(items):,}; at most {most:,} fit.")
    poor = sum(not (isinstance(item, dict) and needed <= item.keys()) for item in items)
    if poor > MAX_ERRORS:
        raise _OutOfBounds(
            f"{name}: In {poor:,} of {len(items):,}, something is missing. Each is an "
            f"object that gives {', '.join(sorted(needed))}."
        )


def _sentences(faults: Sequence[str]) -> list[str]:
    """Return the error messages without the line number, up to the limit."""
    sentences = [fault.removeprefix("line 1: ") for fault in faults[:MAX_ERRORS]]
    if len(faults) > MAX_ERRORS:
        sentences.append(f"{len(faults) - MAX_ERRORS} more errors are not listed.")
    return sentences
