from django.urls import path

from events.newcomers import views

urlpatterns = [
    path(
        "desk/reports/<int:pk>/players/",
        views.MatchPlayers.as_view(),
        name="match_players",
    ),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/entries/<int:pairing_number>/new/",
        views.NewMember.as_view(),
        name="new_member",
    ),
]
