from django.urls import include, path

from ratings.lists.queries.open_lists import CURRENT, NEWEST
from ratings.lists.views import classes, distribution, files, lists, rankings

distributions = [
    path("", distribution.distribution, name="distribution"),
    path("<str:system>/", distribution.distribution, name="distribution_in"),
    path(
        "<str:system>/distribution.csv",
        distribution.distribution_file,
        name="distribution_file",
    ),
]

urlpatterns = [
    path("classes/", classes.classes, name="classes"),
    path("classes/<str:system>/", classes.classes, name="classes_in"),
    path("classes/<str:system>/<slug:slug>/", classes.members, name="class_members"),
    path("distribution/", include(distributions)),
    path("lists/", lists.lists, name="lists"),
    path("lists/compare/", lists.compare, name="compare_lists"),
    path("lists/files/", files.open_lists, name="open_lists"),
    path(
        "lists/current/<str:name>",
        files.fixed_file,
        {"address": CURRENT},
        name="current_list_file",
    ),
    path(
        "lists/newest/<str:name>",
        files.fixed_file,
        {"address": NEWEST},
        name="newest_list_file",
    ),
    path("lists/<month:month>/", lists.official_list, name="list"),
    path("lists/<month:month>/<str:name>", files.list_file, name="list_file"),
    path(
        "players/<member:member_id>/lists/", lists.lists_of_player, name="player_lists"
    ),
    path("rankings/", rankings.rankings, name="rankings"),
    path("rankings/<str:system>/", rankings.ranking_of, name="ranking"),
    path("rankings/<str:system>/top/", rankings.ranking_of, {"top": True}, "top"),
    path(
        "rankings/<str:system>/active/",
        rankings.ranking_of,
        {"most_active": True},
        "most_active",
    ),
    path("rankings/<str:system>/scholastic/", rankings.scholastic, name="scholastic"),
    path("rankings/<str:system>/gains/", rankings.improvers_of, name="improvers"),
    path("office/lists/", lists.OfficeLists.as_view(), name="office_lists"),
    path("office/lists/<month:month>/", lists.office_list, name="office_list"),
    path("office/lists/<month:month>/correct/", lists.correct, name="correct_list"),
]
