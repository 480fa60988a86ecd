"""Rankings: always of an official list."""

from typing import Annotated, Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from ratings.api.answers import (
    BadCursor,
    Cursor,
    IsAbout,
    MemberId,
    PageOf,
    State,
    answers,
    cursor_of,
    next_address,
    position_of,
)
from ratings.engine.systems import System
from ratings.lists.queries.classes import class_by_slug
from ratings.lists.queries.official import latest_list, list_of_month
from ratings.lists.queries.rankings import BANDS, Ranked, Wanted, band_by_slug, ranking

router = Router(tags=["Rankings"])

LONGEST_SLUG = 40


class RankedMember(Schema):
    """A line of a ranking; equal ratings share a place."""

    place: int = Field(examples=[12])
    is_shared: bool
    member_id: MemberId
    name: str = Field(examples=["Ana Adams"])
    state: str = Field(examples=["OH"])
    rating: int = Field(examples=[2214])
    is_about: IsAbout
    is_provisional: bool
    percent: int = Field(description="Of those compared are rated lower.")


class RankingPage(PageOf[RankedMember]):
    """A page of a ranking: fifty lines."""

    month: str = Field(examples=["2026-12"])
    system: System
    total: int = Field(description="How many are compared.", examples=[52340])


@router.get(
    "/{system}", response=answers(RankingPage, 400, 404, 422), summary="A ranking"
)
def ranking_of(
    request: HttpRequest,
    response: HttpResponse,
    system: System,
    month: Annotated[
        str, Query(description="The list, such as 2026-12; the newest if blank.")
    ] = "",
    state: State = "",
    band: Annotated[
        str,
        Query(
            max_length=LONGEST_SLUG,
            description=f"An age: {', '.join(one.slug for one in BANDS)}.",
        ),
    ] = "",
    rating_class: Annotated[
        str, Query(max_length=LONGEST_SLUG, description="A class, such as class-a.")
    ] = "",
    women: bool = False,
    established: bool = False,
    top: Annotated[bool, Query(description="The first hundred only.")] = False,
    cursor: Cursor = "",
) -> dict:
    """Rank the members on an official list.

    A ranking by age is cut after the first hundred always.
    """
    official = list_of_month(month) if month else latest_list()
    if official is None:
        raise Http404("There is no official list of this month.")
    wanted = Wanted(
        system=system,
        state=state,
        band=_known(band_by_slug, band, "band"),
        women=women,
        rating_class=_known(class_by_slug, rating_class, "class"),
        established=established or (top and settings.TOP_LIST_ESTABLISHED),
        top=top,
    )
    number = position_of(cursor) or 1
    shown = ranking(official, wanted, number)
    if shown.page.number != number:
        raise BadCursor
    more = cursor_of([number + 1]) if shown.page.has_next() else ""
    return {
        "month": official.slug,
        "system": system,
        "total": shown.total,
        "items": [_line(one) for one in shown.lines],
        "next": next_address(request, response, more),
    }


def _known(find: Any, slug: str, what: str) -> Any:
    found = find(slug) if slug else None
    if slug and found is None:
        raise Http404(f"There is no {what} of this name.")
    return found


def _line(one: Ranked) -> dict[str, Any]:
    return {
        "place": one.place,
        "is_shared": one.is_shared,
        "member_id": one.row.player.member_id,
        "name": one.row.player.name,
        "state": one.row.state,
        "rating": one.row.rating,
        "is_about": one.row.is_about,
        "is_provisional": one.row.is_provisional,
        "percent": one.percent,
    }
