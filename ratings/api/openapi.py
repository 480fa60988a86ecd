"""The description of the API, as OpenAPI 3.1 and as a page."""

import json
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from ninja.openapi.docs import DocsBase
from ninja.openapi.schema import OpenAPISchema

from ratings.api.deprecations import mark_deprecated
from ratings_site.common.web.problems import CONTENT_TYPE, KNOWN, RETRYABLE, TYPE

ABOUT: Final = (
    "Members, ratings, histories, events, crosstables, and official lists as open "
    "data; the rating estimator; and rating reports for tournament directors. Ratings "
    "are as published on the public pages. With your API key, you also get the "
    "decimals that you see when you are signed in."
)
# The query parameters of examples.
QUERIES: Final = {
    "members.look_for_members": "?query=adams",
    "events.events": "?since=2024-05-01",
}
JSON: Final = "application/json"
METHODS: Final = ("get", "post", "put")
# Headers of every response, with their descriptions.
HEADERS: Final = {
    "RateLimit-Policy": "Quota: requests and seconds.",
    "Deprecation": "If something in it is deprecated: since when (RFC 9745).",
    "Sunset": "The day on which that ends (RFC 8594).",
    "RateLimit": "Requests left, and seconds until the quota resets.",
}
READ_HEADERS: Final = {"ETag": "Send it back as If-None-Match. 304 means not modified."}


def complete_schema(schema: OpenAPISchema) -> OpenAPISchema:
    """Add problems, headers and 304 responses to the schema of the framework."""
    for operations in schema["paths"].values():
        for method, operation in operations.items():
            for parameter in operation.get("parameters", ()):
                # The schema has them already; here they would have to be objects.
                parameter.pop("examples", None)
            for status, answer in operation["responses"].items():
                _complete_response(answer, int(status), method)
                _add_example(schema, answer, int(status))
            if method == "get" and not operation.get("security"):
                operation["responses"][304] = {
                    "description": "Not modified.",
                    "headers": _headers(HEADERS),
                }
    schema["components"].setdefault("securitySchemes", {})
    mark_deprecated(schema)
    return schema


def _complete_response(answer: dict[str, Any], status: int, method: str) -> None:
    content = answer.get("content", {})
    if status == 308:
        answer.pop("content", None)
        answer["description"] = "The ID was merged. See the Location header."
        answer["headers"] = _headers({"Location": "URL of the remaining record."})
        return
    if status >= 400:
        answer["description"] = KNOWN[status][0]
        if JSON in content:
            content[CONTENT_TYPE] = content.pop(JSON)
    spec = HEADERS | READ_HEADERS if (method, status) == ("get", 200) else HEADERS
    answer["headers"] = _headers(spec)


def _add_example(schema: dict[str, Any], answer: dict[str, Any], status: int) -> None:
    for content in answer.get("content", {}).values():
        if "example" not in content:
            example = _example(schema, content["schema"])
            if status >= 400:
                title, detail = KNOWN[status]
                spec = {"title": title, "detail": detail, "status": status}
                spec["retryable"] = status in RETRYABLE
                example = {"type": TYPE.format(status=status), **spec}
            content["example"] = example


def _headers(spec: dict[str, str]) -> dict[str, Any]:
    return {
        name: {"description": text, "schema": {"type": "string"}}
        for name, text in spec.items()
    }


# The page


class Documentation(DocsBase):
    """Renders the description as a page of the site, without third-party scripts."""

    def render_page(
        self, request: HttpRequest, api: Any, **kwargs: Any
    ) -> HttpResponse:
        schema = api.get_openapi_schema()
        host = f"{request.scheme}://{request.get_host()}"
        groups: dict[str, list[dict[str, Any]]] = {}
        for path, operations in schema["paths"].items():
            for method in METHODS:
                if spec := operations.get(method):
                    shown = _operation(schema, host, path, method, spec)
                    groups.setdefault(spec["tags"][0], []).append(shown)
        context = {
            "about": schema["info"]["description"],
            "groups": list(groups.items()),
            "problems": [(status, *spec) for status, spec in KNOWN.items()],
            "without_key": settings.API_QUOTA_WITHOUT_KEY,
            "with_key": settings.API_QUOTA_WITH_KEY,
            "host": host,
        }
        return render(request, "api/docs.html", context)


def _operation(
    schema: dict[str, Any], host: str, path: str, method: str, spec: dict[str, Any]
) -> dict[str, Any]:
    """Return one operation as the page shows it."""
    responses = {int(status): one for status, one in spec["responses"].items()}
    return {
        "anchor": spec["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": spec["summary"],
        "description": spec.get("description", ""),
        "is_deprecated": spec.get("deprecated", False),
        "needs_key": bool(spec.get("security")),
        "parameters": [_parameter(schema, one) for one in spec.get("parameters", ())],
        "statuses": [
            (status, responses[status]["description"]) for status in sorted(responses)
        ],
        "curl": _curl(schema, f"{host}{path}", method, spec),
        "answer": _answer(schema, responses),
    }


def _parameter(schema: dict[str, Any], spec: dict[str, Any]) -> dict[str, str]:
    kind = _resolved(schema, spec["schema"])
    return {
        "name": spec["name"],
        "where": spec["in"],
        "kind": _type_label(schema, kind),
        "description": spec.get("description") or kind.get("description", ""),
    }


def _type_label(schema: dict[str, Any], kind: dict[str, Any]) -> str:
    if "enum" in kind:
        return ", ".join(str(one) for one in kind["enum"] if one != "")
    if "anyOf" in kind:
        kinds = (_resolved(schema, one) for one in kind["anyOf"])
        return _type_label(schema, next(k for k in kinds if k.get("type") != "null"))
    words: str = kind.get("format") or kind.get("type", "text")
    if "maximum" in kind:
        words += f" from {kind.get('minimum', 0)} to {kind['maximum']}"
    return words


def _curl(schema: dict[str, Any], url: str, method: str, spec: dict[str, Any]) -> str:
    for one in spec.get("parameters", ()):
        if one["in"] == "path":
            example = _example(schema, one["schema"])
            url = url.replace(f"{{{one['name']}}}", str(example))
    parts = ["curl"]
    if spec.get("security"):
        parts.append('-H "Authorization: Bearer $KEY"')
    if "requestBody" in spec:
        parts.append('-H "Content-Type: application/json" --data-binary @body.json')
    elif method == "post":
        parts.append("-X POST")
    return " ".join([*parts, url + QUERIES.get(spec["operationId"], "")])


def _answer(schema: dict[str, Any], responses: dict[int, Any]) -> str:
    """Return an example of what a successful request gets; empty for no JSON."""
    found = responses.get(201) or responses.get(200) or {}
    content = found.get("content", {}).get(JSON)
    if content is None:
        return ""
    example = content.get("example") or _example(schema, content["schema"])
    return json.dumps(example, indent=2, ensure_ascii=False)


def _resolved(schema: dict[str, Any], kind: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in kind:
        schemas: dict[str, dict[str, Any]] = schema["components"]["schemas"]
        return schemas[kind["$ref"].rpartition("/")[2]]
    if len(kind.get("allOf", ())) == 1:
        return {**_resolved(schema, kind["allOf"][0]), **kind}
    return kind


_BY_TYPE: Final = {"boolean": False, "integer": 1, "number": 1.5, "null": None}
_BY_FORMAT: Final = {"date": "2024-05-04", "date-time": "2024-05-04T18:30:00Z"}


def _example(schema: dict[str, Any], kind: dict[str, Any]) -> Any:
    """Build an example value of a schema from the examples of its parts."""
    kind = _resolved(schema, kind)
    for name in ("example", "default", "const"):
        if kind.get(name) is not None:
            return kind[name]
    if kind.get("examples"):
        return kind["examples"][0]
    if "enum" in kind:
        return kind["enum"][0]
    if "anyOf" in kind:
        return _example(schema, kind["anyOf"][0])
    if kind.get("properties"):
        parts = kind["properties"].items()
        return {name: _example(schema, part) for name, part in parts}
    if kind.get("type") == "array":
        return [_example(schema, kind["items"])]
    if kind.get("format") in _BY_FORMAT:
        return _BY_FORMAT[kind["format"]]
    return _BY_TYPE.get(str(kind.get("type")), "")
