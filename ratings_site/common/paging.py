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
