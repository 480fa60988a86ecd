"""Shared parts of API responses: errors, cursor pagination, and numbers."""

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import partial
from operator import attrgetter
from typing import Annotated, Any, Final, Generic, NamedTuple, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode
from ninja import Query, Schema
from pydantic import BeforeValidator, Field, WithJsonSchema

from players.formats.member_ids import MEMBER_ID
from ratings.access import RatingViewer
from ratings_site.common.models import ProgramAccess, User
from ratings_site.common.programs.kinds import MEMBERS_READ, require_scope
from ratings_site.common.ui.formatting import ApproximateRating, decimal_rating, whole

MAX_ITEMS: Final = 100
MAX_CURSOR_LENGTH: Final = 600
# The largest offset of search results.
MAX_OFFSET: Final = 10_000

AnyModel = TypeVar("AnyModel", bound=Model)
Item = TypeVar("Item")

MemberId = Annotated[
    str,
    WithJsonSchema(
        {
            "type": "string",
            "pattern": MEMBER_ID.pattern,
            "examples": [
                "12641216" if MEMBER_ID.is_eight_digits else MEMBER_ID.example
            ],
        }
    ),
]
EventId = Annotated[
    str,
    WithJsonSchema(
        {"type": "string", "pattern": "^[0-9]{12}$", "examples": ["202405054211"]}
    ),
]
State = Annotated[
    str,
    Query(pattern="^([A-Z]{2})?$", description="Two letters, such as OH."),
]
MembershipEnds = Annotated[
    date | None,
    Field(
        description="Last day of the membership, also if it is past. Null for a life "
        "member, a record without a membership, and one that is not current.",
        examples=["2026-12-31"],
    ),
]
# A whole number is an int, so that it is not taken for an exact rating.
Rating = int | float
Limit = Annotated[int, Query(ge=1, le=MAX_ITEMS, description="Items per page.")]
Cursor = Annotated[
    str,
    Query(
        max_length=MAX_CURSOR_LENGTH,
        description="Cursor from the `next` field of the previous page.",
    ),
]


class Problem(Schema):
    """An error (RFC 9457)."""

    type: str = Field(examples=["/api/v1/docs/#problem-404"])
    title: str = Field(examples=["Nothing was found at this URL."])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["No member has this ID."])
    retryable: bool = Field(
        description="Whether the same request may succeed later.", examples=[False]
    )
    errors: list[str] = Field([], description="Each error, as a sentence.")


class PageOf(Schema, Generic[Item]):
    """A page of items, and a link to the next page."""

    items: list[Item]
    next: str | None = Field(description="URL of the next page, if any.")


def responses(schema: Any, *statuses: int) -> dict[int, Any]:
    """Return the responses of an operation: *schema*, or problems with these codes.

    Every operation can return 401 and 429.
    """
    return {200: schema} | dict.fromkeys(sorted({401, 429, *statuses}), Problem)


def is_body_larger_than(request: HttpRequest, most: int) -> bool:
    """Return whether the declared body of a request has more than *most* bytes."""
    try:
        length = int(request.headers.get("Content-Length") or 0)
    except ValueError:
        length = 0
    return length > most


def note_fields(request: HttpRequest, rows: Iterable[Schema]) -> None:
    """Note the fields that the rows of a body give, for the record of the key's use."""
    sent = frozenset().union(*(row.model_fields_set for row in rows))
    request.fields_sent = sent  # type: ignore[attr-defined]


def without_surrogates(value: Any) -> Any:
    """Return a text with U+FFFD for lone surrogates, which no database stores."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# Readers and numbers


def reader_of(request: HttpRequest) -> User | AnonymousUser:
    """Return the owner of the request's key or token; sessions are ignored.

    A key of the membership feed has no other rights, so it reads like no key. An access
    token needs its scope, and reads what everyone reads: the decimals of a rating that
    started from an age would give a birth date to another site.
    """
    key = getattr(request, "api_key", None)  # none on shared responses
    if key is None or key.may_feed:
        return AnonymousUser()
    require_scope(key, MEMBERS_READ)
    if isinstance(key, ProgramAccess):
        return AnonymousUser()
    owner: User = key.owner
    return owner


def rating_reader(request: HttpRequest) -> RatingViewer:
    return RatingViewer(reader_of(request))


def rating_shown(rating: float | None, *, is_exact: bool) -> Rating | None:
    """Return a rating as on pages: with two decimals, or published; None if unrated.

    >>> rating_shown(1654.125, is_exact=True), rating_shown(1655.0, is_exact=False)
    (1654.13, 1655)
    """
    if rating is None:
        return None
    return float(decimal_rating(rating)) if is_exact else whole(rating)


def is_about(*ratings: float | None) -> bool:
    """Return whether one of these is only given to the nearest 50."""
    return any(isinstance(rating, ApproximateRating) for rating in ratings)


IsAbout = Annotated[
    bool,
    Field(
        description="Whether a rating is given to the nearest 50 because it is still "
        "the age-based initial rating."
    ),
]
# Read from a rating: its whole number, and whether it is about.
Whole = Annotated[int, BeforeValidator(whole)]
WholeOrNone = Annotated[
    int | None, BeforeValidator(partial(rating_shown, is_exact=False))
]
IsAboutOfRating = Annotated[IsAbout, BeforeValidator(lambda one: is_about(one))]


def fields_of(record: Any) -> dict[str, Any]:
    """Return the fields of a dataclass; `asdict` would copy every value."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


def points(half_points: int) -> float:
    return half_points / 2


# Cursors


class BadCursor(Exception):
    """This cursor was not issued by this URL."""


class SortKey(NamedTuple):
    """A column that a list is ordered by."""

    name: str
    kind: type
    descending: bool = False

    @property
    def lookup(self) -> str:
        return f"{self.name}__{'lt' if self.descending else 'gt'}"

    @property
    def order(self) -> str:
        return f"-{self.name}" if self.descending else self.name


@dataclass(frozen=True, slots=True)
class CursorPage:
    """The rows of one page, and the cursor of the next one."""

    rows: list[Any]
    next: str = ""


def encode_cursor(values: Sequence[Any]) -> str:
    """Encode *values* as an opaque cursor.

    >>> encode_cursor([1500, "adams ada"])
    'WzE1MDAsImFkYW1zIGFkYSJd'
    """
    text = json.dumps(list(values), default=str, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(cursor: str, kinds: Sequence[type]) -> list[Any]:
    """Return the values of a cursor; raise BadCursor if it is not one of ours."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        found = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        return [
            _checked_value(value, kind)
            for value, kind in zip(found, kinds, strict=True)
        ]
    except (binascii.Error, ValueError, TypeError, RecursionError) as fault:
        raise BadCursor from fault


def _checked_value(value: Any, kind: type[Any]) -> Any:
    if kind is date:
        return date.fromisoformat(value)
    if type(value) is not kind or (kind is int and not 0 <= value < 2**63):
        raise ValueError("not of this kind")
    if kind is str and not value.isprintable():
        raise ValueError("no text of ours")
    return value


def cursor_page(
    rows: QuerySet[AnyModel], keys: Sequence[SortKey], cursor: str, limit: int
) -> CursorPage:
    """Return the page after *cursor*, of rows in the order of *keys* (one query)."""
    if cursor:
        rows = rows.filter(
            _after_condition(keys, decode_cursor(cursor, [k.kind for k in keys]))
        )
    found = list(rows.order_by(*(key.order for key in keys))[: limit + 1])
    shown = found[:limit]
    if len(found) <= limit:
        return CursorPage(shown)
    return CursorPage(
        shown, encode_cursor([_value(shown[-1], key.name) for key in keys])
    )


def _after_condition(keys: Sequence[SortKey], values: Sequence[Any]) -> Q:
    """Return the condition that a row comes after *values* in the order of *keys*."""
    behind, equal = Q(), Q()
    for key, value in zip(keys, values, strict=True):
        behind |= equal & Q(**{key.lookup: value})
        equal &= Q(**{key.name: value})
    return behind


def _value(row: Model, name: str) -> Any:
    return attrgetter(name.replace("__", "."))(row)


def offset_page(rows: QuerySet[AnyModel], cursor: str, limit: int) -> CursorPage:
    """Return a page by offset, for rows without a sort key, such as search results."""
    start = offset_of(cursor)
    found = list(rows[start : start + limit + 1])
    ends = len(found) <= limit or start + limit >= MAX_OFFSET
    return CursorPage(found[:limit], "" if ends else encode_cursor([start + limit]))


def offset_of(cursor: str) -> int:
    if not cursor:
        return 0
    position: int
    [position] = decode_cursor(cursor, [int])
    if position > MAX_OFFSET:
        raise BadCursor
    return position


def page(
    request: HttpRequest,
    response: HttpResponse,
    part: CursorPage,
    line: Callable[[Any], Any] = lambda row: row,
) -> dict[str, Any]:
    """Return a page as a document, with the next page's URL in body and header.

    *line* makes of a row what the schema reads, which may be the row itself.
    """
    return {
        "items": [line(row) for row in part.rows],
        "next": next_url(request, response, part.next),
    }


def next_url(request: HttpRequest, response: HttpResponse, cursor: str) -> str | None:
    if not cursor:
        return None
    query = [(k, str(v)) for k, v in request.GET.items() if k != "cursor"]
    asked = urlencode([*query, ("cursor", cursor)])
    address = f"{request.build_absolute_uri(request.path)}?{asked}"
    response["Link"] = f'<{address}>; rel="next"'
    return address
