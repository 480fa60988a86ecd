from django.urls import include, path

from ratings.pages.profile import views

player = [
    path("", views.profile, name="profile"),
    path("history.csv", views.history_csv, name="history_csv"),
    path("results/", views.results, name="results"),
    path("against/", views.choose_opponent, name="head_to_head_choose"),
    path("against/<member:other_id>/", views.head_to_head_page, name="head_to_head"),
]

urlpatterns = [
    path("compare/", views.compare, name="compare"),
    path("players/<member:member_id>/", include(player)),
]
