from django.urls import path

from players.privacy import views

office = [
    path("privacy/", views.privacy_requests, name="privacy_requests"),
    path(
        "members/<member:member_id>/privacy/",
        views.DecidePrivacy.as_view(),
        name="privacy",
    ),
]
