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
        floors.GrantFloor.as_view(),
        name="grant_floor",
    ),
    path(
        "office/members/<member:member_id>/floors/money/",
        floors.GrantMoneyFloor.as_view(),
        name="money_floor",
    ),
    path(
        "office/members/<member:member_id>/ceilings/",
        floors.ImposeCeiling.as_view(),
        name="impose_ceiling",
    ),
    path(
        "office/members/<member:member_id>/adjust/",
        adjustments.Adjust.as_view(),
        name="adjust",
    ),
    path("office/floors/<int:pk>/end/", floors.EndFloor.as_view(), name="end_floor"),
    path(
        "office/ceilings/<int:pk>/end/", floors.EndCeiling.as_view(), name="end_ceiling"
    ),
    path("office/life-masters/", life_masters.life_masters, name="life_masters"),
    path(
        "office/life-masters/<member:member_id>/",
        life_masters.DecideLifeMaster.as_view(),
        name="life_master",
    ),
    path("office/adjustments/", adjustments.adjustments, name="adjustments"),
    path(
        "office/adjustments/<int:pk>/withdraw/",
        adjustments.WithdrawAdjustment.as_view(),
        name="withdraw_adjustment",
    ),
]
