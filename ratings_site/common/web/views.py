"""The language of the pages: the reader's choice, kept in a cookie."""

from django.views.decorators.csrf import csrf_exempt
from django.views.i18n import set_language

# Without a token, so that public pages are the same for everybody: the worst that a
# forged form can do is to show somebody the pages in Spanish.
choose_language = csrf_exempt(set_language)
