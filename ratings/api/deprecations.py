"""Deprecated operations, parameters and fields, with the day they end.

An entry marks the thing in the OpenAPI description and adds Deprecation (RFC 9745) and
Sunset (RFC 8594) headers to the responses of its operations.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, Final

from django.utils.http import http_date


@dataclass(frozen=True, slots=True)
class Deprecation:
    """Deprecated *since* a day and removed on the day *sunset*; *instead* names what
    replaces it.
    """

    since: date
    sunset: date
    instead: str


# By "members.member" (an operation), "members.look_for_members?state" (a parameter) or
# "Member.membership" (a field of a schema).
DEPRECATED: dict[str, Deprecation] = {}

DOCUMENTATION: Final = "/api/v1/docs/"


def mark_deprecated(schema: dict[str, Any]) -> None:
    """Mark what is deprecated in an OpenAPI document."""
    for _path, operation in _operations(schema):
        name = operation["operationId"]
        _mark(operation, name)
        for parameter in operation.get("parameters", ()):
            _mark(parameter, f"{name}?{parameter['name']}")
    for name, component in schema["components"]["schemas"].items():
        for field, described in component.get("properties", {}).items():
            _mark(described, f"{name}.{field}")


def _mark(described: dict[str, Any], name: str) -> None:
    if found := DEPRECATED.get(name):
        described["deprecated"] = True
        described["x-sunset"] = found.sunset.isoformat()
        words = f"Deprecated: ends on {found.sunset}. {found.instead}"
        said = described.get("description", "")
        described["description"] = f"{said} {words}".strip()


def deprecations_of(
    schema: dict[str, Any], operation: str, parameters: Mapping[str, Any]
) -> dict[str, Deprecation]:
    """Return what is deprecated of an operation and of the parameters it was given."""
    if not DEPRECATED:
        return {}
    names = {operation, *(f"{operation}?{name}" for name in parameters)}
    for _path, described in _operations(schema):
        if described["operationId"] == operation:
            names |= set(_fields(schema, described, set()))
    return {name: DEPRECATED[name] for name in sorted(names & DEPRECATED.keys())}


def deprecation_headers(found: Mapping[str, Deprecation]) -> dict[str, str]:
    """Return the headers for deprecated things: the first day of each kind counts."""
    if not found:
        return {}
    since, sunset = (
        datetime.combine(min(days), time(), UTC).timestamp()
        for days in zip(
            *((one.since, one.sunset) for one in found.values()), strict=True
        )
    )
    return {
        "Deprecation": f"@{int(since)}",
        "Sunset": http_date(sunset),
        "Link": f'<{DOCUMENTATION}>; rel="deprecation"; type="text/html"',
    }


def _operations(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, operations in schema["paths"].items():
        for operation in operations.values():
            yield path, operation


def _fields(schema: dict[str, Any], node: Any, seen: set[str]) -> Iterator[str]:
    """Yield the fields of all schemas that *node* refers to."""
    if isinstance(node, list):
        for item in node:
            yield from _fields(schema, item, seen)
    if not isinstance(node, dict):
        return
    name = str(node.get("$ref", "")).rpartition("/")[2]
    if name and name not in seen:
        seen.add(name)
        component = schema["components"]["schemas"][name]
        yield from (f"{name}.{field}" for field in component.get("properties", ()))
        yield from _fields(schema, component, seen)
    for value in node.values():
        yield from _fields(schema, value, seen)
