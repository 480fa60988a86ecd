from django.urls import path

from ratings.decisions.matches import views

urlpatterns = [path("matches/", views.matches, name="matches")]
