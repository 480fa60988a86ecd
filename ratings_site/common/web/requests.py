"""Types of requests, with the attributes that middleware sets, and their values."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, resolve
from django.utils.functional import SimpleLazyObject
from django_htmx.middleware import HtmxDetails

if TYPE_CHECKING:  # the settings of logs need this module before any model
    from ratings_site.common.models import ApiKey, ProgramAccess, User


class Request(HttpRequest):
    """A request, signed in or not."""

    htmx: HtmxDetails
    api_key: ApiKey | ProgramAccess | None
    second_factor_is_required: bool
    lacks_second_factor: SimpleLazyObject[bool]


class SignedInRequest(Request):
    """A request whose user is signed in, as a decorator guarantees."""

    user: User


class Middleware:
    """Base class of our middleware."""

    def __init__(self, get_response: Callable[[Any], HttpResponse]) -> None:
        self.get_response = get_response


@lru_cache(maxsize=2_000)
def view_name(path: str) -> str:
    """Return the name of a path's view, or ""; cached, because resolving is slow."""
    try:
        return resolve(path).view_name
    except Resolver404:
        return ""


Choice = TypeVar("Choice", bound=Enum)
Other = TypeVar("Other")


def choice_or(choices: type[Choice], value: Any, other: Other) -> Choice | Other:
    """Return the choice with this value, or *other*."""
    return next((one for one in choices if one.value == value), other)
