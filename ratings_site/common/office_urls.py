"""The office's pages that belong to no app: acts, audit, jobs, permissions."""

from django.urls import path

from ratings_site.common.views import acts, audit, jobs, permissions

app_name = "office"

urlpatterns = [
    path("approvals/", acts.approvals, name="approvals"),
    path("approvals/<int:pk>/", acts.approval, name="approval"),
    path("audit/", audit.audit, name="audit"),
    path("audit/export/", audit.export_audit, name="audit_export"),
    path("jobs/", jobs.jobs, name="jobs"),
    path("jobs/<int:pk>/again/", jobs.retry_job, name="retry_job"),
    path("permissions/", permissions.permissions, name="permissions"),
]
