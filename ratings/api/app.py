"""The API as a whole: its routers, and what it says where something goes wrong."""

from functools import cached_property
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from ratings.api import (
    estimate,
    events,
    general,
    laboratory,
    lists,
    member_feed,
    rankings,
    reports,
)
from ratings.api.answers import BadCursor
from ratings.api.description import ABOUT, Documentation, finished
from ratings_site.common.web.problems import problem


class OfficeAPI(NinjaAPI):
    def get_openapi_schema(self, **kwargs: Any) -> OpenAPISchema:
        return finished(super().get_openapi_schema(**kwargs)) if kwargs else self._whole

    @cached_property
    def _whole(self) -> OpenAPISchema:
        """The description, built once: it does not change while the office runs."""
        return finished(super().get_openapi_schema())

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Name an operation by its module and function, for good."""
        function = operation.view_func
        return f"{function.__module__.rpartition('.')[2]}.{function.__name__}"


api = OfficeAPI(
    title="Ratings office",
    version="1.0",
    description=ABOUT,
    docs=Documentation(),
    docs_url="docs/",
)
api.add_router("", general.router)
api.add_router("/members", member_feed.router)  # with what reads members
api.add_router("/events", events.router)
api.add_router("/lists", lists.router)
api.add_router("/rankings", rankings.router)
api.add_router("/laboratory", laboratory.router)
api.add_router("/estimate", estimate.router)
api.add_router("/reports", reports.router)


@api.exception_handler(Http404)
def _nothing_here(request: HttpRequest, missing: Http404) -> HttpResponse:
    return problem(404, detail=str(missing))


@api.exception_handler(PermissionDenied)
def _not_allowed(request: HttpRequest, refusal: PermissionDenied) -> HttpResponse:
    return problem(403, detail=str(refusal))


@api.exception_handler(AuthenticationError)
def _no_key(request: HttpRequest, fault: AuthenticationError) -> HttpResponse:
    return problem(
        401,
        "A key is needed.",
        detail="Make one on the page of your API keys, and send it as "
        "“Authorization: Bearer …”.",
        headers={"WWW-Authenticate": "Bearer"},
    )


@api.exception_handler(HttpError)
def _cannot_be_read(request: HttpRequest, fault: HttpError) -> HttpResponse:
    return problem(fault.status_code, detail=str(fault))


@api.exception_handler(BadCursor)
def _no_such_page(request: HttpRequest, fault: BadCursor) -> HttpResponse:
    return problem(
        400,
        "The cursor leads nowhere.",
        detail="Take it from the `next` of an earlier page as it is, or leave it out "
        "to begin again.",
    )


@api.exception_handler(ValidationError)
def _impossible(request: HttpRequest, fault: ValidationError) -> HttpResponse:
    return problem(422, errors=[_sentence(error) for error in fault.errors])


def _sentence(error: dict[str, Any]) -> str:
    """Return a fault as "limit: Input should be …", without what was sent."""
    where = ".".join(str(step) for step in error["loc"][1:]) or str(error["loc"][0])
    return f"{where}: {error['msg'].rstrip('.')}."
