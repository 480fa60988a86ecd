from django.urls import path

from ratings.foreign import views

urlpatterns = [
    path("office/foreign/", views.work, name="foreign_work"),
    path(
        "office/foreign/lists/<int:pk>/prepare/", views.prepare, name="foreign_prepare"
    ),
    path(
        "office/foreign/lines/<int:pk>/",
        views.WorkLine.as_view(),
        name="foreign_work_line",
    ),
    path("office/foreign/events/", views.events, name="foreign_events"),
    path("office/foreign/events/<int:pk>/", views.event, name="foreign_desk"),
    path("office/foreign/events/<int:pk>/check/", views.check, name="foreign_check"),
    path(
        "office/foreign/results/<int:pk>/",
        views.Result.as_view(),
        name="foreign_result",
    ),
    path("office/foreign/preview/", views.preview, name="foreign_preview"),
    path("office/foreign/jobs/<int:pk>/", views.job, name="foreign_job"),
]
