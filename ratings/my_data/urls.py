from django.urls import path

from ratings.my_data import views

urlpatterns = [
    path("my-data/", views.my_data, name="my_data"),
    path(
        "office/members/<member:member_id>/forget/",
        views.forget,
        name="forget_member",
    ),
]
