"""``filter(player__among=numbers)``: like ``in``, for thousands of whole numbers.

They go to the database as one value. As one parameter each they would cost more than
the query, and SQLite bears only so many.
"""

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
        # As a text they are written many times faster than number by number.
        numbers = ",".join(map(str, map(int, self.rhs)))
        if connection.vendor == "postgresql":
            return f"{column} = ANY(%s::bigint[])", [*parameters, f"{{{numbers}}}"]
        listed = "IN (SELECT value FROM json_each(%s))"
        return f"{column} {listed}", [*parameters, f"[{numbers}]"]
