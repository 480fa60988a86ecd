"""Places as files and people spell them, split into city, state and ZIP code.

Text is split, but nothing is guessed: "Iowa City" and "New York" alone name no state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from events.formats.report import ReportedEvent
from players.formats.places import FULL_STATE_NAMES, PROVINCES, USA, state_code

_MAX_NAME_WORDS = 4  # words
_MAX_LENGTH = 200  # letters of a text

# Before a state's name they begin the name of a city: Fort Washington, West New York.
_CITY_PREFIXES = frozenset(
    [
        *("north", "northern", "south", "southern", "east", "eastern", "west"),
        *("western", "northeast", "northwest", "southeast", "southwest", "central"),
        *("fort", "ft", "port", "point", "lake", "mount", "mt", "villa", "the", "of"),
        *("new", "old", "little", "greater", "upper", "lower", "la", "de"),
    ]
)
# Georgia is a country, too.
_GEORGIAN = frozenset(
    ["batumi", "borjomi", "gori", "kutaisi", "poti", "rustavi", "tbilisi", "telavi"]
)

_COUNTRY = re.compile(
    r"(?P<rest>.*?)(?:^|[\s,;/(\[–-]+)"
    r"(?:(?i:USA|U\.\s?S\.\s?A\.?|United States(?: of America)?)|US|U\.S\.?)[)\].]*"
)
_ZIP = re.compile(r"(?P<rest>.*\S)[\s,]+(?P<zip>[0-9]{5}(?:-[0-9]{4})?)[)\]]?", re.A)
_SET_OFF = re.compile(
    r"(?P<city>.*)(?:[,;/|(\[]|\s[-–—]\s)\s*(?P<state>[^,;/|()\[\]]+)[)\]]?"
)
_CAPITALS = re.compile(
    r"(?P<city>.*\S)\s+(?P<state>[A-Z]{2}\.?|[A-Z]\.\s?[A-Z]\.?)", re.A
)
_ABBREVIATED = re.compile(r"(?P<city>.*\S)\s+(?P<state>[A-Z][a-z]{2,4})\.", re.A)


class PlaceName(NamedTuple):
    """City, state by its two letters, ZIP code and country; "" if missing."""

    city: str
    state: str = ""
    zip_code: str = ""
    country: str = ""


def parse_place(
    text: str, *, state: str = "", zip_code: str = "", country: str = ""
) -> PlaceName:
    """Split a place into city, state and ZIP code; separate values take precedence.

    Two letters without a comma are a state only as capitals, as in "Springfield IL":
    "or", "la", "in" end the names of cities. A text that names another state than the
    one given, or is of another country, stays whole.

    >>> parse_place("Oakland, CA 94601")
    PlaceName(city='Oakland', state='CA', zip_code='94601', country='')
    >>> parse_place("Springfield IL")[:2], parse_place("Iowa City")[:2]
    (('Springfield', 'IL'), ('Iowa City', ''))
    >>> parse_place("Springfield, Illinois", state="IL")[:2]
    ('Springfield', 'IL')
    """
    given = state_code(state) or state
    whole = PlaceName(text, given, zip_code, country)
    if not _is_us_or_canada(country) or len(text) > _MAX_LENGTH:
        return whole
    rest = " ".join(text.split()).strip(" ,;")
    if match := _COUNTRY.fullmatch(rest):
        rest, country = match["rest"].rstrip(" ,;"), country or USA
        whole = PlaceName(rest, given, zip_code, country)
    found_zip = ""
    if match := _ZIP.fullmatch(rest):
        rest, found_zip = match["rest"].rstrip(" ,;"), match["zip"]
    city, found_state = _city_and_state(rest)
    if not found_state or (given and given != found_state):
        return whole
    return PlaceName(city, found_state, zip_code or found_zip, country)


def with_parsed_place(reported: ReportedEvent) -> ReportedEvent:
    """Return the report with city, state and ZIP code in their own fields."""
    place = parse_place(
        reported.city,
        state=reported.state,
        zip_code=reported.zip_code,
        country=reported.country,
    )
    return replace(reported, **place._asdict())


def with_parsed_place_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a form's *values* with the place split into the fields that it has."""
    names = ("city", "state", "zip_code")
    city, *others = (values.get(name) or "" for name in names)
    place = parse_place(city, state=others[0], zip_code=others[1])
    return {
        **values,
        **{name: getattr(place, name) for name in names if name in values},
    }


def _is_us_or_canada(country: str) -> bool:
    """Return whether the country is the United States or Canada, or may be."""
    letters = "".join(filter(str.isalpha, country)).upper()
    is_named = letters in ("", "US", "USA", "CAN", "CANADA", "FID")
    return is_named or "UNITEDSTATES" in letters or bool(state_code(country))


def _city_and_state(text: str) -> tuple[str, str]:
    """Return the city and the state's letters; the whole text and "" without one."""
    if (match := _SET_OFF.fullmatch(text)) and match["city"].strip(" ,;"):
        code = match["state"].strip(" .")
        state = state_code(code) or (code if code in PROVINCES else "")
        if state and not _is_country_georgia(match["city"], state):
            return match["city"].rstrip(" ,;"), state
    for pattern in (_CAPITALS, _ABBREVIATED):
        match = pattern.fullmatch(text)
        if match and (state := state_code(match["state"])):
            return match["city"].rstrip(" ,;"), state
    return _split_state_name(text)


def _split_state_name(text: str) -> tuple[str, str]:
    """Split off the longest state name that is not part of the city's name."""
    words = text.split()
    for count in range(min(_MAX_NAME_WORDS, len(words) - 1), 0, -1):
        if state := FULL_STATE_NAMES.get(" ".join(words[-count:]).casefold()):
            city = " ".join(words[:-count])
            is_part = words[-count - 1].casefold() in _CITY_PREFIXES
            is_whole = is_part or _is_country_georgia(city, state)
            return (text, "") if is_whole else (city, state)
    return text, ""


def _is_country_georgia(city: str, state: str) -> bool:
    return state == "GA" and city.strip(" ,").casefold() in _GEORGIAN
