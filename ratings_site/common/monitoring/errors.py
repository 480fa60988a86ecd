"""Error reports to Sentry, or a service with the same interface."""

from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from ratings_site.common.web.middleware import request_id, running_job


def start_error_reports(**options: Any) -> None:
    """Send unhandled exceptions to SENTRY_DSN, without what people typed.

    A report has the lines of the code, and the IDs of request and job; it has no
    variables, addresses, request bodies, cookies or accounts.
    """
    if not find_spec("sentry_sdk"):
        raise ImproperlyConfigured(
            "SENTRY_DSN needs another package. Install it with: make monitoring"
        )
    import sentry_sdk

    sentry_sdk.init(
        settings.SENTRY_DSN,
        release=settings.VERSION,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        before_send=_without_personal_data,
        **options,
    )


def _without_personal_data(event: Any, hint: Any) -> Any:
    event["request"] = {"method": event.get("request", {}).get("method", "")}
    for part in ("user", "extra", "breadcrumbs", "logentry"):
        event.pop(part, None)
    event["tags"] = {"request_id": request_id.get(), "job_id": running_job.get()}
    # Messages of exceptions quote values, such as the row that breaks a constraint.
    for exception in event.get("exception", {}).get("values", []):
        exception["value"] = ""
    return event
