from django.urls import path

from players.external import views

office = [
    path("cfc/", views.cfc, name="cfc"),
]
