from django.urls import include, path, register_converter

from ratings.crosstable import views as crosstable
from ratings.estimator import views as estimator
from ratings.experiments import views as experiments
from ratings.floor_requests import views as floor_requests
from ratings.floors.views import floors, titles
from ratings.home.views import feeds
from ratings.lists.views import classes, distribution, lists, rankings
from ratings.matches import views as matches
from ratings.open_data import views as open_data
from ratings.profile import views as head_to_head
from ratings.profile import views as profile
from ratings.report_checks import views as preview
from ratings.rerates import views as rerates
from ratings.systems import views as laboratory
from ratings.why.views import foreign as foreign_public
from ratings.why.views import why
from ratings_site.common.looks.converters import MonthConverter

app_name = "ratings"

register_converter(MonthConverter, "month")

urlpatterns = [
    path("players/<member:member_id>/", profile.profile, name="profile"),
    path(
        "players/<member:member_id>/against/",
        head_to_head.choose,
        name="head_to_head_choose",
    ),
    path(
        "players/<member:member_id>/against/<member:other_id>/",
        head_to_head.between,
        name="head_to_head",
    ),
    path("players/<member:member_id>/floors/", floors.floors, name="floors"),
    path(
        "players/<member:member_id>/floors/lower/",
        floor_requests.ask,
        name="ask_lower_floor",
    ),
    path("matches/", matches.matches, name="matches"),
    path("estimate/", estimator.estimate, name="estimate"),
    path("estimate/target/", estimator.target, name="estimate_target"),
    path("estimate/section/", estimator.section, name="estimate_section"),
    path(
        "events/<str:event_id>/<int:number>/", crosstable.crosstable, name="crosstable"
    ),
    path(
        "events/<str:event_id>/<int:number>/why/<member:member_id>/<str:system>/",
        why.why,
        name="why",
    ),
    path("desk/reports/<int:pk>/preview/", preview.preview, name="preview"),
    path("classes/", classes.classes, name="classes"),
    path("classes/<str:system>/", classes.classes, name="classes_in"),
    path("classes/<str:system>/<slug:slug>/", classes.members, name="class_members"),
    path("distribution/", distribution.distribution, name="distribution"),
    path(
        "distribution/<str:system>/", distribution.distribution, name="distribution_in"
    ),
    path(
        "distribution/<str:system>/distribution.csv",
        distribution.distribution_file,
        name="distribution_file",
    ),
    path("office/", include("ratings.office_urls")),
    path("foreign/", foreign_public.event_list, name="foreign_list"),
    path("foreign/<int:pk>/", foreign_public.event, name="foreign"),
    path(
        "foreign/<int:pk>/why/<member:member_id>/",
        foreign_public.why,
        name="foreign_why",
    ),
    path("laboratory/", laboratory.index, name="laboratory"),
    path(
        "laboratory/how-ratings-work/",
        laboratory.how_ratings_work,
        name="how_ratings_work",
    ),
    path("laboratory/chronology/", laboratory.chronology, name="chronology"),
    path("laboratory/scales/", laboratory.scales, name="scales"),
    path("laboratory/systems/<str:key>/", laboratory.system, name="laboratory_system"),
    path(
        "events/<str:event_id>/<int:number>/laboratory/",
        laboratory.section,
        name="laboratory_section",
    ),
    path(
        "players/<member:member_id>/laboratory/",
        laboratory.career,
        name="laboratory_career",
    ),
    path("laboratory/experiments/", experiments.experiments, name="experiments"),
    path("laboratory/experiments/new/", experiments.new, name="experiment_new"),
    path(
        "laboratory/experiments/examples/<slug:name>/",
        experiments.example,
        name="experiment_example",
    ),
    path("laboratory/experiments/<int:pk>/", experiments.experiment, name="experiment"),
    path(
        "laboratory/experiments/<int:pk>/progress/",
        experiments.progress,
        name="experiment_progress",
    ),
    path(
        "laboratory/experiments/<int:pk>/findings.csv",
        experiments.findings,
        name="experiment_findings",
    ),
    path(
        "laboratory/experiments/<int:pk>/file/",
        experiments.games_file,
        name="experiment_file",
    ),
    path(
        "laboratory/experiments/<int:pk>/data/<slug:name>.csv",
        experiments.sheet,
        name="experiment_sheet",
    ),
    path(
        "laboratory/experiments/<int:pk>/<slug:act>/",
        experiments.act,
        name="experiment_act",
    ),
    path("lists/", lists.lists, name="lists"),
    path("lists/compare/", lists.compare, name="compare_lists"),
    path("lists/<month:month>/", lists.official_list, name="list"),
    path("lists/<month:month>/<str:name>", lists.list_file, name="list_file"),
    path(
        "players/<member:member_id>/lists/", lists.lists_of_player, name="player_lists"
    ),
    path("players/<member:member_id>/titles/", titles.titles, name="titles"),
    path("players/<member:member_id>/feed.atom", feeds.of_member, name="member_feed"),
    path("feeds/events.atom", feeds.events, name="events_feed"),
    path("feeds/events/<str:state>.atom", feeds.events, name="state_feed"),
    path("feeds/corrections.atom", feeds.corrected, name="corrections_feed"),
    path("open-data/", open_data.open_data, name="open_data"),
    path("open-data/files/<str:name>", open_data.newest, name="open_file"),
    path("open-data/files/<int:pk>/<str:name>", open_data.kept, name="old_open_file"),
    path("rankings/", rankings.rankings, name="rankings"),
    path("rankings/<str:system>/", rankings.ranking_of, name="ranking"),
    path("rankings/<str:system>/top/", rankings.ranking_of, {"top": True}, "top"),
    path("rankings/<str:system>/gains/", rankings.improvers_of, name="improvers"),
    path("rerates/", rerates.public_rerates, name="rerates"),
    path("rerates/<int:pk>/", rerates.rerate, name="rerate"),
    path(
        "rerates/<int:pk>/players/<member:member_id>/",
        rerates.rerate_of_player,
        name="rerate_player",
    ),
]
