from django.urls import path

from ratings_site.leaving import views

app_name = "leaving"

urlpatterns = [
    path("", views.Export.as_view(), name="export"),
    path("progress/", views.export_progress, name="export_progress"),
    path("<int:pk>.zip", views.archive, name="archive"),
]
