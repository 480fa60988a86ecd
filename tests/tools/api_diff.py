"""Differences between two OpenAPI documents, as Markdown: `make api-diff`.

``python -m tests.tools.api_diff --store tests/data/releases/VERSION-openapi.json``
stores the present document. Without arguments, ``docs/api-changes.md`` is written: from
the last stored release to the present code.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RELEASES = ROOT / "tests" / "data" / "releases"
PAGE = ROOT / "docs" / "api-changes.md"
DEEPEST = 8  # of the schemas in each other
NOTE = "Written by `make api-diff`, from the OpenAPI documents of releases.\n"
# Each response can have these; they say nothing about an operation.
COMMON_STATUSES = {"401", "429"}

Described = dict[str, Any]


@dataclass
class Differences:
    """Sentences by kind. What a client has to be changed for is *breaking*."""

    breaking: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Field:
    kind: str
    is_required: bool
    values: frozenset[str] = frozenset()


class Document:
    """An OpenAPI document."""

    def __init__(self, document: Described) -> None:
        self.document = document
        self.operations = {
            f"{method.upper()} {path}": operation
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        }

    def parameters(self, name: str) -> dict[str, Field]:
        return {
            f"{one['in']} parameter `{one['name']}`": self._field(
                one["schema"], is_required=one.get("required", False)
            )
            for one in self.operations[name].get("parameters", ())
        }

    def bodies(self, name: str) -> dict[str, Field]:
        return self._contents(self.operations[name].get("requestBody", {}))

    def responses(self, name: str) -> dict[str, dict[str, Field]]:
        return {
            str(status): self._contents(response)
            for status, response in self.operations[name]["responses"].items()
        }

    def is_secured(self, name: str) -> bool:
        return bool(self.operations[name].get("security"))

    def is_deprecated(self, name: str) -> bool:
        return bool(self.operations[name].get("deprecated"))

    def _contents(self, holder: Described) -> dict[str, Field]:
        found: dict[str, Field] = {}
        for kind, content in holder.get("content", {}).items():
            found[f"content {kind}"] = Field("content", is_required=False)
            if kind.endswith("json"):
                found |= self._fields(content.get("schema", {}), "", DEEPEST)
        return found

    def _resolved(self, schema: Described) -> Described:
        if len(schema.get("allOf", ())) == 1:
            schema = {**schema["allOf"][0], **schema}
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            return self._resolved(self.document["components"]["schemas"][name])
        return schema

    def _options(self, schema: Described) -> list[Described]:
        """Return the alternatives of a schema, without null."""
        schema = self._resolved(schema)
        options = schema.get("anyOf") or schema.get("oneOf") or [schema]
        resolved = [self._resolved(one) for one in options]
        return [one for one in resolved if one.get("type") != "null"]

    def _fields(self, schema: Described, path: str, depth: int) -> dict[str, Field]:
        found: dict[str, Field] = {}
        for option in self._options(schema) if depth else ():
            if "items" in option:
                found |= self._fields(option["items"], f"{path}[]", depth - 1)
            required = option.get("required", ())
            for name, part in option.get("properties", {}).items():
                inner = f"{path}.{name}".lstrip(".")
                is_required = name in required
                found[f"field `{inner}`"] = self._field(part, is_required=is_required)
                found |= self._fields(part, inner, depth - 1)
        return found

    def _field(self, schema: Described, *, is_required: bool) -> Field:
        options = self._options(schema)
        kinds = {_kind(one) for one in options}
        whole = self._resolved(schema)
        if len(whole.get("anyOf", whole.get("oneOf", options))) > len(options):
            kinds.add("null")
        values = {str(value) for one in options for value in one.get("enum", ())}
        return Field(" or ".join(sorted(kinds)), is_required, frozenset(values))


def _kind(schema: Described) -> str:
    kinds = schema.get("type", "any")
    if isinstance(kinds, list):
        kinds = " or ".join(sorted(kinds))
    if "const" in schema:
        return f"“{schema['const']}”"
    return " ".join(filter(None, (kinds, schema.get("format", ""))))


def differences(old: Described, new: Described) -> Differences:
    """Return what changed from one OpenAPI document to another."""
    before, after, found = Document(old), Document(new), Differences()
    for name in sorted(before.operations.keys() | after.operations.keys()):
        if name not in after.operations:
            found.breaking.append(f"{name}: removed.")
        elif name not in before.operations:
            summary = after.operations[name].get("summary", "")
            found.added.append(f"{name}: {summary}.")
        else:
            _compare(name, before, after, found)
    return found


def _compare(name: str, old: Document, new: Document, found: Differences) -> None:
    if new.is_secured(name) and not old.is_secured(name):
        found.breaking.append(f"{name}: needs a key.")
    if new.is_deprecated(name) and not old.is_deprecated(name):
        found.changed.append(f"{name}: deprecated.")
    _compare_sent(name, old.parameters(name), new.parameters(name), found)
    _compare_sent(name, old.bodies(name), new.bodies(name), found)
    before, after = old.responses(name), new.responses(name)
    for status in sorted((before.keys() | after.keys()) - COMMON_STATUSES):
        where = f"{name}: response {status}"
        if status not in after:
            is_good = status.startswith("2")
            (found.breaking if is_good else found.changed).append(f"{where}: removed.")
        elif status not in before:
            found.added.append(f"{where}.")
        else:
            where = "Every error" if status >= "4" else where
            _compare_received(where, before[status], after[status], found)


def _compare_sent(
    name: str, old: dict[str, Field], new: dict[str, Field], found: Differences
) -> None:
    """Compare what clients send: it must stay possible to send it."""
    for part in sorted(old.keys() | new.keys()):
        before, after = old.get(part), new.get(part)
        where = f"{name}: {part}"
        if after is None:
            found.breaking.append(f"{where}: removed.")
        elif before is None:
            is_free = not after.is_required or "[]" in part or "." in part
            (found.added if is_free else found.breaking).append(
                f"{where}." if is_free else f"{where}: new and required."
            )
        else:
            if after.is_required and not before.is_required:
                found.breaking.append(f"{where}: now required.")
            _compare_kinds(where, before, after, found, lost_breaks=True)


def _compare_received(
    name: str, old: dict[str, Field], new: dict[str, Field], found: Differences
) -> None:
    """Compare what clients receive: it must stay there, in its form."""
    for part in sorted(old.keys() | new.keys()):
        before, after = old.get(part), new.get(part)
        where = f"{name}: {part}"
        if after is None:
            found.breaking.append(f"{where}: removed.")
        elif before is None:
            found.added.append(f"{where}.")
        else:
            _compare_kinds(where, before, after, found, lost_breaks=False)


def _compare_kinds(
    where: str, old: Field, new: Field, found: Differences, *, lost_breaks: bool
) -> None:
    if old.kind != new.kind:
        found.breaking.append(f"{where}: {new.kind} instead of {old.kind}.")
    if lost := sorted(old.values - new.values):
        kind = found.breaking if lost_breaks and new.values else found.changed
        kind.append(f"{where}: no longer {', '.join(lost)}.")
    if more := sorted(new.values - old.values):
        found.changed.append(f"{where}: also {', '.join(more)}.")


def markdown(old_name: str, new_name: str, found: Differences) -> str:
    """Return the differences as a section of a page, breaking ones first."""
    lines = [f"## From {old_name} to {new_name}"]
    kinds = {
        "Breaking": found.breaking,
        "Added": found.added,
        "Changed": found.changed,
    }
    for title, sentences in kinds.items():
        lines += ["", f"### {title}", ""]
        lines += [f"- {one}" for one in dict.fromkeys(sentences)] or ["None."]
    return "\n".join(lines) + "\n"


def stored_documents() -> Iterator[tuple[str, Described]]:
    """Yield the version and OpenAPI document of each release, the oldest first."""

    def order(path: Path) -> list[int]:
        return [int(number) for number in re.findall(r"\d+", path.stem)]

    for path in sorted(RELEASES.glob("*-openapi.json"), key=order):
        yield path.stem.removesuffix("-openapi"), json.loads(path.read_text())


def present_document() -> Described:
    from ratings.api.app import api

    document: Described = json.loads(json.dumps(api.get_openapi_schema(), default=str))
    return document


def page() -> str:
    """Return the page of all differences, the newest first."""
    documents = [*stored_documents(), ("the next release", present_document())]
    sections = [
        markdown(old_name, new_name, differences(old, new))
        for (old_name, old), (new_name, new) in pairwise(documents)
    ]
    return "\n".join(["# Changes of the API", "", NOTE, *reversed(sections)])


def main(arguments: list[str]) -> None:
    match arguments:
        case []:
            PAGE.write_text(page())
            print(PAGE)
        case ["--store", path]:
            text = json.dumps(present_document(), indent=1, ensure_ascii=False)
            Path(path).write_text(text)
        case [old, new]:
            found = [json.loads(Path(path).read_text()) for path in (old, new)]
            print(markdown(Path(old).stem, Path(new).stem, differences(*found)), end="")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    main(sys.argv[1:])
