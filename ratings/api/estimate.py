"""Rating a section that is given with its ratings, without storing anything."""

import json
from collections.abc import Sequence
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import Router

from ratings.api.answers import Problem, is_longer_than
from ratings.engine.contract import rate_text
from ratings.engine.systems import System
from ratings_site.common.web.problems import problem

# A section of 4,500 players fits; nobody needs more for an estimate.
LARGEST_BODY: Final = 1_000_000
MOST_FAULTS: Final = 100
MOST_NAMES: Final = 50
# How long each list may be, and what every item of it has to give.
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
_MAYBE_NUMBER: Final = {"type": ["number", "null"]}
_WHOLE: Final = {"type": "integer"}
_DAY: Final = {"type": "string", "format": "date"}
_ID: Final = {"oneOf": [{"type": "integer"}, {"type": "string"}]}
_SYSTEM: Final = {"type": "string", "enum": [system.value for system in System]}

SECTION: Final = {
    "type": "object",
    "required": [
        "system",
        "time_control",
        "start_date",
        "end_date",
        "players",
        "games",
    ],
    "properties": {
        "id": {"description": "Anything; it comes back with the answer."},
        "system": _SYSTEM,
        "time_control": {"type": "string", "example": "G/90;d5"},
        "start_date": {**_DAY, "description": "Decides the rules."},
        "end_date": {**_DAY, "description": "Decides ages and staleness."},
        "kind": {
            "type": "string",
            "default": "swiss",
            "description": "swiss, round_robin, match, ...; a match is limited.",
        },
        "edition": {"type": "string", "example": "2025-07-26"},
        "players": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "rating"],
                "properties": {
                    "id": _ID,
                    "rating": {
                        **_MAYBE_NUMBER,
                        "description": "The rating before; null for unrated.",
                    },
                    "games": {
                        **_WHOLE,
                        "description": "Games it rests on; needed if rated.",
                    },
                    "record": {
                        "type": "string",
                        "enum": ["mixed", "all_wins", "all_losses", "none"],
                    },
                    "floor": _MAYBE_NUMBER,
                    "ceiling": _MAYBE_NUMBER,
                    "birth_date": {"type": ["string", "null"], "format": "date"},
                    "adult": {"type": "boolean", "default": False},
                    "initial": {
                        "type": "object",
                        "description": "Replaces step 1 for an unrated player.",
                        "properties": {"rating": _NUMBER, "games": _WHOLE},
                    },
                    "sources": {
                        "type": "array",
                        "description": "Other ratings of an unrated player.",
                        "items": {
                            "type": "object",
                            "properties": {
                                "system": {
                                    "type": "string",
                                    "enum": [*_SYSTEM["enum"], "FIDE", "CFC"],
                                },
                                "rating": _NUMBER,
                                "games": _WHOLE,
                                "date": _DAY,
                            },
                        },
                    },
                },
            },
        },
        "games": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["a", "b", "score_a"],
                "properties": {
                    "a": _ID,
                    "b": _ID,
                    "score_a": {"type": "number", "enum": [0, 0.5, 1]},
                    "score_b": {
                        "type": "number",
                        "enum": [0, 0.5, 1],
                        "description": "Only where it is not 1 − score_a.",
                    },
                },
            },
        },
    },
}

ANSWER: Final = {
    "type": "object",
    "properties": {
        "id": {},
        "players": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": _ID,
                    "initial": _NUMBER,
                    "initial_games": _WHOLE,
                    "effective_games": _NUMBER,
                    "formula": {
                        "type": ["string", "null"],
                        "enum": ["special", "standard", None],
                    },
                    "score": _NUMBER,
                    "games": _WHOLE,
                    "expected": _MAYBE_NUMBER,
                    "k": _MAYBE_NUMBER,
                    "bonus": _MAYBE_NUMBER,
                    "intermediate": _MAYBE_NUMBER,
                    "post": _MAYBE_NUMBER,
                    "post_games": _WHOLE,
                    "floor": _MAYBE_NUMBER,
                    "ceiling": _MAYBE_NUMBER,
                },
            },
        },
    },
}

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
    """Rate one section in one system, from the ratings given with it.

    It is the algorithm that rates events; no rating is looked up or changed, and
    nothing that was sent is kept.
    """
    if is_longer_than(request, LARGEST_BODY):
        sentence = f"Send at most {LARGEST_BODY:,} bytes; estimate sections one by one."
        return problem(413, "The section is too large.", errors=[sentence])
    text = request.body.decode("utf-8", "surrogateescape")
    text = text.removeprefix("\ufeff")
    answers, faults = [], _faults_at_a_glance(text)
    if not faults:
        # On one line it is one input. In JSON, line ends mean no more than spaces.
        line = text.replace("\n", " ")
        answers, faults = rate_text(line, settings.RATING_EDITION)
    if faults:
        return problem(422, "The section cannot be rated.", errors=_sentences(faults))
    return HttpResponse(answers[0], content_type="application/json")


def _faults_at_a_glance(text: str) -> list[str]:
    """Return why *text* is not one section, before anything is rated.

    A megabyte of faults must cost no more to refuse than one of them.
    """
    if not text.strip():
        return ["There is nothing here. Give one section as a JSON object."]
    try:
        # Too long a number is refused later, by a sentence of its own.
        document = json.loads(text, parse_int=float, object_pairs_hook=_within_bounds)
    except json.JSONDecodeError as bad:
        if bad.msg == "Extra data":
            return ["Give one section; estimate several one after the other."]
        return [
            f"This is not JSON at line {bad.lineno:,}, column {bad.colno:,} "
            f"({bad.msg}). Check quotes, commas and brackets there."
        ]
    except _OutOfBounds as refusal:
        return [str(refusal)]
    except RecursionError:
        return ["The brackets are nested too deeply."]
    return [] if isinstance(document, dict) else ["Give one section as a JSON object."]


class _OutOfBounds(Exception):
    """The document holds more, or more faults, than is worth looking at."""


def _within_bounds(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of the document unless it is out of all bounds."""
    if len(pairs) > MOST_NAMES:
        raise _OutOfBounds(
            f"An object has {len(pairs):,} names; at most {MOST_NAMES} are read."
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
    if poor > MOST_FAULTS:
        raise _OutOfBounds(
            f"{name}: In {poor:,} of {len(items):,}, something is missing. Each is an "
            f"object that gives {', '.join(sorted(needed))}."
        )


def _sentences(faults: Sequence[str]) -> list[str]:
    """Drop the number of the line where there is one line, and what is too much."""
    sentences = [fault.removeprefix("line 1: ") for fault in faults[:MOST_FAULTS]]
    if len(faults) > MOST_FAULTS:
        sentences.append(f"{len(faults) - MOST_FAULTS} more faults are not listed.")
    return sentences
