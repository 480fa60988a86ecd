"""What belongs to every page: the reader's language, the federation's logo."""

from django.http import Http404, HttpRequest, HttpResponse
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
