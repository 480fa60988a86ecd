"""Measuring requests, and the address of the metrics."""

import logging
import re
import time
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.crypto import constant_time_compare

from ratings_site.common.web.requests import view_name

METRICS_PATH = "/metrics"
# No page, or one of another middleware.
NO_VIEW = "-"
# Anyone can send a method of their own, and each would be a time series.
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
OTHER_METHOD = "other"
# Links with a token are as good as a password.
SECRETS = re.compile(r"[^/]{24,}")

logger = logging.getLogger("ratings_site.requests")


class MonitoringMiddleware:
    """Measure each request: a log line with LOG_REQUESTS, metrics with METRICS_TOKEN.

    Lines hold the path without tokens and without its query, which may name people.
    Like the health checks, metrics are answered by any host name and without HTTPS.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.LOG_REQUESTS and not settings.METRICS_TOKEN:
            raise MiddlewareNotUsed
        self.get_response = get_response
        if settings.METRICS_TOKEN:
            from ratings_site.common.monitoring import metrics

            self.metrics = metrics

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if settings.METRICS_TOKEN and request.path_info == METRICS_PATH:
            return self._metrics(request)
        started = time.perf_counter()
        response = self.get_response(request)
        self._note(request, response.status_code, time.perf_counter() - started)
        return response

    def _note(self, request: HttpRequest, status: int, seconds: float) -> None:
        view = view_name(request.path_info) or NO_VIEW
        method = request.method if request.method in METHODS else OTHER_METHOD
        if settings.METRICS_TOKEN:
            self.metrics.note_request(view, method, status, seconds)
        if settings.LOG_REQUESTS:
            fields = {
                "method": method,
                "path": SECRETS.sub("…", request.path_info),
                "view": view,
                "status": status,
                "milliseconds": round(seconds * 1000, 1),
            }
            line = "%(method)s %(path)s %(status)s %(milliseconds)s ms"
            logger.info(line, fields, extra={"fields": fields})

    def _metrics(self, request: HttpRequest) -> HttpResponse:
        expected = f"Bearer {settings.METRICS_TOKEN}"
        given = request.headers.get("Authorization", "")
        if not constant_time_compare(given, expected):
            return HttpResponse(
                "Send METRICS_TOKEN as “Authorization: Bearer …”.\n",
                status=401,
                content_type="text/plain; charset=utf-8",
                headers={"WWW-Authenticate": "Bearer", "Cache-Control": "no-store"},
            )
        return HttpResponse(
            self.metrics.current_metrics(),
            content_type=self.metrics.CONTENT_TYPE,
            headers={"Cache-Control": "no-store"},
        )
