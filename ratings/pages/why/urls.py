from django.urls import include, path

from ratings.pages.why.views import foreign, why

abroad = [
    path("", foreign.event_list, name="foreign_list"),
    path("<int:pk>/", foreign.event, name="foreign"),
    path("<int:pk>/why/<member:member_id>/", foreign.why, name="foreign_why"),
]

urlpatterns = [
    path(
        "events/<str:event_id>/<int:number>/why/<member:member_id>/<str:system>/",
        why.why,
        name="why",
    ),
    path("foreign/", include(abroad)),
]
