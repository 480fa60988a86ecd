"""URLs of all pages about ratings, by package."""

from django.urls import include, path

app_name = "ratings"

urlpatterns = [
    path("", include("ratings.pages.profile.urls")),
    path("", include("ratings.decisions.floors.urls")),
    path("", include("ratings.previews.floor_requests.urls")),
    path("", include("ratings.decisions.matches.urls")),
    path("", include("ratings.pages.estimator.urls")),
    path("", include("ratings.pages.crosstable.urls")),
    path("", include("ratings.pages.roster.urls")),
    path("", include("ratings.pages.sharing.urls")),
    path("", include("ratings.pages.why.urls")),
    path("", include("ratings.previews.reports.urls")),
    path("", include("ratings.lists.urls")),
    path("", include("ratings.research.systems.urls")),
    path("", include("ratings.research.experiments.urls")),
    path("", include("ratings.research.monthly.urls")),
    path("", include("ratings.home.urls")),
    path("", include("ratings.pages.my_data.urls")),
    path("", include("ratings.open_data.urls")),
    path("", include("ratings.rerates.urls")),
    path("", include("ratings.foreign.urls")),
    path("", include("ratings.office.urls")),
    path("", include("ratings.previews.corrections.urls")),
]
