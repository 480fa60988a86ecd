"""Every address of the office, in one place."""

from django.contrib import admin
from django.contrib.sitemaps import views as sitemaps
from django.urls import include, path

from ratings.api import api
from ratings.sitemaps import SITEMAPS, robots
from ratings.views.home import home
from ratings_site.common.views import keys
from ratings_site.common.views.health import health
from ratings_site.common.views.language import choose_language

urlpatterns = [
    path("", home, name="home"),
    path("players/", include("players.urls")),
    path("office/", include("ratings_site.common.office_urls")),
    path("office/", include("players.office_urls")),
    path("", include("events.urls")),
    path("", include("ratings.urls")),
    path("account/webhooks/", include("ratings_site.common.webhook_urls")),
    path("accounts/", include("allauth.urls")),
    path("account/notices/", include("ratings_site.common.notice_urls")),
    path("account/keys/", keys.keys, name="api_keys"),
    path("account/keys/<int:pk>/revoke/", keys.revoke, name="revoke_api_key"),
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path(
        "sitemap.xml",
        sitemaps.index,
        {"sitemaps": SITEMAPS, "sitemap_url_name": "sitemap_part"},
        name="sitemap",
    ),
    path(
        "sitemap-<str:section>.xml",
        sitemaps.sitemap,
        {"sitemaps": SITEMAPS},
        name="sitemap_part",
    ),
    path("robots.txt", robots, name="robots"),
    path("health/", health, name="health"),
    path("language/", choose_language, name="set_language"),
]
