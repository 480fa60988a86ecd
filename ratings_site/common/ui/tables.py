"""The base classes of all tables."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any, ClassVar, Self

import django_tables2 as tables
from django.core.paginator import Page
from django.db.models import F
from django.http import HttpRequest
from django.utils.formats import localize
from django.utils.functional import Promise
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe
from django_tables2.data import TableData
from django_tables2.utils import Accessor, OrderBy, OrderByTuple

from ratings_site.common.ui.formatting import format_day

# Attributes of number columns, which are aligned to the right.
NUMBER = {"th": {"class": "num"}, "td": {"class": "num"}}
# Attributes of the column that names a row.
NAME = {"th": {"class": "name"}, "td": {"class": "name"}}

Value = str | Callable[[Any], Any]


class NumberColumn(tables.Column):  # type: ignore[misc]
    def render(self, value: int) -> str:
        return f"{value:,}"


class DayColumn(tables.Column):  # type: ignore[misc]
    def render(self, value: date) -> str:
        return format_day(value)


def column(label: str | Promise, classes: str = "", **options: Any) -> tables.Column:
    """Return a column with the classes in *classes*.

    "num" is a number (sorted from the largest at first), "day" a date, "labeled" shows
    the label on cards, "wide-only" hides the column on phones; other classes are of
    the cells.
    """
    names = classes.split()
    heads = [name for name in names if name in ("num", "wide-only", "name")]
    cells = [name for name in names if name not in ("day", "labeled")]
    attrs: dict[str, dict[str, Any]] = {
        kind: {"class": " ".join(own)} if own else {}
        for kind, own in (("th", heads), ("td", cells))
    }
    if "labeled" in names:
        attrs["td"]["data-label"] = label
    is_number = "num" in names
    plain = DayColumn if "day" in names else tables.Column
    kind = NumberColumn if is_number else plain
    options.setdefault("initial_sort_descending", is_number)
    return kind(verbose_name=label, attrs=attrs, **options)


def csv_fields(names: str, **others: Value) -> dict[str, Value]:
    """Return the columns of a CSV file: fields named as their headings, and others."""
    return {name: name for name in names.split()} | others


def _with_signature(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with its signature, which django-tables2 wants for each cell.

    To find it takes longer than most functions.
    """

    def call(*values: Any, **named: Any) -> Any:
        return function(*values, **named)

    call.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return call


class PagedRows(TableData):  # type: ignore[misc]
    """The rows of a page, which a query has already sorted and cut."""

    def __init__(self, rows: Iterable[Any]) -> None:
        super().__init__(list(rows))

    def __len__(self) -> int:
        return len(self.data)

    def order_by(self, aliases: Iterable[str]) -> None:
        pass


class Table(tables.Table):  # type: ignore[misc]
    """A table that computes the attributes of cells once per column.

    They are the same in all rows; django-tables2 computes them for each cell. The
    column *row_header* names its row. *csv_columns* are the headings of the list's CSV
    file, each with an accessor or function for its value; without them the list has no
    file. *tiebreak* sorts rows that are equal in the column that the reader sorts by.
    NULL in the *nullable* fields sorts below all values, on every database.
    """

    row_header: ClassVar[str] = ""
    csv_columns: Mapping[str, Value] = {}
    tiebreak: ClassVar[tuple[str, ...]] = ()
    nullable: ClassVar[frozenset[str]] = frozenset()
    order_by: Any
    unknown_sort = ""

    def body_rows(self) -> Iterator[SafeString]:
        """Yield the rows of the page as HTML."""
        columns = []
        for one in self.columns:
            one.render = _with_signature(one.render)
            if one.link and callable(one.link.url):
                one.link.url = _with_signature(one.link.url)
            tag = 'th scope="row"' if one.name == self.row_header else "td"
            begins = f"<{tag} {one.attrs['td'].as_html()}>"
            columns.append((one.name, begins, f"</{tag[:2]}>"))
        for row in self.paginated_rows:
            kind = self.row_class(row.record)
            row_begins = f'<tr class="{kind}">' if kind else "<tr>"
            cells = [
                f"{begins}{conditional_escape(localize(row.get_cell(name)))}{ends}"
                for name, begins, ends in columns
            ]
            # Cells are escaped, and attributes and classes are ours.
            yield mark_safe(f"{row_begins}{''.join(cells)}</tr>")  # noqa: S308

    def row_class(self, record: Any) -> str:
        return ""

    @classmethod
    def of_page(
        cls,
        request: HttpRequest,
        page: Page[Any],
        rows: Iterable[Any] | None = None,
        **options: Any,
    ) -> Self:
        """Return a table of the *rows* of a page that a query has sorted and cut."""
        table = cls(PagedRows(page if rows is None else rows), **options)
        table.sort(request.GET.get("sort", ""))
        page.object_list = table.rows
        table.page, table.paginator = page, page.paginator
        return table

    def csv_rows(self, records: Iterable[Any]) -> Iterator[list[Any]]:
        """Yield the headings of the CSV file, and then the values of each record."""
        yield list(self.csv_columns)
        values = [
            one if callable(one) else Accessor(one).resolve
            for one in self.csv_columns.values()
        ]
        for record in records:
            yield [value(record) for value in values]

    def sort(self, asked: str) -> None:
        """Sort by one column, such as "name" or "-name"; ignore an unknown one."""
        name = asked.removeprefix("-")
        if name in {one.name for one in self.columns if one.orderable}:
            self.order_by = asked
            if ordered := getattr(self.data.data, "query", None):
                fields = map(self._with_nulls, ordered.order_by)
                self.data.data = self.data.data.order_by(*fields, *self.tiebreak)
            return
        self.unknown_sort = name[:40]
        # Only one column is marked as sorted.
        self._order_by = OrderByTuple((self.order_by or ())[:1])

    def _with_nulls(self, order: Any) -> Any:
        """Sort NULL as the smallest value, where a database would sort it last."""
        name = str(order).removeprefix("-")
        if name not in self.nullable:
            return order
        if name == order:
            return F(name).asc(nulls_first=True)
        return F(name).desc(nulls_last=True)

    @classmethod
    def sort_fields(cls, request: HttpRequest) -> tuple[str, ...]:
        """Return the fields of the requested order, none if there is no such column.

        It is for queries that sort and cut the rows before there is a table.
        """
        asked = request.GET.get("sort", "")
        name = asked.removeprefix("-")
        found = cls.base_columns.get(name)
        if found is None or found.orderable is False:
            return ()
        order = found.order_by or (OrderBy(name),)
        if asked != name:
            order = [OrderBy(one).opposite for one in order]
        return (*order, *cls.tiebreak)
