"""What belongs to every page: the reader's language, the federation's logo, faults."""

import sys

from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.i18n import set_language

from ratings_site.common.models import Office

# Without a token, so that public pages are the same for everybody: the worst that a
# forged form can do is to show somebody the pages in Spanish.
choose_language = csrf_exempt(set_language)


def logo(request: HttpRequest, digest: str) -> HttpResponse:
    """Show the logo of this digest, which browsers may keep for ever."""
    office = Office.objects.first()
    if office is None or not digest or digest != office.logo_digest:
        raise Http404(_("The office has another logo now."))
    return HttpResponse(
        bytes(office.logo),
        content_type="image/png",
        headers={"Cache-Control": "public, max-age=31536000, immutable"},
    )


TRY_AGAIN_SECONDS = 5
# Connections that fail or break, and a server that ends (SQLSTATE 08…, 57P…).
CUT = ("08", "57P")


def went_wrong(request: HttpRequest) -> HttpResponse:
    """Say that the fault is ours, or that the database is away for a moment.

    Django calls it while what was raised is at hand, and writes that to the log.
    """
    if _was_cut(sys.exc_info()[1]):
        return HttpResponse(
            render_to_string("503.html"),
            status=503,
            headers={"Retry-After": str(TRY_AGAIN_SECONDS)},
        )
    return HttpResponse(render_to_string("500.html"), status=500)


def _was_cut(error: BaseException | None) -> bool:
    """Tell whether a connection to PostgreSQL broke, or could not be made.

    Where the server did not live to say so, there is no state; SQLite never has one.
    """
    state = getattr(getattr(error, "__cause__", None), "sqlstate", "")
    is_cut = state is None or state.startswith(CUT)
    return isinstance(error, OperationalError) and is_cut
