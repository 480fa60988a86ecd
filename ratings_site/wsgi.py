import os
from contextlib import suppress

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratings_site.settings")

application = get_wsgi_application()

from ratings_site.startup_checks import refuse_unsafe_settings  # noqa: E402 (needs the apps)

refuse_unsafe_settings()


def _load_office() -> None:
    """Load the federation's name, if the database has been migrated."""
    from django.db import DatabaseError, connections

    from ratings_site.common.models import Office

    with suppress(DatabaseError):
        Office.refresh()
    connections.close_all()  # a server may fork after this


_load_office()
