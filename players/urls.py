from django.urls import path

from players.fide.views import opt_ins as opt_in
from players.guardians import views as guardian
from players.members import views as search

app_name = "players"

urlpatterns = [
    path("", search.search, name="search"),
    path("fide-opt-in/", opt_in.own, name="fide_opt_in"),
    path("guardian/", guardian.guardian, name="guardian"),
]
