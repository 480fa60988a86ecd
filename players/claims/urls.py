from django.urls import path

from players.claims import views

urlpatterns = [
    path("claim/", views.claims, name="claims"),
    path("claim/<int:pk>/", views.claim, name="claim"),
]

office = [
    path("claims/", views.office_claims, name="claims"),
    path("claims/<int:pk>/", views.office_claim, name="claim"),
]
