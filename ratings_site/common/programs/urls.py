"""The endpoints of OpenID Connect and device sign-in, at django-allauth's addresses."""

from allauth.idp.oidc.views import jwks
from django.urls import include, path

from ratings_site.common.programs import views

oidc = [
    path(".well-known/openid-configuration", views.configuration, name="configuration"),
    path(".well-known/jwks.json", jwks, name="jwks"),
    path("identity/o/authorize", views.ConsentView.as_view(), name="authorization"),
    path("identity/o/api/token", views.token, name="token"),
    path("identity/o/api/revoke", views.revoke, name="revoke"),
    path("identity/o/api/device/code", views.device_code, name="device_code"),
    path("identity/o/api/userinfo", views.userinfo, name="userinfo"),
    path("device/", views.device, name="device_authorization"),
]

# The namespaces are those that django-allauth looks its views up by.
urlpatterns = [
    path("", include(([path("", include((oidc, "oidc")))], "idp"))),
    path("account/programs/", views.programs, name="programs"),
    path(
        "account/programs/<int:pk>/revoke/", views.revoke_program, name="revoke_program"
    ),
]
