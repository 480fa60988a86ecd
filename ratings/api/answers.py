"""What all answers of the API share: problems, pages with cursors, and numbers."""

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from operator import attrgetter
from typing import Annotated, Any, Final, Generic, NamedTuple, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode
from ninja import Query, Schema
from pydantic import Field, WithJsonSchema

from ratings.access import RatingReader
from ratings_site.common.looks.figures import About, decimal_rating, whole
from ratings_site.common.models import User

MOST_ITEMS: Final = 100
LONGEST_CURSOR: Final = 600
# Behind so many results of a search nobody looks.
LAST_POSITION: Final = 10_000

AnyModel = TypeVar("AnyModel", bound=Model)
Item = TypeVar("Item")

MemberId = Annotated[
    str,
    WithJsonSchema(
        {"type": "string", "pattern": "^[1-9][0-9]{7}$", "examples": ["12641216"]}
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
# A whole number stays whole, so that nobody takes it for one with decimals.
Rating = int | float
Limit = Annotated[int, Query(ge=1, le=MOST_ITEMS, description="How many at once.")]
Cursor = Annotated[
    str,
    Query(
        max_length=LONGEST_CURSOR,
        description="Where to go on: taken from the `next` of the page before.",
    ),
]


class Problem(Schema):
    """What has gone wrong (RFC 9457)."""

    type: str = Field(examples=["/api/v1/docs/#problem-404"])
    title: str = Field(examples=["There is nothing at this address."])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["No member has this ID."])
    errors: list[str] = Field([], description="Each fault, as a sentence.")


class PageOf(Schema, Generic[Item]):
    """Some of the items, and where the next ones are."""

    items: list[Item]
    next: str | None = Field(description="The address of the next page, if any.")


def answers(schema: Any, *statuses: int) -> dict[int, Any]:
    """Return what an operation may answer: *schema*, or problems of these kinds.

    A key can be wrong and a quota used up anywhere.
    """
    return {200: schema} | dict.fromkeys(sorted({401, 429, *statuses}), Problem)


def is_longer_than(request: HttpRequest, most: int) -> bool:
    """Tell whether a request says that its body has more than *most* bytes."""
    try:
        length = int(request.headers.get("Content-Length") or 0)
    except ValueError:
        length = 0
    return length > most


# Readers and numbers


def reader_of(request: HttpRequest) -> User | AnonymousUser:
    """Return the owner of the request's key; a signed-in session does not count.

    The key of a membership feed does nothing else, so it reads like no key.
    """
    key = getattr(request, "api_key", None)  # shared answers are made without
    return AnonymousUser() if key is None or key.may_feed else key.owner


def rating_reader(request: HttpRequest) -> RatingReader:
    return RatingReader(reader_of(request))


def rating_shown(rating: float | None, *, is_exact: bool) -> Rating | None:
    """Return a rating as pages show it: with two decimals, or published; None: unrated.

    >>> rating_shown(1654.125, is_exact=True), rating_shown(1655.0, is_exact=False)
    (1654.13, 1655)
    """
    if rating is None:
        return None
    return float(decimal_rating(rating)) if is_exact else whole(rating)


def is_about(*ratings: float | None) -> bool:
    """Tell whether one of these is only given to the nearest 50."""
    return any(isinstance(rating, About) for rating in ratings)


IsAbout = Annotated[
    bool,
    Field(
        description="Whether a rating is only given to the nearest 50, because it "
        "still is the starting value that comes from the player's age."
    ),
]


def points(half_points: int) -> float:
    return half_points / 2


# Cursors


class BadCursor(Exception):
    """The cursor is none that this address gave out."""


class Key(NamedTuple):
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
class Part:
    """The rows of one page, and the cursor of the next one."""

    rows: list[Any]
    next: str = ""


def cursor_of(values: Sequence[Any]) -> str:
    """Return an opaque text that leads back to *values*.

    >>> cursor_of([1500, "adams ada"])
    'WzE1MDAsImFkYW1zIGFkYSJd'
    """
    text = json.dumps(list(values), default=str, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def values_of(cursor: str, kinds: Sequence[type]) -> list[Any]:
    """Return what a cursor stands for; raise BadCursor if it is not one of ours."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        found = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        return [_taken(value, kind) for value, kind in zip(found, kinds, strict=True)]
    except (binascii.Error, ValueError, TypeError, RecursionError) as fault:
        raise BadCursor from fault


def _taken(value: Any, kind: type) -> Any:
    if kind is date:
        return date.fromisoformat(value)
    if type(value) is not kind or (kind is int and not 0 <= value < 2**63):
        raise ValueError("not of this kind")
    if kind is str and not value.isprintable():
        raise ValueError("no text of ours")
    return value


def part_of(
    rows: QuerySet[AnyModel], keys: Sequence[Key], cursor: str, limit: int
) -> Part:
    """Return the page behind *cursor*, of rows in the order of *keys* (one query)."""
    if cursor:
        rows = rows.filter(_behind(keys, values_of(cursor, [k.kind for k in keys])))
    found = list(rows.order_by(*(key.order for key in keys))[: limit + 1])
    shown = found[:limit]
    if len(found) <= limit:
        return Part(shown)
    return Part(shown, cursor_of([_value(shown[-1], key.name) for key in keys]))


def _behind(keys: Sequence[Key], values: Sequence[Any]) -> Q:
    """Return the condition that a row comes after *values* in the order of *keys*."""
    behind, equal = Q(), Q()
    for key, value in zip(keys, values, strict=True):
        behind |= equal & Q(**{key.lookup: value})
        equal &= Q(**{key.name: value})
    return behind


def _value(row: Model, name: str) -> Any:
    return attrgetter(name.replace("__", "."))(row)


def part_by_position(rows: QuerySet[AnyModel], cursor: str, limit: int) -> Part:
    """Return a page of what has no order of its own to go on from, such as a search."""
    start = position_of(cursor)
    found = list(rows[start : start + limit + 1])
    ends = len(found) <= limit or start + limit >= LAST_POSITION
    return Part(found[:limit], "" if ends else cursor_of([start + limit]))


def position_of(cursor: str) -> int:
    if not cursor:
        return 0
    [position] = values_of(cursor, [int])
    if position > LAST_POSITION:
        raise BadCursor
    return position


def page(
    request: HttpRequest,
    response: HttpResponse,
    part: Part,
    line: Callable[[Any], Mapping[str, Any]],
) -> dict[str, Any]:
    """Return a page as a document, with the next one's address in body and header."""
    return {
        "items": [line(row) for row in part.rows],
        "next": next_address(request, response, part.next),
    }


def next_address(
    request: HttpRequest, response: HttpResponse, cursor: str
) -> str | None:
    if not cursor:
        return None
    query = [(k, v) for k, v in request.GET.items() if k != "cursor"]
    asked = urlencode([*query, ("cursor", cursor)])
    address = f"{request.build_absolute_uri(request.path)}?{asked}"
    response["Link"] = f'<{address}>; rel="next"'
    return address
