from django.urls import path

from players.claims import views

urlpatterns = [
    path("claim/", views.claims, name="claims"),
    path("claim/<int:pk>/", views.claim, name="claim"),
    path("invited/<str:token>/", views.invited, name="invited"),
]

office = [
    path("claims/invite/", views.office_invite, name="invite"),
    path("claims/invite/list/", views.office_invite_list, name="invite_list"),
    path("claims/", views.office_claims, name="claims"),
    path("claims/several/", views.several_claims, name="several_claims"),
    path("claims/<int:pk>/", views.office_claim, name="claim"),
]
