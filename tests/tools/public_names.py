"""Names that others rely on and that a renaming of code must not change.

``python -m tests.tools.public_names > tests/data/releases/VERSION-names.json`` records
those of the present code.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from tests.source_ast import calls
from tests.tools.messages import ROOT, SOURCE_ROOTS

APPS = ("common", "players", "events", "ratings")


def public_names() -> dict[str, list[str]]:
    """Return all names by kind, each kind sorted."""
    from events.formats.catalog import FINDING_KINDS

    found: dict[str, Iterable[str]] = {
        "addresses": _addresses(),
        "operations and fields of the API": _api(),
        "permissions": _permissions(),
        "columns": _columns(),
        "environment variables": _environment(),
        "commands": _commands(),
        "jobs": _jobs(),
        "audit codes": _audit_codes(),
        "finding codes": map(str, FINDING_KINDS),
        "parameters of rating systems": _system_parameters(),
    }
    return {kind: sorted(set(names)) for kind, names in found.items()}


def _addresses() -> Iterator[str]:
    from django.urls import get_resolver

    def inside(patterns: list[Any], before: str) -> Iterator[str]:
        for one in patterns:
            route = before + str(one.pattern)
            if not hasattr(one, "url_patterns"):
                yield route
            elif not route.startswith("admin/"):
                yield from inside(one.url_patterns, route)

    return inside(get_resolver().url_patterns, "/")


def _api() -> Iterator[str]:
    from django.test import Client

    schema = Client().get("/api/v1/openapi.json", headers={"host": "localhost"}).json()
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            start = f"{operation['operationId']}: {method.upper()} {path}"
            yield start
            for parameter in operation.get("parameters", ()):
                yield f"{start} {parameter['in']} {parameter['name']}"
    for name, component in schema["components"]["schemas"].items():
        for field in component.get("properties", ()):
            yield f"{name}.{field}"


def _models() -> Iterator[Any]:
    from django.apps import apps

    for label in APPS:
        yield from apps.get_app_config(label).get_models(include_auto_created=True)


def _permissions() -> Iterator[str]:
    for model in _models():
        meta = model._meta
        for action in meta.default_permissions:
            yield f"{meta.app_label}.{action}_{meta.model_name}"
        for codename, _ in meta.permissions:
            yield f"{meta.app_label}.{codename}"


def _columns() -> Iterator[str]:
    for model in _models():
        for field in model._meta.concrete_fields:
            yield f"{model._meta.db_table}.{field.column}"


def _texts_given() -> Iterator[tuple[ast.expr, str, str]]:
    """Yield each call, the last part of its name, and a string as first argument."""
    for room in SOURCE_ROOTS:
        for path in (ROOT / room).rglob("*.py"):
            for name, call in calls(path):
                match call.args:
                    case [ast.Constant(value=str(text)), *_]:
                        yield call.func, name, text


def _environment() -> Iterator[str]:
    for called, _name, text in _texts_given():
        match called:
            case ast.Attribute(value=ast.Name(id="env")):
                yield text


def _audit_codes() -> Iterator[str]:
    for _called, name, text in _texts_given():
        if name in ("record", "record_all") and "." in text:
            yield text


def _commands() -> Iterator[str]:
    from django.core.management import get_commands, load_command_class

    for name, app in get_commands().items():
        if str(app).rpartition(".")[2] in (*APPS, "ratings_site"):
            yield name
            parser = load_command_class(str(app), name).create_parser("manage.py", name)
            for action in parser._actions:
                for option in action.option_strings or [action.dest]:
                    yield f"{name} {option}"


def _jobs() -> Iterator[str]:
    from ratings_site.celery import app
    from ratings_site.common.jobs import services

    app.loader.import_default_modules()
    yield from services._handlers
    yield from (name for name in app.tasks if not name.startswith("celery."))


def _system_parameters() -> Iterator[str]:
    """Yield the names by which experiments store parameters."""
    from ratings.laboratory.registry import SYSTEMS

    for key, system in SYSTEMS.items():
        yield from (f"{key}.{field.name}" for field in fields(system.parameters))


if __name__ == "__main__":
    import django

    django.setup()
    print(json.dumps(public_names(), indent=0, ensure_ascii=False))
