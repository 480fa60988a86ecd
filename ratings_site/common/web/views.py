"""Views of every site: choice of language, logo, server errors."""

import errno
import sys

from django.db import DatabaseError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.i18n import set_language

from ratings_site.common.models import Office

# Without a CSRF token, so that public pages are the same for all visitors. A forged
# form can only change the language.
choose_language = csrf_exempt(set_language)


def logo(request: HttpRequest, digest: str) -> HttpResponse:
    """Return the logo with this digest, which browsers may cache forever."""
    office = Office.objects.first()
    if office is None or not digest or digest != office.logo_digest:
        raise Http404(_("The logo has changed."))
    return HttpResponse(
        bytes(office.logo),
        content_type="image/png",
        headers={"Cache-Control": "public, max-age=31536000, immutable"},
    )


TRY_AGAIN_SECONDS = 5
# A full disk needs an operator.
TRY_AGAIN_SECONDS_IF_FULL = 300
# Connection errors, and a server that shuts down (SQLSTATE 08…, 57P…).
CONNECTION_ERRORS = ("08", "57P")
DISK_FULL_ERRORS = ("53100", "SQLITE_FULL")


def server_error(request: HttpRequest) -> HttpResponse:
    """Return 500, or 503 if the database is unavailable or a disk is full.

    Django calls it while the exception is being handled, and logs that.
    """
    error = sys.exc_info()[1]
    if _is_disk_full(error):
        return _unavailable("disk_full.html", TRY_AGAIN_SECONDS_IF_FULL)
    if _is_connection_lost(error):
        return _unavailable("503.html", TRY_AGAIN_SECONDS)
    return HttpResponse(render_to_string("500.html"), status=500)


def _unavailable(template: str, seconds: int) -> HttpResponse:
    return HttpResponse(
        render_to_string(template), status=503, headers={"Retry-After": str(seconds)}
    )


def _is_disk_full(error: BaseException | None) -> bool:
    """Return whether the disk of the database or of this machine is full."""
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    cause = getattr(error, "__cause__", None)
    names = {getattr(cause, name, None) for name in ("sqlstate", "sqlite_errorname")}
    return isinstance(error, DatabaseError) and not names.isdisjoint(DISK_FULL_ERRORS)


def _is_connection_lost(error: BaseException | None) -> bool:
    """Return whether a connection to PostgreSQL failed or was lost.

    There is no SQLSTATE if the server died; SQLite never has one.
    """
    state = getattr(getattr(error, "__cause__", None), "sqlstate", "")
    is_cut = state is None or state.startswith(CONNECTION_ERRORS)
    return isinstance(error, OperationalError) and is_cut
