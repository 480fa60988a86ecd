"""``filter(player__in_array=numbers)``: like ``in``, for thousands of integers.

They are sent as one parameter. One parameter each would cost more than the query, and
SQLite limits their number.
"""

from collections.abc import Iterable
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, ForeignKey, Lookup


@ForeignKey.register_lookup
@Field.register_lookup
class InArray(Lookup):
    """Matches rows whose integer is one of a collection."""

    lookup_name = "in_array"
    prepare_rhs = False

    def as_sql(
        self, compiler: Any, connection: BaseDatabaseWrapper
    ) -> tuple[str, tuple[Any, ...]]:
        column, parameters = self.process_lhs(compiler, connection)
        if connection.vendor == "postgresql":
            return f"{column} = ANY(%s::bigint[])", (
                *parameters,
                f"{{{_joined(self.rhs)}}}",
            )
        listed = "IN (SELECT value FROM json_each(%s))"
        return f"{column} {listed}", (*parameters, f"[{_joined(self.rhs)}]")


def number_table(numbers: Iterable[int]) -> tuple[str, str]:
    """Return SQL for a table of integers, in its column ``value``, and its parameter.

    The alias of the table follows.
    """
    if connection.vendor == "postgresql":
        return "(SELECT unnest(%s::bigint[]) AS value)", f"{{{_joined(numbers)}}}"
    return "json_each(%s)", f"[{_joined(numbers)}]"


def _joined(numbers: Iterable[int]) -> str:
    """Join integers as text, which is many times faster than adapting each."""
    return ",".join(map(str, map(int, numbers)))
