from django.urls import path

from ratings.pages.why.views import foreign, why

urlpatterns = [
    path(
        "events/<str:event_id>/<int:number>/why/<member:member_id>/<str:system>/",
        why.why,
        name="why",
    ),
    path("foreign/", foreign.event_list, name="foreign_list"),
    path("foreign/<int:pk>/", foreign.event, name="foreign"),
    path(
        "foreign/<int:pk>/why/<member:member_id>/",
        foreign.why,
        name="foreign_why",
    ),
]
