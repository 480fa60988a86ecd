"""Aggregate integers of a group into one value, which is faster than many rows."""

from typing import Any

from django.db import connection
from django.db.models import Aggregate, TextField


def array_agg_sql(column: str) -> str:
    """Return SQL that joins the values of a column with commas."""
    if connection.vendor == "postgresql":
        return f"string_agg({column}::text, ',')"
    return f"group_concat({column}, ',')"


class ArrayAgg(Aggregate):
    """The aggregate of `array_agg_sql` for querysets."""

    name = "ArrayAgg"
    output_field = TextField()

    def as_sql(self, *arguments: Any, **context: Any) -> tuple[str, Any]:
        context["template"] = array_agg_sql("%(expressions)s")
        return super().as_sql(*arguments, **context)


def parse_numbers(text: str | None) -> list[int]:
    """Return the integers of a value of `ArrayAgg`, which is NULL for no rows."""
    return [int(number) for number in text.split(",")] if text else []
