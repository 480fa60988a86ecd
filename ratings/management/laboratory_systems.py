"""Systems and their parameters as they are written on the command line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from ratings.laboratory.parameters import Parameter, parameters_of
from ratings.laboratory.registry import RUNNABLE, SYSTEMS
from ratings.research.experiments.plans import Variant, parameter_error

BOOLEANS = {"yes": True, "true": True, "no": False, "false": False}


class InvalidOption(Exception):
    """Raised if an option is invalid; the message says why."""


def variants_of(asked: Iterable[str], settings: Iterable[str]) -> dict[str, Variant]:
    """Return variants by name.

    *asked* are texts like ``glicko2:tau=0.3``, *settings* are for all.
    """
    chosen = [_split_system(text) for text in asked]
    for text in settings:
        name, value = _split_setting(text)
        having = [own for key, own in chosen if name in _parameters(key)]
        if not having:
            raise InvalidOption(f"None of these systems has a parameter “{name}”.")
        for own in having:
            own.setdefault(name, value)
    variants: dict[str, Variant] = {}
    for key, own in chosen:
        name, variant = _variant(key, own)
        if name in variants:
            raise InvalidOption(f"{name} is named twice.")
        variants[name] = variant
    return variants


def _split_system(text: str) -> tuple[str, dict[str, str]]:
    key, _, rest = text.partition(":")
    known_system(key, RUNNABLE)
    own = dict(_split_setting(one) for one in rest.split(",")) if rest else {}
    for name in own:
        if name not in _parameters(key):
            names = ", ".join(_parameters(key)) or "none"
            raise InvalidOption(f"{key} has no parameter “{name}”. It has: {names}.")
    return key, own


def _split_setting(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise InvalidOption(f"“{text}” is not a setting. Write NAME=VALUE.")
    return name.strip(), value.strip()


def known_system(key: str, systems: Mapping[str, Any]) -> str:
    """Return *key* if there is such a system, else refuse it with a hint."""
    if key in systems:
        return key
    if key in SYSTEMS:
        raise InvalidOption(
            f"The definition of {key} is not published, so it can't be run."
        )
    near = get_close_matches(key, systems, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else "See `laboratory systems`."
    raise InvalidOption(f"There is no rating system “{key}”. {hint}")


def _parameters(key: str) -> dict[str, Parameter]:
    return {one.name: one for one in parameters_of(SYSTEMS[key].parameters)}


def _variant(key: str, texts: Mapping[str, str]) -> tuple[str, Variant]:
    """Return a variant under the requested name."""
    known = _parameters(key)
    values = {name: value_of(known[name], text) for name, text in texts.items()}
    told = ",".join(f"{name}={value}" for name, value in values.items())
    name = f"{key}:{told}" if told else key
    found = Variant(key, tuple(values.items()))
    try:
        found.parameters()
    except ValueError as error:
        raise InvalidOption(f"{name}: {error}") from error
    return name, found


def value_of(parameter: Parameter, text: str) -> Any:
    """Return the value of *text* for a parameter. Raises InvalidOption."""
    try:
        value = _read_value(parameter, text)
    except (ValueError, KeyError, OverflowError) as error:
        kind = {bool: "yes or no", int: "a whole number"}
        wanted = kind.get(type(parameter.default), "a number")
        raise InvalidOption(f"{parameter.name}: “{text}” is not {wanted}.") from error
    problem = parameter_error(parameter, value)
    if problem and parameter.choices:
        problem = f"Choose one of {', '.join(parameter.choices)}."
    if problem:
        raise InvalidOption(f"{parameter.name}: “{text}” is not possible. {problem}")
    return value


def _read_value(parameter: Parameter, text: str) -> Any:
    default = parameter.default
    if parameter.choices:
        return text
    if isinstance(default, bool):
        return BOOLEANS[text.lower()]
    if isinstance(default, int) or (default is None and text.isdecimal()):
        return int(text)
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def parameter_lines(key: str) -> list[str]:
    """Return the description of a system and its parameters."""
    about = SYSTEMS[key].about
    lines = [f"{key}: {about.label}. {about.summary}"]
    for one in _parameters(key).values():
        bounds = "" if one.low is None else f"{one.low} to {one.high}"
        offered = ", ".join(one.choices) or bounds
        usual = "" if one.default is None else one.default
        lines.append(f"  {one.name}={usual}  {one.label} ({offered or 'yes or no'})")
    return lines
