from django.urls import path

from ratings.report_checks import views

urlpatterns = [
    path("desk/reports/<int:pk>/preview/", views.preview, name="preview"),
]
