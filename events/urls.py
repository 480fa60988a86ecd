"""The addresses of events, reports and the office that works on them, room by room."""

from django.urls import include, path

app_name = "events"

urlpatterns = [
    path("", include("events.public.urls")),
    path("", include("events.corrections.urls")),
    path("", include("events.calendar.urls")),
    path("", include("events.reports.urls")),
    path("", include("events.newcomers.urls")),
    path("", include("events.office.urls")),
    path("", include("events.key_in.urls")),
    path("", include("events.foreign.urls")),
]
