"""The office's pages that belong to no app: acts, audit, jobs, permissions."""

from django.urls import path

from ratings_site.common.acts import views as acts
from ratings_site.common.acts import views as permissions
from ratings_site.common.audit import views as audit
from ratings_site.common.jobs import views as jobs

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
