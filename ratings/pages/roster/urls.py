from django.urls import path

from ratings.pages.roster import views

urlpatterns = [path("check-players/", views.roster_check, name="roster_check")]
