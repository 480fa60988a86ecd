from django.urls import path

from ratings_site.common.approvals import views

urlpatterns = [
    path("approvals/", views.approvals, name="approvals"),
    path("approvals/<int:pk>/", views.Approval.as_view(), name="approval"),
    path("bulk-actions/<int:pk>/", views.bulk_action, name="bulk_action"),
    path("permissions/", views.permissions, name="permissions"),
]
