from django.urls import path

from players.claims import views

urlpatterns = [
    path("claim/", views.Claims.as_view(), name="claims"),
    path("claim/<int:pk>/", views.ProveClaim.as_view(), name="claim"),
    path("invited/<str:token>/", views.invited, name="invited"),
]

office = [
    path("claims/invite/", views.Invite.as_view(), name="invite"),
    path("claims/invite/list/", views.InviteList.as_view(), name="invite_list"),
    path("claims/", views.office_claims, name="claims"),
    path("claims/several/", views.several_claims, name="several_claims"),
    path("claims/<int:pk>/", views.DecideClaim.as_view(), name="claim"),
]
