import os
from contextlib import suppress

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratings_site.settings")

application = get_wsgi_application()

from ratings_site.start import refuse_unsafe_settings  # noqa: E402 (needs the apps)

refuse_unsafe_settings()


def _show_office() -> None:
    """Read the federation's name once; before the first migration there is none."""
    from django.db import DatabaseError, connections

    from ratings_site.common.models import Office

    with suppress(DatabaseError):
        Office.show()
    connections.close_all()  # a server may divide into processes after this


_show_office()
