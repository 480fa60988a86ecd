"""``filter(player__among=numbers)``: like ``in``, for thousands of whole numbers.

They go to the database as one value. As one parameter each they would cost more than
the query, and SQLite bears only so many.
"""

from collections.abc import Iterable
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, ForeignKey, Lookup


@ForeignKey.register_lookup
@Field.register_lookup
class Among(Lookup):
    """Matches columns whose number is one of a list."""

    lookup_name = "among"
    prepare_rhs = False

    def as_sql(
        self, compiler: Any, connection: BaseDatabaseWrapper
    ) -> tuple[str, list[Any]]:
        column, parameters = self.process_lhs(compiler, connection)
        if connection.vendor == "postgresql":
            return f"{column} = ANY(%s::bigint[])", [*parameters, as_array(self.rhs)]
        listed = "IN (SELECT value FROM json_each(%s))"
        return f"{column} {listed}", [*parameters, f"[{_joined(self.rhs)}]"]


def as_array(numbers: Iterable[int]) -> str:
    """Return whole numbers as PostgreSQL reads an array.

    As a text they are written many times faster than number by number.
    """
    return f"{{{_joined(numbers)}}}"


def _joined(numbers: Iterable[int]) -> str:
    return ",".join(map(str, map(int, numbers)))
