"""What lists, and the columns of lists, have in common."""

from collections.abc import Iterator
from typing import Any

import django_tables2 as tables
from django.utils.safestring import SafeString

# Numbers stand under each other, to the right.
NUMBER = {"th": {"class": "num"}, "td": {"class": "num"}}


class Table(tables.Table):
    """A list that asks each column once for the attributes of its cells.

    They are the same in all rows; the library would ask in every cell.
    """

    def cells(self) -> Iterator[list[tuple[SafeString, Any]]]:
        """Yield the rows of the page: attributes and content of each cell."""
        columns = [(one.name, one.attrs["td"].as_html()) for one in self.columns]
        for row in self.paginated_rows:
            yield [(attributes, row.get_cell(name)) for name, attributes in columns]
