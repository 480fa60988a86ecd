"""Types of requests, with the attributes that middleware sets."""

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject
from django_htmx.middleware import HtmxDetails

from ratings_site.common.models import ApiKey, User


class Request(HttpRequest):
    """A request, signed in or not."""

    htmx: HtmxDetails
    api_key: ApiKey | None
    second_factor_is_required: bool
    lacks_second_factor: "SimpleLazyObject[bool]"


class SignedInRequest(Request):
    """A request whose user is signed in, as a decorator guarantees."""

    user: User
