from django.urls import include, path

from ratings.previews.floor_requests import views

office = [
    path("", views.requests, name="floor_requests"),
    path("<int:pk>/", views.Decide.as_view(), name="floor_request"),
    path("<int:pk>/effect/", views.effect, name="floor_request_effect"),
]

urlpatterns = [
    path(
        "players/<member:member_id>/floors/lower/",
        views.Ask.as_view(),
        name="ask_lower_floor",
    ),
    path("office/floor-requests/", include(office)),
]
