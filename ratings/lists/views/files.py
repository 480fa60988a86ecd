"""The files of official lists: of one version for good, and at fixed addresses."""

import hashlib
from base64 import b64encode
from datetime import date, datetime, time
from gzip import decompress

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import re_accepts_gzip
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import http_date, quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ratings.lists.files import LICENSE
from ratings.lists.queries.open_lists import (
    CHECKSUMS,
    CURRENT,
    NEWEST,
    FileToSend,
    file_to_send,
    list_at,
    months_with_open_files,
    open_files,
    stored_files,
)
from ratings.models import OfficialList, OfficialListFile
from ratings_site.common.db.bulk import read_bytes
from ratings_site.common.web.files import attachment_header

CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "dbf": "application/x-dbf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
}
CACHE_FOREVER = "public, max-age=31536000, immutable"
# What is at a fixed address changes once a month, and with a correction.
CACHE_BRIEFLY = "public, max-age=300"


@require_safe
def open_lists(request: HttpRequest) -> HttpResponse:
    """Show the open files at the fixed addresses, and how to check them."""
    today = timezone.localdate()
    current = list_at(CURRENT, today=today)
    newest = list_at(NEWEST, today=today)
    shown = [(CURRENT, current)] if current else []
    if newest and newest != current:
        shown.append((NEWEST, newest))
    context = {
        "lists": [
            (address, f"ratings:{address}_list_file", one, open_files(one))
            for address, one in shown
        ],
        "months": months_with_open_files(),
        "license": LICENSE,
    }
    return render(request, "ratings/lists/files.html", context)


@require_safe
def list_file(request: HttpRequest, month: date, name: str) -> HttpResponseBase:
    """Send a file byte for byte as it was published, or what the month's list has."""
    if name == CHECKSUMS or name in OfficialListFile.Kind:
        return fixed_file(request, name, month)
    found = file_to_send(stored_files().filter(list__month=month, name=name))
    if found is None:
        raise Http404(_("This list has no file with this name."))
    return _sent(request, found, _changed(found), cache=CACHE_FOREVER)


@require_safe
def fixed_file(
    request: HttpRequest, name: str, address: str | date
) -> HttpResponseBase:
    """Send the file that is now at a fixed address: of the effective list there."""
    today = timezone.localdate()
    shown = list_at(address, today=today)
    if shown is not None and name == CHECKSUMS:
        return _checksums(request, shown)
    found = file_to_send(open_files(shown).filter(kind=name)) if shown else None
    if found is None:
        raise Http404(
            _("There is no such file at this address. See the files at /lists/files/.")
        )
    changed = _changed(found)
    if address == CURRENT:
        # It came to this address when the list took effect.
        starts = datetime.combine(
            found.list.starts, time(), timezone.get_current_timezone()
        )
        changed = max(changed, starts)
    return _sent(request, found, changed, cache=CACHE_BRIEFLY)


def _changed(file: "FileToSend") -> datetime:
    return file.made_at or file.list.published_at


def _sent(
    request: HttpRequest, file: "FileToSend", changed: datetime, *, cache: str
) -> HttpResponseBase:
    accepts = request.headers.get("Accept-Encoding", "")
    is_packed = file.has_gzip and bool(re_accepts_gzip.search(accepts))
    # The compressed copy is another representation, so a strong tag has to differ.
    etag = quote_etag(f"{file.sha256}-gzip" if is_packed else file.sha256)
    seconds = int(changed.timestamp())
    response = get_conditional_response(request, etag=etag, last_modified=seconds)
    if response is None:
        content = _content(file, is_packed=is_packed)
        digest = hashlib.sha256(content).digest()
        response = HttpResponse(
            content,
            content_type=CONTENT_TYPES[file.extension],
            headers={
                **attachment_header(file.name),
                "Repr-Digest": f"sha-256=:{b64encode(digest).decode()}:",
                "Content-Encoding": "gzip" if is_packed else "identity",
            },
        )
    response["ETag"], response["Last-Modified"] = etag, http_date(seconds)
    response["Cache-Control"] = cache
    response["Link"] = f'<{LICENSE}>; rel="license"'
    patch_vary_headers(response, ["Accept-Encoding"])
    return response


def _content(file: "FileToSend", *, is_packed: bool) -> bytes:
    """Return the bytes to send. Compressing a file for each request would be slow."""
    if is_packed:
        return read_bytes(file, "compressed")
    if file.made_at is not None and file.has_gzip:
        return decompress(read_bytes(file, "compressed"))
    return read_bytes(file, "content")


def _checksums(request: HttpRequest, shown: OfficialList) -> HttpResponseBase:
    """Send lines for sha256sum, under both names that a download can have."""
    lines = [
        f"{file.sha256}  {name}\n"
        for file in stored_files().filter(list=shown)
        for name in ([file.kind, file.name] if file.made_at else [file.name])
    ]
    etag = quote_etag(hashlib.sha256("".join(lines).encode()).hexdigest())
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = HttpResponse(lines, content_type="text/plain; charset=utf-8")
    response["ETag"], response["Cache-Control"] = etag, CACHE_BRIEFLY
    return response
