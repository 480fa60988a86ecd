"""The membership feed: a membership system keeps the office's members current."""

from typing import Annotated, Any, Final

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from ninja import Schema
from ninja.security import HttpBearer
from pydantic import ConfigDict, Field, StringConstraints

from players.intake.kinds import PERMISSION, NotTaken
from players.intake.saying import said
from players.intake.services.feed import MOST_ROWS, take_batch
from players.intake.services.staging import Judged
from ratings.api.answers import answers, is_longer_than
from ratings.api.members import router
from ratings_site.common.accounts.permissions import require
from ratings_site.common.models import ApiKey
from ratings_site.common.web.problems import problem

LARGEST_BODY: Final = 2_000_000


class FeedKey(HttpBearer):
    """The key of a membership system."""

    openapi_description = "A key that may keep members current, and nothing else."

    def authenticate(self, request: HttpRequest, token: str) -> ApiKey | None:
        key = request.api_key
        if key is None:
            return None
        if not key.may_feed:
            raise PermissionDenied("This key may not change members.")
        require(key.owner, PERMISSION)
        return key


Text = Annotated[str, StringConstraints(max_length=500)]


class MemberSaid(Schema):
    """What the membership system says of one member; what is left out stays."""

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
    fide_id: Text = Field("", description="Of a new member only.")
    status: Text = Field("", description="Of a new member only.", examples=["active"])
    membership: Text = Field("", description="Its type.", examples=["Youth"])
    starts: Text = Field("", examples=["2026-01-01"])
    expires: Text = Field("", examples=["2026-12-31"])
    email: Text = ""
    guardian_email: Text = ""
    guardian_id: Text = Field("", description="The guardian's own member ID.")


class Batch(Schema):
    """Up to a thousand members."""

    members: list[MemberSaid] = Field(min_length=1, max_length=MOST_ROWS)


class RowAnswer(Schema):
    """What became of one member of the batch, in the order of the batch."""

    member_id: str = Field(examples=["12641216"])
    result: str = Field(
        description="new, changed, unchanged or refused.", examples=["changed"]
    )
    code: str = Field("", description="Why it was refused, for programs.")
    sentence: str = Field("", description="Why it was refused, for people.")
    looks_like: str = Field(
        "", description="The member whose name and birth date a new one shares."
    )


class Taken(Schema):
    """What became of each row, and how many there were of each kind."""

    new: int = Field(examples=[0])
    changed: int = Field(examples=[1])
    unchanged: int = Field(examples=[0])
    refused: int = Field(examples=[0])
    rows: list[RowAnswer]


@router.put(
    "",
    auth=FeedKey(),
    tags=["Membership feed"],
    response=answers(Taken, 403, 409, 413, 422),
    summary="Keep members current",
)
def keep_current(request: HttpRequest, batch: Batch) -> Any:
    """Enter new members and change those who are known, all rows of a batch at once.

    Sent again, a batch changes nothing. A refused row keeps no other out. 409: with
    this batch the feed would have changed too many members within a day; or a file
    or a person is entering members at this moment: send it again a little later.
    """
    if is_longer_than(request, LARGEST_BODY):
        return problem(413, detail=f"Send at most {LARGEST_BODY:,} bytes.")
    key = request.auth
    try:
        judged = take_batch(
            rows=[row.dict() for row in batch.members],
            actor=key.owner,
            key_name=key.name,
        )
    except NotTaken as refusal:
        return problem(409, detail=str(refusal))
    rows = [_told(one) for one in judged]
    kinds = [row["result"] for row in rows]
    counts = {kind: kinds.count(kind) for kind in Taken.model_fields if kind != "rows"}
    return counts | {"rows": rows}


def _told(row: Judged) -> dict[str, str]:
    return {
        "member_id": row.key,
        "result": str(row.kind),
        "code": row.reason.get("code", ""),
        "sentence": said(row.reason),
        "looks_like": row.twin if row.twin.isdigit() else "",
    }
