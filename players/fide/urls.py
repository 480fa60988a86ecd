from django.urls import path

from players.fide.views import links, lists, opt_ins

urlpatterns = [path("fide-opt-in/", opt_ins.OwnOptIn.as_view(), name="fide_opt_in")]

office = [
    path("fide/", lists.FideLists.as_view(), name="fide_lists"),
    path("fide/<int:pk>/", lists.fide_list, name="fide_list"),
    path("fide/<int:pk>/progress/", lists.progress, name="fide_progress"),
    path("fide/<int:pk>/give-up/", lists.CancelImport.as_view(), name="fide_give_up"),
    path("links/", links.links, name="links"),
    path("links/several/", links.several_links, name="several_links"),
    path("links/<member:member_id>/", links.Unlink.as_view(), name="unlink"),
    path("links/<member:member_id>/<int:fide_id>/", links.Link.as_view(), name="link"),
    path("opt-ins/", opt_ins.OptIns.as_view(), name="opt_ins"),
    path("opt-ins/<int:pk>/out/", opt_ins.ApproveOptOut.as_view(), name="opt_out"),
]
