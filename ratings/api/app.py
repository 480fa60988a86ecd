"""The API application: its routers and error responses."""

from collections.abc import Callable
from functools import cached_property, wraps
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
    roster,
)
from ratings.api.deprecations import deprecation_headers, deprecations_of
from ratings.api.members import MergedMember
from ratings.api.openapi import ABOUT, Documentation, complete_schema
from ratings.api.responses import BadCursor
from ratings_site.common.api_keys.services import ApiUsage
from ratings_site.common.programs.kinds import ScopeMissing
from ratings_site.common.web.problems import problem


class OfficeAPI(NinjaAPI):
    def get_openapi_schema(self, **kwargs: Any) -> OpenAPISchema:
        return (
            complete_schema(super().get_openapi_schema(**kwargs))
            if kwargs
            else self._cached_schema
        )

    @cached_property
    def _cached_schema(self) -> OpenAPISchema:
        """The schema, built once per process."""
        return complete_schema(super().get_openapi_schema())

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Return a permanent operation ID from module and function."""
        function = operation.view_func
        return f"{function.__module__.rpartition('.')[2]}.{function.__name__}"


api = OfficeAPI(
    title="Ratings office",
    version="1.0",
    description=ABOUT,
    docs=Documentation(),
    docs_url="docs/",
)


def _with_contract(run: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Name the operation on the request, and add headers of what is deprecated."""
    operation: Operation = run.__self__  # type: ignore[attr-defined]

    @wraps(run)
    def wrapped(request: HttpRequest, **path: Any) -> HttpResponse:
        response = run(request, **path)
        name = api.get_openapi_operation_id(operation)
        found = deprecations_of(api.get_openapi_schema(), name, request.GET)
        for header, value in deprecation_headers(found).items():
            before = f"{response[header]}, " if response.has_header(header) else ""
            response[header] = f"{before}{value}"
        known = {param.alias for param in operation.signature.params}
        sent: frozenset[str] = getattr(request, "fields_sent", frozenset())
        ends = {one: deprecation.sunset for one, deprecation in found.items()}
        usage = ApiUsage(name, sent | (known & request.GET.keys()), ends)
        request.api_use = usage  # type: ignore[attr-defined]
        return response

    return wrapped


api.add_decorator(_with_contract, mode="view")
api.add_router("", general.router)
api.add_router("/members/check", roster.router)  # before /members/{member_id}
api.add_router("/members", member_feed.router)  # also has the routes of members
api.add_router("/events", events.router)
api.add_router("/lists", lists.router)
api.add_router("/rankings", rankings.router)
api.add_router("/laboratory", laboratory.router)
api.add_router("/estimate", estimate.router)
api.add_router("/reports", reports.router)


@api.exception_handler(Http404)
def _not_found(request: HttpRequest, missing: Http404) -> HttpResponse:
    return problem(404, detail=str(missing))


@api.exception_handler(MergedMember)
def _merged(request: HttpRequest, merged: MergedMember) -> HttpResponse:
    """Redirect to the ID of the remaining record."""
    old, kept = merged.args
    address = request.path.replace(old, kept, 1)
    query = request.META.get("QUERY_STRING", "")
    return HttpResponse(
        status=308, headers={"Location": f"{address}?{query}" if query else address}
    )


@api.exception_handler(PermissionDenied)
def _not_allowed(request: HttpRequest, refusal: PermissionDenied) -> HttpResponse:
    return problem(403, detail=str(refusal))


@api.exception_handler(ScopeMissing)
def _scope_missing(request: HttpRequest, missing: ScopeMissing) -> HttpResponse:
    challenge = f'Bearer error="insufficient_scope", scope="{missing.scope}"'
    return problem(
        403,
        "The access token lacks a scope.",
        detail=str(missing),
        scope=missing.scope,
        headers={"WWW-Authenticate": challenge},
    )


@api.exception_handler(AuthenticationError)
def _unauthenticated(request: HttpRequest, fault: AuthenticationError) -> HttpResponse:
    return problem(
        401,
        "An API key is required.",
        detail="Create one on your API keys page, and send it as "
        "“Authorization: Bearer …”.",
        headers={"WWW-Authenticate": "Bearer"},
    )


@api.exception_handler(HttpError)
def _http_error(request: HttpRequest, fault: HttpError) -> HttpResponse:
    return problem(fault.status_code, detail=str(fault))


@api.exception_handler(BadCursor)
def _bad_cursor(request: HttpRequest, fault: BadCursor) -> HttpResponse:
    return problem(
        400,
        "The cursor is not valid.",
        detail="Use the `next` value of an earlier page unchanged, or omit it to "
        "start over.",
    )


@api.exception_handler(ValidationError)
def _validation_error(request: HttpRequest, fault: ValidationError) -> HttpResponse:
    return problem(422, errors=[_sentence(error) for error in fault.errors])


def _sentence(error: dict[str, Any]) -> str:
    """Return an error as "limit: Input should be …", without the input."""
    where = ".".join(str(step) for step in error["loc"][1:]) or str(error["loc"][0])
    return f"{where}: {error['msg'].rstrip('.')}."
