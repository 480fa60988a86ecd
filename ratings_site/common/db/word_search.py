"""``filter(search_text__has_words=["spring", "op"])``: prefixes of words of a text.

The column is uppercase; accents make no difference. PostgreSQL uses the index on
``words_index``; SQLite scans the table.
"""

from string import ascii_uppercase
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, Lookup, TextField

# European letters with an accent, and the letter of each in capitals.
_ACCENTED = (
    "ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïðñòóôõöøùúûüýÿĀāĂăĄąĆćĈĉĊċČ"
    "čĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭĮįİıĴĵĶķĹĺĻļĽľĿŀŁłŃńŅņŇňŉŌōŎŏŐőŔŕŖŗŘřŚś"
    "ŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽžſ"
)
_PLAIN = (
    "AAAAAACEEEEIIIIDNOOOOOOUUUUYAAAAAACEEEEIIIIDNOOOOOOUUUUYYAAAAAACCCCCCC"
    "CDDDDEEEEEEEEEEGGGGGGGGHHIIIIIIIIIIJJKKLLLLLLLLLLNNNNNNNOOOOOORRRRRRSS"
    "SSSSSSTTTTUUUUUUUUUUUUWWYYYZZZZZZS"
)
_FOLD = str.maketrans(_ACCENTED, _PLAIN)
# For GLOB on SQLite, whose UPPER leaves é as it is.
_ANY_ACCENT = {
    letter: f"[{letter}{''.join(a for a in _ACCENTED if a.translate(_FOLD) == letter)}]"
    for letter in ascii_uppercase
}


def _glob(text: str) -> str:
    """Return a pattern for GLOB that matches *text* with any accents."""
    folded = text.translate(_FOLD)
    return "".join(_ANY_ACCENT.get(sign.upper(), sign) for sign in folded)


@CharField.register_lookup
@TextField.register_lookup
class HasWords(Lookup):
    """Matches texts in which each term is the prefix of a word; none without terms."""

    lookup_name = "has_words"
    prepare_rhs = False

    def as_sql(
        self, compiler: Any, connection: BaseDatabaseWrapper
    ) -> tuple[str, tuple[Any, ...]]:
        if not self.rhs:
            raise EmptyResultSet
        column, parameters = self.process_lhs(compiler, connection)
        if connection.vendor == "postgresql":
            wanted = " & ".join(f"{one.translate(_FOLD).lower()}:*" for one in self.rhs)
            sql = f"{words_index(column)} @@ to_tsquery('simple', %s)"
            return sql, (*parameters, wanted)
        values: list[Any] = []
        for word in map(_glob, self.rhs):
            values += [*parameters, f"{word}*", *parameters, f"*[^A-Z0-9À-ſ]{word}*"]
        one = f"({column} GLOB %s OR {column} GLOB %s)"
        return f"({' AND '.join([one] * len(self.rhs))})", tuple(values)


@CharField.register_lookup
class BeginsWith(Lookup):
    """Matches texts that begin with letters, digits and spaces."""

    lookup_name = "begins_with"
    prepare_rhs = False

    def as_sql(
        self, compiler: Any, connection: BaseDatabaseWrapper
    ) -> tuple[str, tuple[Any, ...]]:
        column, parameters = self.process_lhs(compiler, connection)
        if connection.vendor == "postgresql":
            prefix = f"{self.rhs.translate(_FOLD).upper()}%"
            return f"{without_accents(column)} LIKE %s", (*parameters, prefix)
        return f"{column} GLOB %s", (*parameters, f"{_glob(self.rhs)}*")


def words_index(column: str) -> str:
    """Return the indexed expression; all other characters separate words."""
    plain = rf"regexp_replace({without_accents(column)}, '[^[:alnum:]]+', ' ', 'g')"
    return f"to_tsvector('simple', {plain})"


def without_accents(column: str) -> str:
    """Return PostgreSQL's expression of an uppercase text without accents."""
    return f"translate({column}, '{_ACCENTED}', '{_PLAIN}')"
