"""The root URLconf."""

from django.contrib import admin
from django.contrib.sitemaps import views as sitemaps
from django.urls import include, path

from ratings.api.app import api
from ratings.home.sitemaps import SITEMAPS, robots
from ratings.home.views.help import help_index, help_page
from ratings.home.views.home import home
from ratings_site.common.api_keys import views as keys
from ratings_site.common.jobs.health import health, live, ready
from ratings_site.common.web.views import choose_language, logo

urlpatterns = [
    path("", home, name="home"),
    path("help/", help_index, name="help"),
    path("help/<slug:slug>/", help_page, name="help_page"),
    path("office/", include("ratings_site.common.urls")),
    path("office/export/", include("ratings_site.leaving.urls")),
    path("", include("players.urls")),
    path("", include("events.urls")),
    path("", include("ratings.urls")),
    path("account/", include("players.account.urls")),
    path("account/webhooks/", include("ratings_site.common.webhooks.urls")),
    path("accounts/", include("allauth.urls")),
    path("", include("ratings_site.common.programs.urls")),
    path("account/notices/", include("ratings_site.common.notices.urls")),
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
    path("health/live", live, name="live"),
    path("health/ready", ready, name="ready"),
    path("logo/<slug:digest>.png", logo, name="logo"),
    path("language/", choose_language, name="set_language"),
]

handler403 = "ratings_site.common.approvals.views.not_allowed"
handler404 = "ratings_site.common.approvals.views.page_not_found"
handler500 = "ratings_site.common.web.views.server_error"
