"""URLs of events, reports and their review."""

from django.urls import include, path

app_name = "events"

urlpatterns = [
    path("", include("events.public.urls")),
    path("", include("events.corrections.urls")),
    path("", include("events.calendar.urls")),
    path("", include("events.affiliates.urls")),
    path("", include("events.certification.urls")),
    path("", include("events.reports.urls")),
    path("", include("events.newcomers.urls")),
    path("", include("events.review.urls")),
    path("", include("events.results_entry.urls")),
    path("", include("events.foreign.urls")),
]
