"""Official rating lists, in whole numbers. Lists are never revised."""

from datetime import date, datetime
from typing import Annotated, Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.http import http_date
from ninja import Path, Query, Router, Schema
from pydantic import Field

from ratings.api.responses import (
    Cursor,
    IsAbout,
    Limit,
    MemberId,
    PageOf,
    SortKey,
    State,
    cursor_page,
    page,
    responses,
)
from ratings.engine.systems import System
from ratings.lists.queries.official import list_of_month, lists_with_files
from ratings.models import OfficialList

router = Router(tags=["Lists"])

NEWEST_FIRST: Final = (SortKey("month", date, descending=True),)
HIGHEST_FIRST: Final = (
    SortKey("rating", int, descending=True),
    SortKey("player__member_id", str),
)
Month = Annotated[str, Path(description="Such as 2026-12.", examples=["2026-12"])]


class File(Schema):
    """The list as a file, exactly as published."""

    name: str = Field(examples=["2026-12.csv"])
    size: int = Field(examples=[2481023])
    sha256: str
    url: str = Field(alias="get_absolute_url", examples=["/lists/2026-12/2026-12.csv"])


class ListFacts(Schema):
    """An official rating list."""

    month: str = Field(alias="slug", examples=["2026-12"])
    correction: int = Field(
        description="0 for the monthly list; 1 and up for its corrections.",
        examples=[0],
    )
    in_force_from: date = Field(alias="starts")
    cut_off: datetime
    published_at: datetime
    members: int = Field(examples=[84120])
    files: list[File]
    page: str = Field(alias="get_absolute_url", examples=["/lists/2026-12/"])


@router.get(
    "",
    response=responses(PageOf[ListFacts], 400, 422),
    summary="List official rating lists",
)
def lists(
    request: HttpRequest,
    response: HttpResponse,
    limit: Limit = 50,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """List published lists, newest first. Withdrawn lists are not included."""
    part = cursor_page(lists_with_files(), NEWEST_FIRST, cursor, limit)
    if part.rows and not cursor:
        _set_last_modified(response, part.rows[0])
    return page(request, response, part)


def _set_last_modified(response: HttpResponse, shown: OfficialList) -> None:
    response["Last-Modified"] = http_date(shown.published_at.timestamp())


class ListedRating(Schema):
    """One official rating."""

    place: int = Field(examples=[8120])
    state_place: int | None = Field(examples=[212])
    member_id: MemberId = Field(alias="player.member_id")
    name: str = Field(alias="player.name", examples=["Ana Adams"])
    state: str = Field(examples=["OH"])
    rating: int = Field(examples=[1648])
    is_about: IsAbout
    games: int = Field(examples=[31])
    is_provisional: bool
    floor: int = Field(examples=[1400])


class ListPage(PageOf[ListedRating]):
    """A page of an official list in one system."""

    month: str = Field(examples=["2026-12"])
    system: System


@router.get(
    "/{month}",
    response=responses(ListPage, 400, 404, 422),
    summary="List the ratings of one list",
)
def official_list(
    request: HttpRequest,
    response: HttpResponse,
    month: Month,
    system: Annotated[System, Query(description="Rating system.")] = System.OTBR,
    state: State = "",
    limit: Limit = 50,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """Return the official ratings of a month in one system, highest first."""
    shown = list_of_month(month)
    if shown is None:
        raise Http404("There is no official list for this month.")
    rows = shown.ratings.filter(system=system).select_related("player")
    if state:
        rows = rows.filter(state=state)
    part = cursor_page(rows, HIGHEST_FIRST, cursor, limit)
    _set_last_modified(response, shown)
    return {
        "month": shown.slug,
        "system": system,
        **page(request, response, part),
    }
