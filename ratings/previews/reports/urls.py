from django.urls import path

from ratings.previews.reports import views

urlpatterns = [path("desk/reports/<int:pk>/preview/", views.preview, name="preview")]
