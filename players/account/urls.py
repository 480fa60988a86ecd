from django.urls import path

from players.account import views

urlpatterns = [path("", views.account, name="account")]

office = [
    path("accounts/", views.office_accounts, name="accounts"),
    path("accounts/<int:pk>/factors/", views.ResetFactors.as_view(), name="factors"),
]
