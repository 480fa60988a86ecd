"""The membership feed: a membership system updates the office's members."""

from typing import Annotated, Any, Final

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from ninja import Schema
from ninja.security import HttpBearer
from pydantic import BeforeValidator, ConfigDict, Field, StringConstraints

from players.imports.kinds import PERMISSION, ImportRefused
from players.imports.messages import said
from players.imports.services.feed import MAX_ROWS, import_batch
from players.imports.services.staging import RowResult
from ratings.api.members import router as router
from ratings.api.responses import (
    is_body_larger_than,
    note_fields,
    responses,
    without_surrogates,
)
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.models import ApiKey, ProgramAccess
from ratings_site.common.web.problems import problem

MAX_BODY_BYTES: Final = 2_000_000


class FeedRequest(HttpRequest):
    auth: ApiKey


class FeedKey(HttpBearer):
    """API key of a membership system."""

    openapi_description = "An API key with the permission to update members only."

    def authenticate(self, request: HttpRequest, token: str) -> ApiKey | None:
        key: ApiKey | ProgramAccess | None = getattr(request, "api_key", None)
        if key is None:
            return None
        if not isinstance(key, ApiKey) or not key.may_feed:
            raise PermissionDenied("This API key can't update members.")
        require_permission(key.owner, PERMISSION)
        return key


Text = Annotated[
    str, StringConstraints(max_length=500), BeforeValidator(without_surrogates)
]


class MemberSaid(Schema):
    """One member's data from the membership system. Omitted fields don't change."""

    model_config = ConfigDict(extra="forbid")

    member_id: Text = Field(examples=["12641216"])
    given_name: Text = Field("", examples=["Ana"])
    family_name: Text = Field("", examples=["Adams"])
    suffix: Text = ""
    birth_date: Text = Field("", examples=["2011-02-13"])
    gender: Text = Field("", description="F or M.", examples=["F"])
    state: Text = Field("", examples=["OH"])
    residence: Text = Field("", description="Three letters.", examples=["USA"])
    federation: Text = Field("", description="Three letters.", examples=["USA"])
    fide_id: Text = Field("", description="New members only.")
    status: Text = Field("", description="New members only.", examples=["active"])
    membership: Text = Field("", description="Membership type.", examples=["Youth"])
    starts: Text = Field("", examples=["2026-01-01"])
    expires: Text = Field("", examples=["2026-12-31"])
    email: Text = ""
    guardian_email: Text = ""
    guardian_id: Text = Field("", description="The guardian's own member ID.")


class Batch(Schema):
    """Up to 1,000 members."""

    members: list[MemberSaid] = Field(min_length=1, max_length=MAX_ROWS)


class RowAnswer(Schema):
    """Result for one member, in the order of the batch."""

    member_id: str = Field(examples=["12641216"])
    result: str = Field(
        description="new, changed, unchanged, or refused.", examples=["changed"]
    )
    code: str = Field("", description="Reason for the refusal, as a code.")
    sentence: str = Field("", description="Reason for the refusal, as a sentence.")
    looks_like: str = Field(
        "", description="Existing member with the same name and birth date."
    )


class Taken(Schema):
    """Result for each row, and counts by kind."""

    new: int = Field(examples=[0])
    changed: int = Field(examples=[1])
    unchanged: int = Field(examples=[0])
    refused: int = Field(examples=[0])
    rows: list[RowAnswer]


@router.put(
    "",
    auth=FeedKey(),
    tags=["Membership feed"],
    response=responses(Taken, 403, 409, 413, 422),
    summary="Update members",
)
def keep_current(request: FeedRequest, batch: Batch) -> Any:
    """Add new members and update existing ones, all rows of a batch at once.

    Sending a batch again changes nothing. A refused row does not affect the others.
    409: this batch would exceed a daily limit of the feed, or another import of
    members is running. In that case, send it again a little later.
    """
    if is_body_larger_than(request, MAX_BODY_BYTES):
        return problem(413, detail=f"Send at most {MAX_BODY_BYTES:,} bytes.")
    note_fields(request, batch.members)
    key = request.auth
    try:
        judged = import_batch(
            rows=[row.dict() for row in batch.members],
            actor=key.owner,
            key_name=key.name,
        )
    except ImportRefused as refusal:
        return problem(409, detail=str(refusal))
    rows = [_row_result(one) for one in judged]
    kinds = [row["result"] for row in rows]
    counts = {kind: kinds.count(kind) for kind in Taken.model_fields if kind != "rows"}
    return counts | {"rows": rows}


def _row_result(row: RowResult) -> dict[str, str]:
    return {
        "member_id": row.key,
        "result": str(row.kind),
        "code": row.reason.get("code", ""),
        "sentence": said(row.reason),
        "looks_like": row.twin if row.twin.isdigit() else "",
    }
