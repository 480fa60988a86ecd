from django.urls import path

from events.certification import views

urlpatterns = [
    path("welcome/", views.Welcome.as_view(), name="welcome"),
    path("tds/<member:member_id>/record/", views.td_record, name="director_record"),
    path("office/directors/", views.td_requests, name="td_requests"),
    path("office/directors/<int:pk>/", views.TdRequest.as_view(), name="td_request"),
]
