"""``filter(name__has_prefix="smi")``: like ``startswith``, with an index on SQLite too.

SQLite uses no index for Django's LIKE with an escape character. It compares texts byte
by byte, so a prefix is a range.
"""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField
from django.db.models.lookups import StartsWith
from django.db.models.sql.compiler import SQLCompiler


class HasPrefix(StartsWith):
    """Matches texts with a prefix, which is ASCII and not empty."""

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper
    ) -> tuple[str, list[Any]]:
        column, parameters = self.process_lhs(compiler, connection)
        first, after = self.rhs, f"{self.rhs[:-1]}{chr(ord(self.rhs[-1]) + 1)}"
        sql = f"({column} >= %s AND {column} < %s)"
        return sql, [*parameters, first, *parameters, after]


# On PostgreSQL it is LIKE, which a varchar_pattern_ops index supports.
CharField.register_lookup(HasPrefix, "has_prefix")
