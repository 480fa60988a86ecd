from django.urls import URLPattern, URLResolver, include, path

from ratings.research.experiments import views

one_experiment = [
    path("", views.experiment, name="experiment"),
    path("report/", views.report, name="experiment_report"),
    path("progress/", views.progress, name="experiment_progress"),
    path("findings.csv", views.findings, name="experiment_findings"),
    path("file/", views.games_file, name="experiment_file"),
    path("data/<slug:name>.csv", views.sheet, name="experiment_sheet"),
    path("data/", views.data, name="experiment_data"),
    path("data/all.<str:kind>.zip", views.data_archive, name="experiment_data_archive"),
    path("data/<slug:name>.<str:kind>", views.data_file, name="experiment_data_file"),
    path("<slug:act>/", views.act, name="experiment_act"),
]
experiments: list[URLPattern | URLResolver] = [
    path("", views.experiments, name="experiments"),
    path("new/", views.new, name="experiment_new"),
    path("examples/<slug:name>/", views.example, name="experiment_example"),
    path("<int:pk>/", include(one_experiment)),
]
urlpatterns = [path("laboratory/experiments/", include(experiments))]
