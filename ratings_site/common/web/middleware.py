"""Middleware and log filters."""

import contextvars
import logging
import uuid

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.utils.cache import add_never_cache_headers

from ratings_site.common.web.requests import Middleware

ENCODED = "_URI_AUTOENCODED"

request_id = contextvars.ContextVar("request_id", default="-")
# Set by the worker.
running_job = contextvars.ContextVar("running_job", default="-")


class RequestIdMiddleware(Middleware):
    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        token = request_id.set(uuid.uuid4().hex[:12])
        try:
            response = self.get_response(request)
            response["X-Request-Id"] = request_id.get()
            return response
        finally:
            request_id.reset(token)


class EncodedHeadersMiddleware(Middleware):
    """Drop the headers that tell django-htmx to decode other headers.

    With them `HX-Request: %74rue` means true too, which a CDN does not know. htmx sends
    them for names and prompts with special characters; no page reads those.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        for name in [name for name in request.META if name.endswith(ENCODED)]:
            request.META.pop(name)
        return self.get_response(request)


class NulMiddleware(Middleware):
    """Answer 404 to an address with NUL, which PostgreSQL can't look up."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path_info:
            raise Http404
        return self.get_response(request)


class InvalidFormMiddleware(Middleware):
    """Set the status 422 when a page shows an invalid form again.

    Our views do so themselves; those of the admin and of django-allauth do not.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_template_response(
        self, request: HttpRequest, response: SimpleTemplateResponse
    ) -> SimpleTemplateResponse:
        context = response.context_data or {}
        form = context.get("form")
        refused = context.get("errors") or (form is not None and form.errors)
        if request.method == "POST" and response.status_code == 200 and refused:
            response.status_code = 422
        return response


class PrivatePagesMiddleware(Middleware):
    """Keep account pages, also those of django-allauth, out of all caches."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.path_info.startswith(("/account/", "/accounts/")):
            add_never_cache_headers(response)
        return response


class BriefRefusalFilter(logging.Filter):
    """Log a request that Django refuses, such as one for another host, in one line.

    Its traceback is not useful, and anyone can send thousands of them.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security."):
            record.exc_info = record.exc_text = None
        return True


class RequestIdFilter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id, record.job_id = request_id.get(), running_job.get()
        return True
