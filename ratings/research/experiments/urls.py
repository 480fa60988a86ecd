from typing import Any

from django.urls import include, path

from ratings.research.experiments import views

data = [
    path("<slug:name>.csv", views.sheet, name="experiment_sheet"),
    path("", views.data, name="experiment_data"),
    path("all.<str:kind>.zip", views.data_archive, name="experiment_data_archive"),
    path("<slug:name>.<str:kind>", views.data_file, name="experiment_data_file"),
]
experiment: list[Any] = [
    path("", views.experiment, name="experiment"),
    path("report/", views.report, name="experiment_report"),
    path("report.<str:kind>", views.report_file, name="experiment_report_file"),
    path("progress/", views.progress, name="experiment_progress"),
    path("findings.csv", views.findings, name="experiment_findings"),
    path("file/", views.games_file, name="experiment_file"),
    path("data/", include(data)),
    path("<slug:act>/", views.Act.as_view(), name="experiment_act"),
]
experiments: list[Any] = [
    path("", views.experiments, name="experiments"),
    path("new/", views.New.as_view(), name="experiment_new"),
    path("examples/<slug:name>/", views.example, name="experiment_example"),
    path("<int:pk>/", include(experiment)),
]
urlpatterns = [
    path("laboratory/experiments/", include(experiments)),
    path("laboratory/editions/", views.editions, name="editions"),
]
