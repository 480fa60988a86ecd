from django.urls import include, path

from ratings.rerates import views

public = [
    path("", views.public_rerates, name="rerates"),
    path("<int:pk>/", views.rerate, name="rerate"),
    path(
        "<int:pk>/players/<member:member_id>/",
        views.rerate_of_player,
        name="rerate_player",
    ),
]
office = [
    path("", views.OfficeRerates.as_view(), name="office_rerates"),
    path("<int:pk>/", views.office_rerate, name="office_rerate"),
    path("<int:pk>/progress/", views.progress, name="rerate_progress"),
    path("<int:pk>/<slug:act>/", views.Act.as_view(), name="rerate_act"),
]

urlpatterns = [
    path("rerates/", include(public)),
    path("office/rerates/", include(office)),
]
