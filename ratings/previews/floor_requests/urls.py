from django.urls import path

from ratings.previews.floor_requests import views

urlpatterns = [
    path(
        "players/<member:member_id>/floors/lower/",
        views.Ask.as_view(),
        name="ask_lower_floor",
    ),
    path("office/floor-requests/", views.requests, name="floor_requests"),
    path(
        "office/floor-requests/<int:pk>/", views.Decide.as_view(), name="floor_request"
    ),
    path(
        "office/floor-requests/<int:pk>/effect/",
        views.effect,
        name="floor_request_effect",
    ),
]
