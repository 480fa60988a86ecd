from django.urls import include, path

from ratings.foreign import views

office = [
    path("", views.work, name="foreign_work"),
    path("lists/<int:pk>/prepare/", views.prepare, name="foreign_prepare"),
    path("lines/<int:pk>/", views.WorkLine.as_view(), name="foreign_work_line"),
    path("events/", views.events, name="foreign_events"),
    path("events/<int:pk>/", views.event, name="foreign_desk"),
    path("events/<int:pk>/check/", views.check, name="foreign_check"),
    path("results/<int:pk>/", views.Result.as_view(), name="foreign_result"),
    path("preview/", views.preview, name="foreign_preview"),
    path("jobs/<int:pk>/", views.job, name="foreign_job"),
]

urlpatterns = [path("office/foreign/", include(office))]
