"""Every address of the office, in one place."""

from django.contrib import admin
from django.urls import include, path

from ratings.api import api
from ratings.views.home import home
from ratings_site.common.views.health import health

urlpatterns = [
    path("", home, name="home"),
    path("players/", include("players.urls")),
    path("office/", include("ratings_site.common.office_urls")),
    path("office/", include("players.office_urls")),
    path("", include("events.urls")),
    path("", include("ratings.urls")),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("health/", health, name="health"),
]
