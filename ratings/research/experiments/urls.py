from django.urls import path

from ratings.research.experiments import views

urlpatterns = [
    path("laboratory/experiments/", views.experiments, name="experiments"),
    path("laboratory/experiments/new/", views.New.as_view(), name="experiment_new"),
    path(
        "laboratory/experiments/examples/<slug:name>/",
        views.example,
        name="experiment_example",
    ),
    path("laboratory/experiments/<int:pk>/", views.experiment, name="experiment"),
    path(
        "laboratory/experiments/<int:pk>/report/",
        views.report,
        name="experiment_report",
    ),
    path(
        "laboratory/experiments/<int:pk>/progress/",
        views.progress,
        name="experiment_progress",
    ),
    path(
        "laboratory/experiments/<int:pk>/findings.csv",
        views.findings,
        name="experiment_findings",
    ),
    path(
        "laboratory/experiments/<int:pk>/file/",
        views.games_file,
        name="experiment_file",
    ),
    path(
        "laboratory/experiments/<int:pk>/data/<slug:name>.csv",
        views.sheet,
        name="experiment_sheet",
    ),
    path("laboratory/experiments/<int:pk>/data/", views.data, name="experiment_data"),
    path(
        "laboratory/experiments/<int:pk>/data/all.<str:kind>.zip",
        views.data_archive,
        name="experiment_data_archive",
    ),
    path(
        "laboratory/experiments/<int:pk>/data/<slug:name>.<str:kind>",
        views.data_file,
        name="experiment_data_file",
    ),
    path(
        "laboratory/experiments/<int:pk>/<slug:act>/",
        views.Act.as_view(),
        name="experiment_act",
    ),
]
