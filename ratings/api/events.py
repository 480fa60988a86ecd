"""Events: sections, crosstables, and reports."""

from datetime import date
from typing import Annotated, Any, Final

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Path, Query, Router, Schema
from pydantic import Field

from events.models import Event, EventOfficial, Section
from events.models.event import EVENT_ID
from events.public.queries import events_with_counts, sections_of
from events.records.exports import export_json
from ratings.api.report_schema import EVENT_DOCUMENT
from ratings.api.responses import (
    Cursor,
    EventId,
    IsAbout,
    Limit,
    MemberId,
    PageOf,
    Rating,
    SortKey,
    State,
    cursor_page,
    page,
    points,
    rating_shown,
    reader_of,
    responses,
)
from ratings.engine.systems import System
from ratings.pages.crosstable.queries.crosstable import (
    Cell,
    Crosstable,
    CrosstableRow,
    Side,
    Unplayed,
    crosstable_of,
)

router = Router(tags=["Events"])

NEWEST_FIRST: Final = (
    SortKey("ends", date, descending=True),
    SortKey("event_id", str, descending=True),
)
OUTCOMES: Final = {"W": "win", "D": "draw", "L": "loss"}
COLORS: Final = {"W": "white", "B": "black", "": None}
UNPLAYED: Final = {
    "B": "full_point_bye",
    "H": "half_point_bye",
    "X": "forfeit_win",
    "F": "forfeit_loss",
    "Z": "double_forfeit",
}
Number = Annotated[int, Path(description="Section number.", examples=[1])]


class _EventBasics(Schema):
    event_id: EventId
    name: str = Field(examples=["May Open"])
    starts: date
    ends: date
    city: str = Field(examples=["Springfield"])
    state: str = Field(examples=["IL"])


class EventLine(_EventBasics):
    """An event in the list of events."""

    sections: int = Field(alias="section_count", examples=[2])
    entries: int = Field(alias="entry_count", examples=[48])
    page: str = Field(alias="get_absolute_url", examples=["/events/202405054211/"])


@router.get("", response=responses(PageOf[EventLine], 400, 422), summary="List events")
def events(
    request: HttpRequest,
    response: HttpResponse,
    since: Annotated[
        date | None, Query(description="Only events that ended on or after this date.")
    ] = None,
    state: State = "",
    name: Annotated[
        str,
        Query(
            max_length=80, pattern=r"^[^\x00]*$", description="Part of the event name."
        ),
    ] = "",
    limit: Limit = 50,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """List rated events, newest first."""
    found = events_with_counts()
    if since is not None:
        found = found.filter(ends__gte=since)
    if state:
        found = found.filter(state=state)
    if name:
        found = found.filter(name__icontains=name)
    part = cursor_page(found, NEWEST_FIRST, cursor, limit)
    return page(request, response, part)


class Affiliate(Schema):
    affiliate_id: str = Field(examples=["A6000001"])
    name: str = Field(examples=["Castle Chess Club"])


class Director(Schema):
    """A TD of the event or of one section."""

    role: EventOfficial.Role
    section: int | None = Field(
        alias="section_number",
        description="Section number, if it applies to one section only.",
    )
    member_id: MemberId = Field(alias="player.member_id")
    name: str = Field(alias="player.name", examples=["Tessa Director"])


class SectionLine(Schema):
    """A section, which is rated as a unit."""

    number: int = Field(examples=[1])
    name: str = Field(examples=["Open"])
    kind: Section.Kind
    starts: date
    ends: date
    rounds: int = Field(examples=[4])
    time_control: str = Field(examples=["G/90;d5"])
    is_online: bool
    status: Section.Status
    version: int = Field(description="Increases with every correction.", examples=[1])
    players: int = Field(alias="player_count", examples=[24])
    games: int = Field(alias="game_count", examples=[46])
    standings: str = Field(
        examples=["/api/v1/events/202405054211/sections/1/standings"]
    )
    page: str = Field(alias="get_absolute_url", examples=["/events/202405054211/1/"])

    @staticmethod
    def resolve_standings(section: Section) -> str:
        event_id = section.event.event_id
        return f"/api/v1/events/{event_id}/sections/{section.number}/standings"


class EventFacts(_EventBasics):
    """An event with its sections and directors."""

    country: str = Field(examples=["USA"])
    affiliate: Affiliate
    directors: list[Director]
    sections: list[SectionLine]
    report: str = Field(examples=["/api/v1/events/202405054211/report"])
    page: str = Field(alias="get_absolute_url", examples=["/events/202405054211/"])

    @staticmethod
    def resolve_directors(event: Event) -> QuerySet[EventOfficial]:
        return event.officials.select_related("player")

    @staticmethod
    def resolve_sections(event: Event) -> QuerySet[Section]:
        return sections_of(event)

    @staticmethod
    def resolve_report(event: Event) -> str:
        return f"/api/v1/events/{event.event_id}/report"


@router.get("/{event_id}", response=responses(EventFacts, 404), summary="Get an event")
def event(request: HttpRequest, event_id: EventId) -> Event:
    """Return an event with its sections and directors."""
    return _event(event_id)


def _event(event_id: str) -> Event:
    found = None
    if EVENT_ID.fullmatch(event_id):
        events = Event.objects.select_related("affiliate")
        found = events.filter(event_id=event_id).first()
    if found is None:
        raise Http404("No event has this ID.")
    return found


@router.get(
    "/{event_id}/report",
    response={
        one: status for one, status in responses(None, 404).items() if one != 200
    },
    openapi_extra={"responses": {200: EVENT_DOCUMENT}},
    summary="Get an event as a rating report",
)
def report(request: HttpRequest, event_id: EventId) -> HttpResponse:
    """Return the event as a rating report, in the format used to submit one."""
    return HttpResponse(export_json(_event(event_id)), content_type="application/json")


@router.get(
    "/{event_id}/sections/{int:number}",
    response=responses(SectionLine, 404, 422),
    summary="Get a section",
)
def section(request: HttpRequest, event_id: EventId, number: Number) -> Section:
    """Return one section."""
    for one in sections_of(_event(event_id)):
        if one.number == number:
            return one
    raise Http404("The event has no section with this number.")


class RatingInSection(Schema):
    """How the section changed a rating. Includes decimals if you can see them."""

    system: System
    before: Rating | None = Field(examples=[1648])
    before_games: int = Field(examples=[27])
    after: Rating = Field(examples=[1654])
    after_games: int = Field(examples=[31])
    is_about: IsAbout


class Round(Schema):
    """One round of one player: one game, two games of a double round, or none."""

    round: int = Field(examples=[1])
    outcomes: list[str] = Field(
        description="win, draw, or loss; two in a double round.", examples=[["win"]]
    )
    unplayed: str | None = Field(
        description=f"Instead of a game: {', '.join(UNPLAYED.values())}."
    )
    opponent: int | None = Field(
        description="The opponent's pairing number.", examples=[12]
    )
    color: str | None = Field(description="white or black, if reported.")
    score: float = Field(examples=[1])


class SectionEntry(Schema):
    """A player in the section."""

    number: int = Field(examples=[1])
    member_id: MemberId
    name: str = Field(examples=["Ana Adams"])
    score: float = Field(examples=[3.5])
    ratings: list[RatingInSection]
    rounds: list[Round]


class Standings(Schema):
    """The crosstable, by score, then by rating after the section."""

    event_id: EventId = Field(alias="section.event.event_id")
    section: int = Field(alias="section.number", examples=[1])
    status: Section.Status = Field(alias="section.status")
    systems: list[System]
    edition: str = Field(description="Rules edition.", examples=["2025-07-26"])
    is_late: bool
    rounds: int = Field(examples=[4])
    games: int = Field(examples=[46])
    items: list[SectionEntry]

    @staticmethod
    def resolve_items(table: Crosstable) -> list[dict[str, Any]]:
        return [_standing(row, table) for row in table.rows]


@router.get(
    "/{event_id}/sections/{int:number}/standings",
    response=responses(Standings, 404, 422),
    summary="Get a section's crosstable",
)
def standings(request: HttpRequest, event_id: EventId, number: Number) -> Crosstable:
    """Return the results and rating changes."""
    table = crosstable_of(event_id, number, reader_of(request))
    if table is None:
        raise Http404("No section was found at this URL.")
    return table


def _standing(row: CrosstableRow, table: Crosstable) -> dict[str, Any]:
    is_exact = table.reader.can_see_exact(row.player_id)
    return {
        "number": row.number,
        "member_id": row.member_id,
        "name": row.name,
        "score": points(row.half_points),
        "ratings": [
            {
                "system": system,
                "before": rating_shown(
                    change.pre_rating if is_exact else change.before, is_exact=is_exact
                ),
                "before_games": change.pre_games,
                "after": rating_shown(
                    change.post_rating if is_exact else change.after, is_exact=is_exact
                ),
                "after_games": change.post_games,
                "is_about": not is_exact and change.is_about,
            }
            for system, change in zip(table.systems, row.changes, strict=True)
            if change is not None
        ],
        "rounds": [_round(number, row.cells[number]) for number in sorted(row.cells)],
    }


def _round(number: int, cell: Cell) -> dict[str, Any]:
    side = cell if isinstance(cell, Side) else None
    return {
        "round": number,
        "outcomes": [OUTCOMES[one] for one in side.outcomes] if side else [],
        "unplayed": UNPLAYED[cell.kind] if isinstance(cell, Unplayed) else None,
        "opponent": cell.opponent,
        "color": COLORS[side.color] if side else None,
        "score": points(cell.half_points),
    }
