"""The open data page and its bulk files."""

from datetime import UTC, datetime

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.http import http_date, quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ratings.models import OpenFile
from ratings.open_data.queries import (
    TABLES,
    content_of,
    newest_file,
    newest_files,
    older_files,
    open_file,
)
from ratings_site.common.web.files import CONTENT_TYPES, can_write_parquet

A_YEAR = 31_536_000


@require_safe
def open_data(request: HttpRequest) -> HttpResponse:
    files = newest_files()
    context = {
        "tables": [(table, files[table.name]) for table in TABLES],
        "has_files": any(files.values()),
        "older": older_files(),
        "can_write_parquet": can_write_parquet(),
        "nightly_at": settings.NIGHTLY_AT
        and datetime.combine(timezone.now().date(), settings.NIGHTLY_AT, UTC),
        "keep_days": settings.OPEN_DATA_KEEP_DAYS,
    }
    return render(request, "ratings/open_data.html", context)


@require_safe
def newest(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send the newest file of this name, at a permanent URL."""
    file = newest_file(name)
    if file is None:
        raise Http404(
            _("There is no bulk file with this name. See the list at /open-data/.")
        )
    return _sent(request, file, max_age=3600)


@require_safe
def old_file(request: HttpRequest, pk: int, name: str) -> HttpResponseBase:
    """Send the file of one night, while it is kept."""
    file = open_file(pk, name)
    if file is None:
        raise Http404(
            _("This bulk file has been deleted. See /open-data/ for the newest.")
        )
    return _sent(request, file, max_age=A_YEAR)


def _sent(request: HttpRequest, file: OpenFile, *, max_age: int) -> HttpResponseBase:
    etag, changed = quote_etag(file.sha256), int(file.made_at.timestamp())
    response: HttpResponseBase | None = get_conditional_response(
        request, etag=etag, last_modified=changed
    )
    if response is None:
        response = StreamingHttpResponse(
            content_of(file), content_type=CONTENT_TYPES[file.kind]
        )
        response["Content-Length"] = str(file.size)
        response["Content-Disposition"] = f'attachment; filename="{file.name}"'
        # The file is compressed already; this stops the middleware from compressing it.
        response["Content-Encoding"] = "identity"
    response["ETag"], response["Last-Modified"] = etag, http_date(changed)
    response["Cache-Control"] = f"public, max-age={max_age}"
    return response
