"""``filter(search_name__begins="smi")``: like ``startswith``, by the index everywhere.

SQLite searches no index for Django's LIKE with an escape sign. Its texts are compared
byte by byte, so what begins alike stands together there.
"""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField
from django.db.models.lookups import StartsWith
from django.db.models.sql.compiler import SQLCompiler


class Begins(StartsWith):
    """Matches texts that begin so; *rhs* is not empty and of ASCII."""

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper
    ) -> tuple[str, list[Any]]:
        column, parameters = self.process_lhs(compiler, connection)
        first, after = self.rhs, f"{self.rhs[:-1]}{chr(ord(self.rhs[-1]) + 1)}"
        sql = f"({column} >= %s AND {column} < %s)"
        return sql, [*parameters, first, *parameters, after]


# On PostgreSQL it is LIKE, which the index of a text's pattern answers.
CharField.register_lookup(Begins, "begins")
