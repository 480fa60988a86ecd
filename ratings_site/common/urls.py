"""The office's pages that belong to no app: acts, audit, jobs, permissions."""

from django.urls import include, path

app_name = "office"

urlpatterns = [
    path("", include("ratings_site.common.acts.urls")),
    path("", include("ratings_site.common.audit.urls")),
    path("", include("ratings_site.common.jobs.urls")),
]
