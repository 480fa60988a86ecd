from django.urls import path

from players.guardians import views

urlpatterns = [path("guardian/", views.guardian, name="guardian")]
