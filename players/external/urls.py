from django.urls import path

from players.external import views

office = [
    path("cfc/", views.cfc, name="cfc"),
    path("entered-ratings/<int:pk>/", views.remove, name="take_rating_back"),
]
