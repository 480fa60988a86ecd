from django.urls import path

from ratings.pages.my_data import views

urlpatterns = [
    path("my-data/", views.my_data, name="my_data"),
    path(
        "my-data/<member:member_id>/forget/",
        views.AskForDeletion.as_view(),
        name="ask_to_forget",
    ),
    path("office/forget/", views.forget_requests, name="forget_requests"),
    path(
        "office/forget/<int:pk>/refuse/",
        views.RefuseRequest.as_view(),
        name="refuse_to_forget",
    ),
    path(
        "office/members/<member:member_id>/forget/",
        views.Forget.as_view(),
        name="forget_member",
    ),
]
