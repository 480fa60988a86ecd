"""The office's pages about people: FIDE lists, CFC ratings, links, duplicates."""

from django.urls import path

from players.external import views as external
from players.fide.views import links
from players.fide.views import lists as fide
from players.fide.views import opt_ins as opt_in
from players.identity import views as duplicates
from players.members import views as status

app_name = "players_office"

urlpatterns = [
    path("fide/", fide.fide_lists, name="fide_lists"),
    path("fide/<int:pk>/", fide.fide_list, name="fide_list"),
    path("fide/<int:pk>/progress/", fide.progress, name="fide_progress"),
    path("fide/<int:pk>/give-up/", fide.give_up, name="fide_give_up"),
    path("cfc/", external.cfc, name="cfc"),
    path("links/", links.links, name="links"),
    path("links/<member:member_id>/", links.unlink, name="unlink"),
    path("links/<member:member_id>/<int:fide_id>/", links.link, name="link"),
    path("duplicates/", duplicates.duplicates, name="duplicates"),
    path("duplicates/<member:kept>/<member:merged>/", duplicates.pair, name="pair"),
    path("merges/<int:pk>/undo/", duplicates.undo, name="undo_merge"),
    path("opt-ins/", opt_in.opt_ins, name="opt_ins"),
    path("opt-ins/<int:pk>/out/", opt_in.out, name="opt_out"),
    path("members/<member:member_id>/status/", status.status, name="status"),
]
