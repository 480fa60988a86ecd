from typing import Any

from django.urls import include, path

from ratings.decisions.floors.views import adjustments, floors, life_masters, titles

member = [
    path("floors/", floors.office_floors, name="office_floors"),
    path("floors/grant/", floors.GrantFloor.as_view(), name="grant_floor"),
    path("floors/money/", floors.GrantMoneyFloor.as_view(), name="money_floor"),
    path("ceilings/", floors.ImposeCeiling.as_view(), name="impose_ceiling"),
    path("adjust/", adjustments.Adjust.as_view(), name="adjust"),
]
office: list[Any] = [
    path("members/<member:member_id>/", include(member)),
    path("floors/<int:pk>/end/", floors.EndFloor.as_view(), name="end_floor"),
    path("ceilings/<int:pk>/end/", floors.EndCeiling.as_view(), name="end_ceiling"),
    path("life-masters/", life_masters.life_masters, name="life_masters"),
    path(
        "life-masters/<member:member_id>/",
        life_masters.DecideLifeMaster.as_view(),
        name="life_master",
    ),
    path("adjustments/", adjustments.adjustments, name="adjustments"),
    path(
        "adjustments/<int:pk>/withdraw/",
        adjustments.WithdrawAdjustment.as_view(),
        name="withdraw_adjustment",
    ),
]

urlpatterns = [
    path("players/<member:member_id>/floors/", floors.floors, name="floors"),
    path("players/<member:member_id>/titles/", titles.titles, name="titles"),
    path("office/", include(office)),
]
