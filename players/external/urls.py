from django.urls import path

from players.external import views

office = [
    path("cfc/", views.CfcRatings.as_view(), name="cfc"),
    path(
        "entered-ratings/<int:pk>/",
        views.RemoveRating.as_view(),
        name="take_rating_back",
    ),
]
