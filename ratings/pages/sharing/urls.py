from django.urls import path

from ratings.pages.sharing import views

urlpatterns = [
    path(
        "players/<member:member_id>/titles/<slug:key>/",
        views.certificate,
        name="certificate",
    ),
    path("share/<str:token>/", views.shared, name="shared"),
    path("share/<str:token>/card.png", views.shared_card, name="shared_card"),
    path("share/<str:token>/statement/", views.statement, name="statement"),
    path("verify/", views.verify, name="verify"),
    path("verify/keys.json", views.keys, name="statement_keys"),
    path("verify/<str:text>/", views.verified, name="verified"),
]
