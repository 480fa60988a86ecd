from django.urls import path

from ratings.profile import views

urlpatterns = [
    path("players/<member:member_id>/", views.profile, name="profile"),
    path("players/<member:member_id>/results/", views.results, name="results"),
    path(
        "players/<member:member_id>/against/",
        views.choose,
        name="head_to_head_choose",
    ),
    path(
        "players/<member:member_id>/against/<member:other_id>/",
        views.between,
        name="head_to_head",
    ),
]
