from django.urls import path

from ratings.pages.profile import views

urlpatterns = [
    path("compare/", views.compare, name="compare"),
    path("players/<member:member_id>/", views.profile, name="profile"),
    path("players/<member:member_id>/results/", views.results, name="results"),
    path(
        "players/<member:member_id>/against/",
        views.choose_opponent,
        name="head_to_head_choose",
    ),
    path(
        "players/<member:member_id>/against/<member:other_id>/",
        views.head_to_head_page,
        name="head_to_head",
    ),
]
