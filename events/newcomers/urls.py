from django.urls import path

from events.newcomers import views

urlpatterns = [
    path(
        "desk/reports/<int:pk>/sections/<int:number>/entries/<int:pairing_number>/new/",
        views.new_member,
        name="new_member",
    )
]
