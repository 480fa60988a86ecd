"""The roster check: many members at once, for the day of an event."""

from datetime import date
from typing import Annotated, Any, Final

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema
from ninja.security import HttpBearer
from pydantic import BeforeValidator, Field

from events.formats.rosters import RosterRow
from events.models import Official
from players.models import Player
from ratings.api.responses import (
    MemberId,
    MembershipEnds,
    is_about,
    is_body_larger_than,
    note_fields,
    responses,
    without_surrogates,
)
from ratings.engine.systems import System
from ratings.pages.roster.queries import (
    Candidate,
    Difference,
    MemberFacts,
    MembershipStatus,
    RosterLine,
    RowError,
    RowStatus,
)
from ratings.pages.roster.services import MAX_ROWS, QuotaExhausted, check_members
from ratings_site.common.models import ApiKey, ProgramAccess
from ratings_site.common.programs.kinds import MEMBERS_READ, require_scope
from ratings_site.common.ui.formatting import whole
from ratings_site.common.web.problems import problem

MAX_BODY_BYTES: Final = 500_000
LONGEST_TEXT: Final = 200

router = Router(tags=["Members"])


class MembersReader(HttpBearer):
    """An API key, or an access token with the scope `members:read`."""

    openapi_description = "Any API key, but for those of a membership system."

    def authenticate(
        self, request: HttpRequest, token: str
    ) -> ApiKey | ProgramAccess | None:
        key: ApiKey | ProgramAccess | None = getattr(request, "api_key", None)
        if key is None:
            return None
        if key.may_feed:
            raise PermissionDenied("This API key can only update members.")
        require_scope(key, MEMBERS_READ)
        return key


class RosterRequest(HttpRequest):
    auth: ApiKey | ProgramAccess


def _text(value: Any) -> str:
    """Return a value as text: one bad row must not fail the others."""
    is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    text = without_surrogates(str(value)) if is_plain else ""
    return text.replace("\0", " ").strip()[:LONGEST_TEXT]


Text = Annotated[str, BeforeValidator(_text)]


class RosterRowSent(Schema):
    """A player by member ID, name, or both."""

    member_id: Text = Field("", examples=["12641216"])
    name: Text = Field("", description="In either order.", examples=["Adams, Ana"])
    day: Text = Field(
        "", description="Event day, if not that of the list.", examples=["2026-11-28"]
    )
    state: Text = Field("", description="Separates namesakes.", examples=["OH"])
    birth_year: Text = Field(
        "",
        description="Separates namesakes, for TDs and the office only, by age group. "
        "The answer never confirms it.",
    )


class Roster(Schema):
    """Up to 1,000 players."""

    day: date | None = Field(None, description="Event day. Today if omitted.")
    rows: list[RosterRowSent] = Field(min_length=1, max_length=MAX_ROWS)


class RatingOnRoster(Schema):
    """A published rating."""

    system: System
    rating: int = Field(examples=[1654])
    is_about: bool


class TdOnRoster(Schema):
    """A TD certification."""

    level: Official.Level
    certified_until: date
    is_certified: bool = Field(description="On the event day.")


class MemberOnRoster(Schema):
    """The member of a row, on the event day."""

    member_id: MemberId
    name: str = Field(examples=["Ana Adams"])
    state: str = Field(examples=["OH"])
    fide_id: str | None
    is_member: bool = Field(description="Whether a current member on the event day.")
    membership: MembershipStatus = Field(description="Today.")
    membership_ends: MembershipEnds
    official: list[RatingOnRoster] = Field(
        description="On the official list in effect on the event day."
    )
    current: list[RatingOnRoster]
    fide_title: str = Field(examples=["WFM"])
    is_life_master: bool = Field(description="Original Life Master.")
    td: TdOnRoster | None
    safe_play_until: date | None = Field(
        description="Last day of a TD's Safe Play training; null if not on record."
    )
    page: str = Field(examples=["/players/12641216/"])


class CandidateOnRoster(Schema):
    """A member whom a row may mean."""

    member_id: MemberId
    name: str = Field(examples=["Ana Adams"])
    state: str = Field(examples=["OH"])
    differs: list[Difference]


class ErrorOnRoster(Schema):
    code: RowError
    sentence: str


class RosterLineAnswer(Schema):
    """The answer for one row."""

    row: int = Field(description="Position in the request, from 1.", examples=[1])
    day: date
    status: RowStatus
    differs: list[Difference] = Field(description="What differs from the member.")
    member: MemberOnRoster | None
    candidates: list[CandidateOnRoster] = Field(
        description="Members whom the row may mean, best first."
    )
    error: ErrorOnRoster | None


class RosterAnswer(Schema):
    """The answers, in the order of the rows, and the number of each status."""

    counts: dict[RowStatus, int] = Field(examples=[{"match": 1}])
    rows: list[RosterLineAnswer]


@router.post(
    "",
    auth=MembersReader(),
    response=responses(RosterAnswer, 403, 413, 422),
    summary="Check a list of players",
)
def check_players(request: RosterRequest, roster: Roster) -> Any:
    """Find the member of each row, with membership and ratings on the event day.

    A row that can't be checked, or whose similar names were not searched, has an error
    and does not affect the others. Each row counts as one request of your quota.
    """
    if is_body_larger_than(request, MAX_BODY_BYTES):
        return problem(413, detail=f"Send at most {MAX_BODY_BYTES:,} bytes.")
    note_fields(request, roster.rows)
    rows = [RosterRow(at, **row.dict()) for at, row in enumerate(roster.rows, start=1)]
    key = request.auth
    try:
        lines, request.quota = check_members(  # type: ignore[attr-defined]
            rows=rows,
            day=roster.day or timezone.localdate(),
            actor=key.owner,
            limit=key.daily_quota,
        )
    except QuotaExhausted as refusal:
        wait = {"Retry-After": str(refusal.quota.resets_in)}
        return problem(429, detail=str(refusal), headers=wait)
    statuses = [line.status for line in lines]
    return {
        "counts": {one: statuses.count(one) for one in RowStatus if one in statuses},
        "rows": [_line(line) for line in lines],
    }


def _line(line: RosterLine) -> dict[str, Any]:
    error = line.error and {"code": line.error, "sentence": line.sentence}
    player, facts = line.player, line.facts
    return {
        "row": line.row.number,
        "day": line.day,
        "status": line.status,
        "differs": line.differs,
        "member": _member(player, facts) if player and facts else None,
        "candidates": [_candidate(one) for one in line.candidates],
        "error": error,
    }


def _member(player: Player, facts: MemberFacts) -> dict[str, Any]:
    td = facts.td
    return {
        "member_id": player.member_id,
        "name": player.name,
        "state": player.state,
        "fide_id": player.shown_fide_id,
        "is_member": facts.is_member,
        "membership": facts.membership,
        "membership_ends": facts.membership_ends,
        "official": _ratings(facts.official),
        "current": _ratings(facts.current),
        "fide_title": facts.fide_title,
        "is_life_master": facts.is_life_master,
        "td": td
        and {
            "level": td.level,
            "certified_until": td.certified_until,
            "is_certified": facts.is_certified,
        },
        "safe_play_until": td and td.safe_play_until,
        "page": player.get_absolute_url(),
    }


def _ratings(ratings: dict[System, float]) -> list[dict[str, Any]]:
    return [
        {
            "system": system,
            "rating": whole(ratings[system]),
            "is_about": is_about(ratings[system]),
        }
        for system in System
        if system in ratings
    ]


def _candidate(one: Candidate) -> dict[str, Any]:
    player = one.player
    named = {"member_id": player.member_id, "name": player.name, "state": player.state}
    return named | {"differs": one.differs}
