from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class OfficeAdminConfig(AdminConfig):
    default_site = "ratings_site.admin_site.OfficeAdminSite"


class SiteConfig(AppConfig):
    """Settings, URLs, static files, and the commands that start the site."""

    name = "ratings_site"
    label = "ratings_site"

    def ready(self) -> None:
        from ratings_site.leaving import tasks  # noqa: F401
