from django.urls import path

from ratings.matches import views

urlpatterns = [
    path("matches/", views.matches, name="matches"),
]
