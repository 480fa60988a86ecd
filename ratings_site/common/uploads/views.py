"""Downloads of uploaded files."""

from django.http import Http404, HttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _

from ratings_site.common.uploads.services import read_upload


def send_upload(stored_as: str, name: str) -> HttpResponse:
    """Return an upload as an attachment, byte for byte."""
    if not stored_as:
        raise Http404(_("This file was deleted under the office’s retention schedule."))
    return HttpResponse(
        read_upload(stored_as),
        content_type="application/octet-stream",
        headers={
            "Content-Disposition": content_disposition_header(True, name) or "",
            "X-Content-Type-Options": "nosniff",
        },
    )
