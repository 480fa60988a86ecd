from django.urls import path

from ratings.rerates import views

urlpatterns = [
    path("rerates/", views.public_rerates, name="rerates"),
    path("rerates/<int:pk>/", views.rerate, name="rerate"),
    path(
        "rerates/<int:pk>/players/<member:member_id>/",
        views.rerate_of_player,
        name="rerate_player",
    ),
    path("office/rerates/", views.OfficeRerates.as_view(), name="office_rerates"),
    path("office/rerates/<int:pk>/", views.office_rerate, name="office_rerate"),
    path("office/rerates/<int:pk>/progress/", views.progress, name="rerate_progress"),
    path("office/rerates/<int:pk>/<slug:act>/", views.Act.as_view(), name="rerate_act"),
]
