"""The official lists: whole numbers that are never revised."""

from datetime import date, datetime
from typing import Annotated, Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.http import http_date
from ninja import Path, Query, Router, Schema
from pydantic import Field

from ratings.api.answers import (
    Cursor,
    IsAbout,
    Key,
    Limit,
    MemberId,
    PageOf,
    State,
    answers,
    page,
    part_of,
)
from ratings.engine.systems import System
from ratings.lists.queries.official import list_of_month, lists_with_files
from ratings.models import OfficialList, OfficialRating

router = Router(tags=["Lists"])

NEWEST_FIRST: Final = (Key("month", date, descending=True),)
HIGHEST_FIRST: Final = (
    Key("rating", int, descending=True),
    Key("player__search_name", str),
    Key("player__member_id", str),
)
Month = Annotated[str, Path(description="Such as 2026-12.", examples=["2026-12"])]


class File(Schema):
    """The list as a file, byte for byte as it was published."""

    name: str = Field(examples=["2026-12.csv"])
    size: int = Field(examples=[2481023])
    sha256: str
    url: str = Field(examples=["/lists/2026-12/2026-12.csv"])


class ListFacts(Schema):
    """An official list."""

    month: str = Field(examples=["2026-12"])
    in_force_from: date
    cut_off: datetime
    published_at: datetime
    members: int = Field(examples=[84120])
    files: list[File]
    page: str = Field(examples=["/lists/2026-12/"])


@router.get("", response=answers(PageOf[ListFacts], 400, 422), summary="Official lists")
def lists(
    request: HttpRequest,
    response: HttpResponse,
    limit: Limit = 50,
    cursor: Cursor = "",
) -> dict:
    """List the published lists, the newest first."""
    part = part_of(lists_with_files(), NEWEST_FIRST, cursor, limit)
    if part.rows and not cursor:
        _was_published(response, part.rows[0])
    return page(request, response, part, _facts)


def _was_published(response: HttpResponse, shown: OfficialList) -> None:
    response["Last-Modified"] = http_date(shown.published_at.timestamp())


def _facts(one: OfficialList) -> dict[str, Any]:
    return {
        "month": one.slug,
        "in_force_from": one.month,
        "cut_off": one.cut_off,
        "published_at": one.published_at,
        "members": one.members,
        "files": [
            {
                "name": file.name,
                "size": file.size,
                "sha256": file.sha256,
                "url": f"/lists/{one.slug}/{file.name}",
            }
            for file in one.files.all()
        ],
        "page": one.get_absolute_url(),
    }


class ListedRating(Schema):
    """One official rating."""

    place: int = Field(examples=[8120])
    state_place: int | None = Field(examples=[212])
    member_id: MemberId
    name: str = Field(examples=["Ana Adams"])
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
    response=answers(ListPage, 400, 404, 422),
    summary="The ratings of one list",
)
def official_list(
    request: HttpRequest,
    response: HttpResponse,
    month: Month,
    system: Annotated[System, Query(description="One system at a time.")] = System.OTBR,
    state: State = "",
    limit: Limit = 50,
    cursor: Cursor = "",
) -> dict:
    """Return the official ratings of a month in one system, the highest first."""
    shown = list_of_month(month)
    if shown is None:
        raise Http404("There is no official list of this month.")
    rows = shown.ratings.filter(system=system).select_related("player")
    if state:
        rows = rows.filter(state=state)
    part = part_of(rows, HIGHEST_FIRST, cursor, limit)
    _was_published(response, shown)
    return {
        "month": shown.slug,
        "system": system,
        **page(request, response, part, _rating),
    }


def _rating(row: OfficialRating) -> dict[str, Any]:
    return {
        "place": row.place,
        "state_place": row.state_place,
        "member_id": row.player.member_id,
        "name": row.player.name,
        "state": row.state,
        "rating": row.rating,
        "is_about": row.is_about,
        "games": row.games,
        "is_provisional": row.is_provisional,
        "floor": row.floor,
    }
