from django.urls import path

from players.fide.views import links, lists, opt_ins

urlpatterns = [path("fide-opt-in/", opt_ins.own, name="fide_opt_in")]

office = [
    path("fide/", lists.fide_lists, name="fide_lists"),
    path("fide/<int:pk>/", lists.fide_list, name="fide_list"),
    path("fide/<int:pk>/progress/", lists.progress, name="fide_progress"),
    path("fide/<int:pk>/give-up/", lists.cancel, name="fide_give_up"),
    path("links/", links.links, name="links"),
    path("links/several/", links.several_links, name="several_links"),
    path("links/<member:member_id>/", links.unlink, name="unlink"),
    path("links/<member:member_id>/<int:fide_id>/", links.link, name="link"),
    path("opt-ins/", opt_ins.opt_ins, name="opt_ins"),
    path("opt-ins/<int:pk>/out/", opt_ins.out, name="opt_out"),
]
