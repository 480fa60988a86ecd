from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class OfficeAdminConfig(AdminConfig):
    default_site = "ratings_site.admin_site.OfficeAdminSite"


class RoofConfig(AppConfig):
    """Settings, addresses, static files, and the commands that start the office."""

    name = "ratings_site"
    label = "ratings_site"
