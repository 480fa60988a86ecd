from django.urls import include, path

from ratings.pages.my_data import views

office = [
    path("forget/", views.forget_requests, name="forget_requests"),
    path(
        "forget/<int:pk>/refuse/",
        views.RefuseRequest.as_view(),
        name="refuse_to_forget",
    ),
    path(
        "members/<member:member_id>/forget/",
        views.Forget.as_view(),
        name="forget_member",
    ),
]

urlpatterns = [
    path("my-data/", views.my_data, name="my_data"),
    path(
        "my-data/<member:member_id>/forget/",
        views.AskForDeletion.as_view(),
        name="ask_to_forget",
    ),
    path("office/", include(office)),
]
