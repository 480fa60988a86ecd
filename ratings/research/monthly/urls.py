from django.urls import path

from ratings.research.monthly import views

urlpatterns = [
    path("laboratory/standing/", views.standing, name="standing"),
    path("laboratory/standing.csv", views.monthly_csv, name="standing_csv"),
    path(
        "laboratory/standing/<month:month>/", views.standing, name="standing_of_month"
    ),
]
