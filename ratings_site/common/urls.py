"""The office's pages of this app: approvals, audit log, jobs, permissions."""

from django.urls import include, path

app_name = "office"

urlpatterns = [
    path("", include("ratings_site.common.approvals.urls")),
    path("", include("ratings_site.common.audit.urls")),
    path("", include("ratings_site.common.jobs.urls")),
]
