"""The base class of all tables."""

from collections.abc import Iterator
from typing import Any

import django_tables2 as tables
from django.utils.safestring import SafeString

# Attributes of number columns, which are aligned to the right.
NUMBER = {"th": {"class": "num"}, "td": {"class": "num"}}


class Table(tables.Table):  # type: ignore[misc]
    """A table that computes the attributes of cells once per column.

    They are the same in all rows; django-tables2 computes them for each cell.
    """

    def cells(self) -> Iterator[list[tuple[SafeString, Any]]]:
        """Yield the rows of the page, with attributes and content of each cell."""
        columns = [(one.name, one.attrs["td"].as_html()) for one in self.columns]
        for row in self.paginated_rows:
            yield [(attributes, row.get_cell(name)) for name, attributes in columns]
