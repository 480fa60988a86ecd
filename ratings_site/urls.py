"""Every address of the office, in one place."""

from django.contrib import admin
from django.urls import include, path

from ratings.api import api
from ratings.views.home import home
from ratings_site.common.views import health

urlpatterns = [
    path("", home, name="home"),
    path("players/", include("players.urls")),
    path("", include("events.urls")),
    path("", include("ratings.urls")),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("health/", health, name="health"),
]
