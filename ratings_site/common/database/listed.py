"""Whole numbers of a group in one value: a row for each would be slower to send."""

from typing import Any

from django.db import connection
from django.db.models import Aggregate, TextField


def listed(column: str) -> str:
    """Return the SQL that lists a column of a group, for `numbers_in`."""
    if connection.vendor == "postgresql":
        return f"string_agg({column}::text, ',')"
    return f"group_concat({column}, ',')"


class Listed(Aggregate):
    """The same for a query of models."""

    name = "Listed"
    output_field = TextField()

    def as_sql(self, *arguments: Any, **context: Any) -> tuple[str, Any]:
        context["template"] = listed("%(expressions)s")
        return super().as_sql(*arguments, **context)


def numbers_in(text: str | None) -> list[int]:
    """Return the numbers listed; where none is, the database says nothing."""
    return [int(number) for number in text.split(",")] if text else []
