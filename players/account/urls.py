from django.urls import path

from players.account import views

urlpatterns = [
    path("", views.account, name="account"),
]
