"""Members: details, ratings, history, and official lists."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router, Schema
from ninja.errors import ValidationError
from pydantic import Field

from players.fide.queries import fide_rating_on
from players.formats.member_ids import MEMBER_ID
from players.members.queries import (
    find_players,
    is_life_member,
    membership_end,
    membership_label,
)
from players.models import Player
from ratings.api.responses import (
    BadCursor,
    Cursor,
    CursorPage,
    IsAbout,
    IsAboutOfRating,
    Limit,
    MemberId,
    MembershipEnds,
    PageOf,
    Problem,
    Rating,
    State,
    Whole,
    WholeOrNone,
    decode_cursor,
    encode_cursor,
    fields_of,
    is_about,
    next_url,
    offset_page,
    page,
    points,
    rating_reader,
    rating_shown,
    responses,
)
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import current_published
from ratings.lists.queries.official import list_history
from ratings.lists.queries.rankings import ranks_of
from ratings.pages.profile.queries.lines import HistoryLine
from ratings.pages.profile.queries.profile import history_after, player_with_memberships
from ratings.pages.profile.queries.standings import SystemStanding, standings_of
from ratings_site.common.ui.formatting import whole

router = Router(tags=["Members"])


class MemberLine(Schema):
    """A member in search results."""

    member_id: MemberId
    name: str = Field(examples=["Ana Adams"])
    state: str = Field(examples=["OH"])
    membership: str = Field(examples=["Member until Dec 31, 2026"])
    membership_ends: MembershipEnds
    is_life_member: bool
    ratings: dict[System, int] = Field(
        description="Current ratings as published: whole numbers, or the nearest 50 "
        "if a rating is still the age-based initial rating.",
        examples=[{"OTBR": 1654}],
    )
    page: str = Field(examples=["/players/12641216/"])


@router.get(
    "", response=responses(PageOf[MemberLine], 400, 422), summary="Search members"
)
def look_for_members(
    request: HttpRequest,
    response: HttpResponse,
    query: Annotated[
        str,
        Query(max_length=140, description="A name, or the start of an ID."),
    ] = "",
    state: State = "",
    limit: Limit = 50,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """Find members by name, nickname, similar-sounding name, or ID. Best matches first.

    Enter a name or ID, a state, or both.
    """
    if not (query.strip() or state):
        fault = "Enter a name, an ID, or a state"
        raise ValidationError([{"loc": ("query", "query"), "msg": fault}])
    found = find_players(query, state).prefetch_related("memberships")
    part = offset_page(found, cursor, limit)
    ratings = current_published([player.pk for player in part.rows])
    return page(
        request, response, part, lambda player: _member_line(player, ratings[player.pk])
    )


def _member_line(player: Player, ratings: Mapping[System, float]) -> dict[str, Any]:
    current = {system: whole(rating) for system, rating in ratings.items()}
    return {
        "member_id": player.member_id,
        "name": player.name,
        "state": player.state,
        "membership": str(membership_label(player)),
        "membership_ends": membership_end(player),
        "is_life_member": is_life_member(player),
        "ratings": {one: current[one] for one in System if one in current},
        "page": player.get_absolute_url(),
    }


class Fide(Schema):
    """Data from the current FIDE list."""

    rating: int = Field(examples=[1688])
    title: str = Field(examples=[""])
    since: date


class Member(Schema):
    """A member of the federation, past or present. Birth dates are never shown."""

    member_id: MemberId
    name: str = Field(examples=["Ana Adams"])
    given_name: str = Field(description="Blank for a private member.", examples=["Ana"])
    family_name: str = Field(
        description="Blank for a private member.", examples=["Adams"]
    )
    suffix: str = Field(examples=[""])
    state: str = Field(examples=["OH"])
    fide_id: str | None = Field(alias="shown_fide_id", examples=["2020009"])
    membership: str = Field(examples=["Member until Dec 31, 2026"])
    membership_ends: MembershipEnds
    is_life_member: bool
    fide: Fide | None
    page: str = Field(alias="get_absolute_url", examples=["/players/12641216/"])

    @staticmethod
    def resolve_given_name(player: Player) -> str:
        return "" if player.is_name_hidden else player.given_name

    @staticmethod
    def resolve_family_name(player: Player) -> str:
        return "" if player.is_name_hidden else player.family_name

    @staticmethod
    def resolve_suffix(player: Player) -> str:
        return "" if player.is_name_hidden else player.suffix

    @staticmethod
    def resolve_membership(player: Player) -> str:
        return str(membership_label(player))

    @staticmethod
    def resolve_membership_ends(player: Player) -> date | None:
        return membership_end(player)

    @staticmethod
    def resolve_is_life_member(player: Player) -> bool:
        return is_life_member(player)

    @staticmethod
    def resolve_fide(player: Player) -> Any:
        if player.is_name_hidden:  # they would find the member in FIDE's list
            return None
        number, today = player.fide_number, timezone.localdate()
        known = fide_rating_on(number, today) if number else None
        return known if known and known.rating else None


MOVED = {308: Problem}


@router.get(
    "/{member_id}", response=responses(Member, 404) | MOVED, summary="Get a member"
)
def member(request: HttpRequest, member_id: MemberId) -> Any:
    """Return one member. The ID of a merged member redirects (308)."""
    player = _player(member_id)
    return player


class MergedMember(Exception):
    """This ID was merged; the arguments are it and the ID of the remaining member."""


def _player(member_id: str) -> Player:
    player = None
    if MEMBER_ID.whole.fullmatch(member_id):
        player = player_with_memberships(member_id)
    if player is None:
        raise Http404("No member has this ID.")
    if player.merged_into is not None:
        raise MergedMember(member_id, player.canonical.member_id)
    return player


class CurrentRating(Schema):
    """A current rating. If unrated, only the system is given."""

    system: System
    rating: Rating | None = Field(examples=[1654])
    whole: WholeOrNone = Field(examples=[1654])
    is_about: IsAboutOfRating
    games: int = Field(examples=[31])
    is_established: bool
    class_name: str = Field(examples=["Class B"])
    floor: WholeOrNone = Field(examples=[1400])
    peak: WholeOrNone = Field(examples=[1702])


class OfficialPlace(Schema):
    """A rating on the latest official list, and its rank."""

    system: System
    rating: Whole = Field(examples=[1648])
    is_about: IsAboutOfRating = Field(alias="rating")
    is_provisional: bool
    place: int = Field(examples=[8120])
    of: int = Field(alias="total", examples=[52340])
    state: str = Field(examples=["OH"])
    state_place: int | None = Field(examples=[212])


class Official(Schema):
    month: str = Field(examples=["2026-12"])
    ratings: list[OfficialPlace]


class Ratings(Schema):
    """A member's current ratings and those on the latest list."""

    member_id: MemberId
    current: list[CurrentRating]
    official: Official | None


@router.get(
    "/{member_id}/ratings",
    response=responses(Ratings, 404) | MOVED,
    summary="Get a member's ratings",
)
def ratings(request: HttpRequest, member_id: MemberId) -> Any:
    """Return the six current ratings and those on the latest official list."""
    player = _player(member_id)
    newest, places = ranks_of(player)
    return {
        "member_id": player.member_id,
        "current": [
            _current(one) for one in standings_of(player, rating_reader(request))
        ],
        "official": {"month": newest.slug, "ratings": places}
        if newest and places
        else None,
    }


def _current(one: SystemStanding) -> dict[str, Any]:
    shown = rating_shown(one.rating, is_exact=one.is_exact)
    return fields_of(one) | {
        "rating": shown,
        "whole": one.rating,
        "is_about": one.rating,
    }


class Mark(Schema):
    """A letter behind a rating."""

    letter: str = Field(examples=["b"])
    meaning: str = Field(examples=["Bonus of 4.2 points"])


class Change(Schema):
    """A rating change in a member's history."""

    day: date
    system: System
    title: str = Field(examples=["May Open"])
    section: str = Field(examples=["Section 1"])
    score: float = Field(examples=[2.5])
    games: int = Field(examples=[4])
    before: Rating | None = Field(examples=[1648])
    after: Rating = Field(examples=[1654])
    is_rounded: bool = Field(
        description="Whether decimals are omitted. Only the member and office see them."
    )
    is_about: IsAbout
    marks: list[Mark]
    page: str = Field(alias="url", examples=["/events/202405054211/1/"])
    why: str = Field(
        alias="why_url", examples=["/events/202405054211/1/why/12641216/OTBR/"]
    )


@router.get(
    "/{member_id}/history",
    response=responses(PageOf[Change], 400, 404, 422) | MOVED,
    summary="Get a member's rating history",
)
def history(
    request: HttpRequest,
    response: HttpResponse,
    member_id: MemberId,
    system: System | None = None,
    limit: Limit = 50,
    cursor: Cursor = "",
) -> Any:
    """Return all changes of a member's ratings, newest first."""
    player = _player(member_id)
    [after] = decode_cursor(cursor, [int]) if cursor else [None]
    reader = rating_reader(request)
    lines = history_after(player, system, after, limit + 1, reader)
    if lines is None:
        raise BadCursor
    shown = lines[:limit]
    more = encode_cursor([shown[-1][0]]) if len(lines) > limit else ""
    part = CursorPage([line for _, line in shown], more)
    return page(request, response, part, _change)


def _change(line: HistoryLine) -> dict[str, Any]:
    # Opening entries and adjustments are no games: nothing stood before.
    before = line.before if line.url else None
    return fields_of(line) | {
        "section": line.section or line.source,
        "score": points(line.half_points),
        "before": rating_shown(before, is_exact=line.is_exact),
        "after": rating_shown(line.after, is_exact=line.is_exact),
        "is_rounded": not line.is_exact,
        "is_about": is_about(before, line.after),
        "marks": [
            {"letter": letter, "meaning": str(meaning)}
            for letter, meaning in line.marks
        ],
    }


class ListedValue(Schema):
    """A rating as published, and its value after later rerates."""

    system: System
    rating: Whole = Field(examples=[1648])
    is_about: IsAboutOfRating = Field(alias="rating")
    games: int = Field(examples=[31])
    is_provisional: bool
    revised: WholeOrNone = Field(examples=[1648])
    rerate: int | None = Field(description="The rerate that changed it, if any.")


class ListOfMember(Schema):
    """An official list and a member's ratings on it."""

    month: str = Field(examples=["2026-12"])
    ratings: list[ListedValue]


@router.get(
    "/{member_id}/lists",
    response=responses(PageOf[ListOfMember], 400, 404, 422) | MOVED,
    summary="Get a member's official ratings",
)
def lists(
    request: HttpRequest,
    response: HttpResponse,
    member_id: MemberId,
    limit: Limit = 50,
    cursor: Cursor = "",
) -> Any:
    """Return all official lists with this member, newest first."""
    player = _player(member_id)
    [before] = decode_cursor(cursor, [date]) if cursor else [date.max]
    lines = [one for one in list_history(player) if one.list.month < before]
    more = encode_cursor([lines[limit - 1].list.month]) if len(lines) > limit else ""
    return {
        "items": [
            {
                "month": line.list.slug,
                "ratings": [
                    {"system": system, **fields_of(line.values[system])}
                    for system in System
                    if system in line.values
                ],
            }
            for line in lines[:limit]
        ],
        "next": next_url(request, response, more),
    }
