"""URLs of notices."""

from django.urls import path

from ratings_site.common.notices import views as notices

app_name = "notices"

urlpatterns = [
    path("", notices.notices, name="list"),
    path("read/", notices.read, name="read"),
    path("settings/", notices.Settings.as_view(), name="settings"),
    path("unsubscribe/<str:token>/", notices.unsubscribe, name="unsubscribe"),
]
