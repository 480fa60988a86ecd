from django.urls import path

from players.external import views

office = [
    path("cfc/", views.cfc, name="cfc"),
    path("entered-ratings/<int:pk>/", views.take_back, name="take_rating_back"),
]
