"""Rankings, based on official lists."""

from typing import Annotated, Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from ratings.api.responses import (
    BadCursor,
    Cursor,
    IsAbout,
    MemberId,
    PageOf,
    State,
    encode_cursor,
    next_url,
    offset_of,
    responses,
)
from ratings.engine.systems import System
from ratings.lists.queries.classes import class_by_slug
from ratings.lists.queries.official import latest_list, list_of_month
from ratings.lists.queries.rankings import (
    BANDS,
    RankingFilter,
    band_by_slug,
    ranking,
)

router = Router(tags=["Rankings"])

MAX_SLUG_LENGTH = 40


class RankedMember(Schema):
    """A row of a ranking. Equal ratings share a rank."""

    place: int = Field(examples=[12])
    is_shared: bool
    member_id: MemberId = Field(alias="row.player.member_id")
    name: str = Field(alias="row.player.name", examples=["Ana Adams"])
    state: str = Field(alias="row.state", examples=["OH"])
    rating: int = Field(alias="row.rating", examples=[2214])
    is_about: IsAbout = Field(alias="row.is_about")
    is_provisional: bool = Field(alias="row.is_provisional")
    percent: int = Field(
        description="Percentage of the ranked members with a lower rating."
    )
    year_games: int | None = Field(
        alias="row.year_games",
        description="Rated games in events that ended in the 12 months up to the "
        "list's cutoff. Null on lists published before they were counted.",
        examples=[48],
    )


class RankingPage(PageOf[RankedMember]):
    """A page of a ranking, with 50 rows."""

    month: str = Field(examples=["2026-12"])
    system: System
    total: int = Field(description="Number of ranked members.", examples=[52340])


@router.get(
    "/{system}", response=responses(RankingPage, 400, 404, 422), summary="Get a ranking"
)
def ranking_of(
    request: HttpRequest,
    response: HttpResponse,
    system: System,
    month: Annotated[
        str, Query(description="The list, such as 2026-12. The newest if blank.")
    ] = "",
    state: State = "",
    band: Annotated[
        str,
        Query(
            max_length=MAX_SLUG_LENGTH,
            description=f"An age: {', '.join(one.slug for one in BANDS)}.",
        ),
    ] = "",
    rating_class: Annotated[
        str, Query(max_length=MAX_SLUG_LENGTH, description="A class, such as class-a.")
    ] = "",
    women: bool = False,
    established: bool = False,
    top: Annotated[bool, Query(description="First 100 only.")] = False,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """Rank the members on an official list.

    Rankings by age always show the first 100 only. These, and top lists, rank only
    members with a rated event in the months before the list that the office has set
    (13 by default).
    """
    official = list_of_month(month) if month else latest_list()
    if official is None:
        raise Http404("There is no official list for this month.")
    ranking_filter = RankingFilter(
        system=system,
        state=state,
        band=_find_or_404(band_by_slug, band, "band"),
        women=women,
        rating_class=_find_or_404(class_by_slug, rating_class, "class"),
        established=established or (top and settings.TOP_LIST_ESTABLISHED),
        top=top,
    )
    number = offset_of(cursor) or 1
    shown = ranking(official, ranking_filter, number)
    if shown.page.number != number:
        raise BadCursor
    more = encode_cursor([number + 1]) if shown.page.has_next() else ""
    return {
        "month": official.slug,
        "system": system,
        "total": shown.total,
        "items": shown.lines,
        "next": next_url(request, response, more),
    }


def _find_or_404(find: Any, slug: str, what: str) -> Any:
    found = find(slug) if slug else None
    if slug and found is None:
        raise Http404(f"There is no {what} of this name.")
    return found
