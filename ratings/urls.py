"""The addresses of all that shows or decides ratings, room by room."""

from django.urls import include, path

app_name = "ratings"

urlpatterns = [
    path("", include("ratings.profile.urls")),
    path("", include("ratings.floors.urls")),
    path("", include("ratings.floor_requests.urls")),
    path("", include("ratings.matches.urls")),
    path("", include("ratings.estimator.urls")),
    path("", include("ratings.crosstable.urls")),
    path("", include("ratings.why.urls")),
    path("", include("ratings.report_checks.urls")),
    path("", include("ratings.lists.urls")),
    path("", include("ratings.systems.urls")),
    path("", include("ratings.experiments.urls")),
    path("", include("ratings.standing.urls")),
    path("", include("ratings.home.urls")),
    path("", include("ratings.my_data.urls")),
    path("", include("ratings.open_data.urls")),
    path("", include("ratings.rerates.urls")),
    path("", include("ratings.foreign.urls")),
    path("", include("ratings.corrections.urls")),
]
