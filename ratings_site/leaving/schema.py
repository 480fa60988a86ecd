"""The tables of an export: their columns, their values in JSON, their documentation."""

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from graphlib import TopologicalSorter
from inspect import getdoc
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.utils.translation import override

from ratings_site.common.web.files import escape_formula
from ratings_site.leaving.contents import (
    EXCLUDED,
    EXCLUDED_COLUMNS,
    EXPORTED,
    INLINE,
    OTHER_TABLES,
)

Convert = Callable[[Any], Any]
NAMED = (ContentType, Permission)
JSON_TYPES = {
    "DateField": "string, a date such as 2026-05-04",
    "DateTimeField": "string, a time in UTC such as 2026-05-04T15:30:00.000000+00:00",
    "DecimalField": "string, an exact decimal number",
    "FloatField": "number, with all its digits",
    "BooleanField": "true or false",
    "JSONField": "JSON of its own",
    "BinaryField": "string, “base64:” and the bytes, or “file:” and a SHA-256",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column. *is_computed* columns are for readers; the database computes them."""

    name: str
    field: Any
    kind: str
    is_computed: bool

    @property
    def named(self) -> Any:
        """The model whose rows are referred to by name, if it is one of them."""
        target = self.field.remote_field and self.field.remote_field.model
        return target if target in NAMED else None


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the export, with the columns that are in it."""

    label: str
    model: type[models.Model]
    columns: tuple[Column, ...]

    @property
    def path(self) -> str:
        return f"tables/{self.label}.jsonl"

    @property
    def csv_path(self) -> str:
        return f"csv/{self.label}.csv"

    @property
    def has_uploads(self) -> bool:
        return any(column.name == "stored_as" for column in self.columns)

    @property
    def has_files(self) -> bool:
        """Whether a row holds binary values that can be large."""
        return any(
            column.kind == "BinaryField" and f"{self.label}.{column.name}" not in INLINE
            for column in self.columns
        )


def _columns(label: str, model: type[models.Model]) -> Iterator[Column]:
    for field in model._meta.local_concrete_fields:
        if f"{label}.{field.name}" in EXCLUDED_COLUMNS:
            continue
        is_computed = bool(field.generated)
        kind: Any = getattr(field, "output_field", field)
        while kind.remote_field:
            kind = kind.target_field
        internal = kind.get_internal_type()
        yield Column(field.attname, field, internal, is_computed)


@cache
def tables() -> tuple[Table, ...]:
    """Return the tables in an order in which rows refer only to earlier tables."""
    by_model = {apps.get_model(label): label for label in EXPORTED}
    order: TopologicalSorter[str] = TopologicalSorter()
    for model, label in sorted(by_model.items(), key=lambda one: one[1]):
        targets = {field.related_model for field in model._meta.local_concrete_fields}
        needs = (by_model[one] for one in targets & by_model.keys() - {model})
        order.add(label, *sorted(needs))
    return tuple(
        Table(label, model, tuple(_columns(label, model)))
        for label in order.static_order()
        for model in [apps.get_model(label)]
    )


# Values


def name_by_key(model: Any) -> dict[int, str]:
    """Return the names of content types or permissions by primary key."""
    if model is ContentType:
        rows = ContentType.objects.values_list("pk", "app_label", "model")
    else:
        rows = Permission.objects.values_list(  # type: ignore[assignment]
            "pk", "content_type__app_label", "content_type__model", "codename"
        )
    return {key: ".".join(names) for key, *names in rows}


def encoders(
    table: Table, keep_file: Callable[[bytes], str]
) -> list[tuple[int, Convert]]:
    """Return by place the functions that turn values into JSON's; None stays None.

    *keep_file* stores bytes in the export and returns their SHA-256.
    """

    def of_bytes(column: Column) -> Convert:
        if f"{table.label}.{column.name}" in INLINE:
            return lambda value: f"base64:{base64.b64encode(value).decode()}"
        return lambda value: f"file:{keep_file(bytes(value))}"

    found: list[tuple[int, Convert]] = []
    for place, column in enumerate(table.columns):
        if column.named:
            found.append((place, name_by_key(column.named).__getitem__))
        elif column.kind == "BinaryField":
            found.append((place, of_bytes(column)))
        elif column.kind in _ENCODERS:
            found.append((place, _ENCODERS[column.kind]))
    return found


_ENCODERS: dict[str, Convert] = {
    "DateField": date.isoformat,
    "DateTimeField": lambda value: value.astimezone(UTC).isoformat(
        timespec="microseconds"
    ),
    "DecimalField": str,
}


def decoders(table: Table, read_file: Callable[[str], bytes]) -> dict[str, Convert]:
    """Return by name the functions that turn JSON's values back."""

    def to_bytes(value: str) -> bytes:
        kind, _, text = value.partition(":")
        if kind == "file":
            return read_file(text)
        return base64.b64decode(text, validate=True)

    found: dict[str, Convert] = {}
    for column in table.columns:
        if column.named:
            keys = {name: key for key, name in name_by_key(column.named).items()}
            found[column.name] = keys.__getitem__
        elif column.kind == "BinaryField":
            found[column.name] = to_bytes
        elif column.kind in _DECODERS:
            found[column.name] = _DECODERS[column.kind]
    return found


def _aware(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no time zone.")
    return moment


def _float(value: Any) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise ValueError(f"{value!r} is not a number.")
    return float(value)


_DECODERS: dict[str, Convert] = {
    "DateField": date.fromisoformat,
    "DateTimeField": _aware,
    "DecimalField": Decimal,
    "FloatField": _float,
}


def csv_value(value: Any) -> Any:
    """Return a value of JSON as CSV has it."""
    if isinstance(value, str):
        return escape_formula(value)
    if isinstance(value, (bool, dict, list)):
        return json.dumps(value, ensure_ascii=False)
    return value


# Documentation


def _described(table: Table, column: Column) -> dict[str, Any]:
    field = column.field
    kind = "integer" if "Integer" in column.kind or "Auto" in column.kind else "string"
    found: dict[str, Any] = {
        "name": column.name,
        "type": JSON_TYPES.get(column.kind, kind),
        "null": bool(field.null),
    }
    target = field.remote_field and field.remote_field.model
    if column.named:
        found["type"] = "string, a name"
    elif target:
        found["references"] = target._meta.label
    if field.choices:
        found["values"] = {str(code): str(name) for code, name in field.flatchoices}
    if meaning := field.help_text or field.verbose_name:
        found["meaning"] = str(meaning)
    if column.is_computed:
        found["computed"] = True
    return found


def schema() -> dict[str, Any]:
    """Return the documentation of all tables, in English."""
    with override("en"):
        return {
            "tables": {
                table.label: {
                    "file": table.path,
                    "meaning": _meaning(table.model),
                    "columns": [_described(table, one) for one in table.columns],
                }
                for table in tables()
            },
            "left_out": {
                name: str(why)
                for name, why in (EXCLUDED | EXCLUDED_COLUMNS | OTHER_TABLES).items()
            },
        }


def _meaning(model: type[models.Model]) -> str:
    text = getdoc(model) or ""
    if text.startswith(f"{model.__name__}("):  # made by Django
        text = ""
    return " ".join(text.split()) or str(model._meta.verbose_name_plural)


def schema_as_text() -> str:
    """Return the same as Markdown."""
    found = schema()
    lines = ["# Tables of this export", ""]
    for label, table in found["tables"].items():
        lines += [f"## {label}", "", table["meaning"], ""]
        lines += ["| Column | Type | Meaning |", "|---|---|---|"]
        lines += [_line(column) for column in table["columns"]] + [""]
    lines += ["## Left out", ""]
    lines += [f"- `{name}`: {why}" for name, why in found["left_out"].items()]
    return "\n".join(lines) + "\n"


def _line(column: dict[str, Any]) -> str:
    notes = [column["meaning"]] if "meaning" in column else []
    if "references" in column:
        notes.append(f"Key of {column['references']}.")
    if "values" in column:
        pairs = (f"{code!r} {name}" for code, name in column["values"].items())
        notes.append(f"One of: {', '.join(pairs)}.")
    if "computed" in column:
        notes.append("Computed from the other columns.")
    kind = f"{column['type']}{', or null' if column['null'] else ''}"
    text = " ".join(notes).replace("|", "\\|").replace("\n", " ")
    return f"| `{column['name']}` | {kind} | {text} |"
