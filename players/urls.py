from django.urls import path

from players.views import guardian, opt_in, search

app_name = "players"

urlpatterns = [
    path("", search.search, name="search"),
    path("fide-opt-in/", opt_in.own, name="fide_opt_in"),
    path("guardian/", guardian.guardian, name="guardian"),
]
