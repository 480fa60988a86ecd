from django.urls import path

from players.sharing import views

urlpatterns = [
    path("<member:member_id>/sharing/", views.sharing, name="sharing"),
    path("<member:member_id>/sharing/<slug:action>/", views.act, name="sharing_action"),
]
