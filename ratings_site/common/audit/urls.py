from django.urls import path

from ratings_site.common.audit import views

urlpatterns = [
    path("audit/", views.audit, name="audit"),
    path("audit/export/", views.export_audit, name="audit_export"),
]
