from django.urls import path

from players.imports import views

office = [
    path("intake/", views.Intakes.as_view(), name="intakes"),
    path(
        "intake/template/<slug:kind>.<slug:ending>",
        views.template,
        name="intake_template",
    ),
    path("intake/<int:pk>/", views.intake, name="intake"),
    path("intake/<int:pk>/progress/", views.progress, name="intake_progress"),
    path("intake/<int:pk>/refused.csv", views.refused, name="intake_refused"),
    path("intake/<int:pk>/enter/", views.Apply.as_view(), name="intake_enter"),
    path("intake/<int:pk>/columns/", views.Columns.as_view(), name="intake_columns"),
    path("intake/<int:pk>/days/", views.Days.as_view(), name="intake_days"),
    path("intake/<int:pk>/faults/", views.Faults.as_view(), name="intake_faults"),
    path("intake/<int:pk>/again/", views.check_again, name="intake_again"),
    path("intake/<int:pk>/set-aside/", views.Reject.as_view(), name="intake_aside"),
    path("intake/<int:pk>/undo/", views.Undo.as_view(), name="intake_undo"),
]
