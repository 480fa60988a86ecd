"""Lists in pages of one length."""

from functools import partial
from typing import Any

from django.core.paginator import EmptyPage, PageNotAnInteger, Paginator
from django.http import HttpRequest
from django_tables2 import RequestConfig, Table

ROWS_ON_A_PAGE = 50


class _Known(Paginator):
    """Pages of rows that need not be counted."""

    def __init__(self, *arguments: Any, count: int) -> None:
        super().__init__(*arguments)
        self.count = count


def sort_and_turn(
    request: HttpRequest, table: Table, *, total: int | None = None
) -> None:
    """Sort *table* and turn to the page asked for, or the first if there is none.

    Its rows are counted unless their *total* is known.

    The length of a page is ours alone: RequestConfig would take any from the address,
    a million as well as minus five.
    """
    RequestConfig(request, paginate=False).configure(table)
    pages = Paginator if total is None else partial(_Known, count=total)
    try:
        table.paginate(pages, ROWS_ON_A_PAGE, request.GET.get("page", 1))
    except (EmptyPage, PageNotAnInteger):
        table.paginate(pages, ROWS_ON_A_PAGE)


def unknown_sort(request: HttpRequest, table: Table) -> str:
    """Return what the address asks to sort by and the table does not have, if any."""
    asked = request.GET.get(table.prefixed_order_by_field, "")
    known = {column.name for column in table.columns if column.orderable}
    names = [name.strip().lstrip("-") for name in asked.split(",")]
    return next((name[:40] for name in names if name and name not in known), "")
