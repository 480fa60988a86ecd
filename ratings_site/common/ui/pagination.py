"""Pagination with a fixed page size."""

from functools import partial
from typing import Any

from django.core.paginator import EmptyPage, Page, PageNotAnInteger, Paginator
from django.http import HttpRequest
from django_tables2 import Table

ROWS_PER_PAGE = 50


def paginate(
    request: HttpRequest, rows: Any, size: int = ROWS_PER_PAGE, *, name: str = "page"
) -> Page[Any]:
    """Return the page that the URL asks for, or the nearest one there is."""
    return Paginator(rows, size).get_page(request.GET.get(name))


class _CountedPaginator(Paginator):  # type: ignore[type-arg]
    """A paginator with a known count."""

    def __init__(self, *arguments: Any, count: int) -> None:
        super().__init__(*arguments)
        self.count = count


def sort_and_paginate(
    request: HttpRequest, table: Table, *, total: int | None = None
) -> None:
    """Sort *table* and select the requested page, or the first if it is invalid.

    *table* is one of `ratings_site.common.ui.tables`. The rows are counted unless
    their *total* is given. The page size is fixed: any size from the URL, such as a
    million or -5, would be accepted otherwise.
    """
    table.sort(request.GET.get("sort", ""))
    pages = Paginator if total is None else partial(_CountedPaginator, count=total)
    try:
        table.paginate(pages, ROWS_PER_PAGE, request.GET.get("page", 1))
    except (EmptyPage, PageNotAnInteger):
        table.paginate(pages, ROWS_PER_PAGE)
