"""``filter(search_text__has_words=["spring", "op"])``: prefixes of words of a text.

The column is uppercase. PostgreSQL uses the index on ``words_index``; SQLite scans the
table.
"""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, Lookup, TextField


@CharField.register_lookup
@TextField.register_lookup
class HasWords(Lookup):
    """Matches texts in which each alphanumeric term is the prefix of a word."""

    lookup_name = "has_words"
    prepare_rhs = False

    def as_sql(
        self, compiler: Any, connection: BaseDatabaseWrapper
    ) -> tuple[str, tuple[Any, ...]]:
        column, parameters = self.process_lhs(compiler, connection)
        if connection.vendor == "postgresql":
            wanted = " & ".join(f"{word.lower()}:*" for word in self.rhs)
            sql = f"{words_index(column)} @@ to_tsquery('simple', %s)"
            return sql, (*parameters, wanted)
        one = (
            f"({column} GLOB UPPER(%s) || '*' OR {column} GLOB %s || UPPER(%s) || '*')"
        )
        values: list[Any] = []
        for word in self.rhs:
            values += [*parameters, word, *parameters, "*[^A-Z0-9]", word]
        return f"({' AND '.join([one] * len(self.rhs))})", tuple(values)


def words_index(column: str) -> str:
    """Return the indexed expression; all other characters separate words."""
    plain = rf"regexp_replace({column}, '[^[:alnum:]]+', ' ', 'g')"
    return f"to_tsvector('simple', {plain})"
