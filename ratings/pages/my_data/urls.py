from django.urls import path

from ratings.pages.my_data import views

urlpatterns = [
    path("my-data/", views.my_data, name="my_data"),
    path(
        "my-data/<member:member_id>/forget/",
        views.ask_for_deletion,
        name="ask_to_forget",
    ),
    path("office/forget/", views.forget_requests, name="forget_requests"),
    path(
        "office/forget/<int:pk>/refuse/", views.refuse_request, name="refuse_to_forget"
    ),
    path(
        "office/members/<member:member_id>/forget/",
        views.forget,
        name="forget_member",
    ),
]
