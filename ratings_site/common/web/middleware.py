"""What every request passes through."""

import contextvars
import logging
import uuid

from django.utils.cache import add_never_cache_headers

ENCODED = "_URI_AUTOENCODED"

request_id = contextvars.ContextVar("request_id", default="-")


class RequestIdMiddleware:
    def __init__(self, get_response) -> None:
        self.get_response = get_response

    def __call__(self, request):
        token = request_id.set(uuid.uuid4().hex[:12])
        try:
            response = self.get_response(request)
            response["X-Request-Id"] = request_id.get()
            return response
        finally:
            request_id.reset(token)


class EncodedHeadersMiddleware:
    """Drop the headers that tell django-htmx to decode other headers.

    With them `HX-Request: %74rue` means true too, which no CDN in front of us knows.
    htmx sends them for names and prompts that no header can hold; no page reads those.
    """

    def __init__(self, get_response) -> None:
        self.get_response = get_response

    def __call__(self, request):
        for name in [name for name in request.META if name.endswith(ENCODED)]:
            request.META.pop(name)
        return self.get_response(request)


class RefusedFormMiddleware:
    """Answer 422 where a page shows a form again because of what was typed.

    Our own pages do so themselves; those of the admin and of the accounts do not.
    """

    def __init__(self, get_response) -> None:
        self.get_response = get_response

    def __call__(self, request):
        return self.get_response(request)

    def process_template_response(self, request, response):
        context = response.context_data or {}
        form = context.get("form")
        refused = context.get("errors") or (form is not None and form.errors)
        if request.method == "POST" and response.status_code == 200 and refused:
            response.status_code = 422
        return response


class PrivatePagesMiddleware:
    """Keep pages of an account out of every cache, also where a library makes them."""

    def __init__(self, get_response) -> None:
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        if request.path_info.startswith(("/account/", "/accounts/")):
            add_never_cache_headers(response)
        return response


class RequestIdFilter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        return True
