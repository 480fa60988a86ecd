from django.urls import path

from ratings.decisions.floors.views import adjustments, floors, life_masters, titles

urlpatterns = [
    path("players/<member:member_id>/floors/", floors.floors, name="floors"),
    path("players/<member:member_id>/titles/", titles.titles, name="titles"),
    path(
        "office/members/<member:member_id>/floors/",
        floors.office_floors,
        name="office_floors",
    ),
    path(
        "office/members/<member:member_id>/floors/grant/",
        floors.grant,
        name="grant_floor",
    ),
    path(
        "office/members/<member:member_id>/floors/money/",
        floors.money,
        name="money_floor",
    ),
    path(
        "office/members/<member:member_id>/ceilings/",
        floors.impose,
        name="impose_ceiling",
    ),
    path(
        "office/members/<member:member_id>/adjust/", adjustments.propose, name="adjust"
    ),
    path("office/floors/<int:pk>/end/", floors.end_a_floor, name="end_floor"),
    path("office/ceilings/<int:pk>/end/", floors.end_a_ceiling, name="end_ceiling"),
    path("office/life-masters/", life_masters.life_masters, name="life_masters"),
    path(
        "office/life-masters/<member:member_id>/",
        life_masters.life_master,
        name="life_master",
    ),
    path("office/adjustments/", adjustments.adjustments, name="adjustments"),
    path(
        "office/adjustments/<int:pk>/withdraw/",
        adjustments.withdraw,
        name="withdraw_adjustment",
    ),
]
