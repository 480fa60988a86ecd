"""Lists in pages of one length."""

from django.core.paginator import EmptyPage, PageNotAnInteger
from django.http import HttpRequest
from django_tables2 import RequestConfig, Table

ROWS_ON_A_PAGE = 50


def sort_and_turn(request: HttpRequest, table: Table) -> None:
    """Sort *table* and turn to the page asked for, or the first if there is none.

    The length of a page is ours alone: RequestConfig would take any from the address,
    a million as well as minus five.
    """
    RequestConfig(request, paginate=False).configure(table)
    try:
        table.paginate(page=request.GET.get("page", 1), per_page=ROWS_ON_A_PAGE)
    except (EmptyPage, PageNotAnInteger):
        table.paginate(page=1, per_page=ROWS_ON_A_PAGE)


def unknown_sort(request: HttpRequest, table: Table) -> str:
    """Return what the address asks to sort by and the table does not have, if any."""
    asked = request.GET.get(table.prefixed_order_by_field, "")
    known = {column.name for column in table.columns if column.orderable}
    names = [name.strip().lstrip("-") for name in asked.split(",")]
    return next((name[:40] for name in names if name and name not in known), "")
