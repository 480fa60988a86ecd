from django.urls import path

from players.guardians import views

urlpatterns = [path("guardian/", views.GuardianAddress.as_view(), name="guardian")]
