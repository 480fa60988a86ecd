import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratings_site.settings")

application = get_wsgi_application()

from ratings_site.start import refuse_unsafe_settings  # noqa: E402 (needs the apps)

refuse_unsafe_settings()
