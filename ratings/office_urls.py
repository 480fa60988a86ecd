"""The pages of the office that need ratings, under /office/."""

from django.urls import path

from ratings.corrections import views as corrections
from ratings.floor_requests import views as floor_requests
from ratings.floors.views import adjustments, floors, life_masters
from ratings.foreign import views as foreign
from ratings.lists.views import lists
from ratings.rerates import views as rerates

urlpatterns = [
    path(
        "members/<member:member_id>/floors/", floors.office_floors, name="office_floors"
    ),
    path("members/<member:member_id>/floors/grant/", floors.grant, name="grant_floor"),
    path("members/<member:member_id>/floors/money/", floors.money, name="money_floor"),
    path("members/<member:member_id>/ceilings/", floors.impose, name="impose_ceiling"),
    path("members/<member:member_id>/adjust/", adjustments.propose, name="adjust"),
    path("floors/<int:pk>/end/", floors.end_a_floor, name="end_floor"),
    path("ceilings/<int:pk>/end/", floors.end_a_ceiling, name="end_ceiling"),
    path("floor-requests/", floor_requests.requests, name="floor_requests"),
    path("floor-requests/<int:pk>/", floor_requests.decide, name="floor_request"),
    path(
        "floor-requests/<int:pk>/effect/",
        floor_requests.effect,
        name="floor_request_effect",
    ),
    path("life-masters/", life_masters.life_masters, name="life_masters"),
    path(
        "life-masters/<member:member_id>/", life_masters.life_master, name="life_master"
    ),
    path("adjustments/", adjustments.adjustments, name="adjustments"),
    path(
        "adjustments/<int:pk>/withdraw/",
        adjustments.withdraw,
        name="withdraw_adjustment",
    ),
    path("foreign/", foreign.work, name="foreign_work"),
    path("foreign/lists/<int:pk>/prepare/", foreign.prepare, name="foreign_prepare"),
    path("foreign/lines/<int:pk>/", foreign.work_line, name="foreign_work_line"),
    path("foreign/events/", foreign.events, name="foreign_events"),
    path("foreign/events/<int:pk>/", foreign.event, name="foreign_desk"),
    path("foreign/events/<int:pk>/check/", foreign.check, name="foreign_check"),
    path("foreign/results/<int:pk>/", foreign.result, name="foreign_result"),
    path("foreign/preview/", foreign.preview, name="foreign_preview"),
    path("foreign/jobs/<int:pk>/", foreign.job, name="foreign_job"),
    path("lists/", lists.office_lists, name="office_lists"),
    path("lists/<month:month>/", lists.office_list, name="office_list"),
    path("corrections/<int:pk>/effect/", corrections.effect, name="correction_effect"),
    path("rerates/", rerates.office_rerates, name="office_rerates"),
    path("rerates/<int:pk>/", rerates.office_rerate, name="office_rerate"),
    path("rerates/<int:pk>/progress/", rerates.progress, name="rerate_progress"),
    path("rerates/<int:pk>/<slug:act>/", rerates.act, name="rerate_act"),
]
