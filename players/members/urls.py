from django.urls import path

from players.members import views

urlpatterns = [path("", views.search, name="search")]

office = [
    path(
        "members/<member:member_id>/status/",
        views.ChangeStatus.as_view(),
        name="status",
    )
]
