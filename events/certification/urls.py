from django.urls import path

from events.certification import views

urlpatterns = [
    path("welcome/", views.welcome, name="welcome"),
    path("office/directors/", views.td_requests, name="td_requests"),
    path("office/directors/<int:pk>/", views.td_request, name="td_request"),
]
