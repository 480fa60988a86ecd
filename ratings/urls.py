from django.urls import path

from ratings.views import classes, crosstable, preview, profile, why

app_name = "ratings"

urlpatterns = [
    path("players/<str:member_id>/", profile.profile, name="profile"),
    path(
        "events/<str:event_id>/<int:number>/", crosstable.crosstable, name="crosstable"
    ),
    path(
        "events/<str:event_id>/<int:number>/why/<str:member_id>/<str:system>/",
        why.why,
        name="why",
    ),
    path("desk/reports/<int:pk>/preview/", preview.preview, name="preview"),
    path("classes/", classes.classes, name="classes"),
    path("classes/<str:system>/", classes.classes, name="classes_in"),
    path("classes/<str:system>/<slug:slug>/", classes.members, name="class_members"),
]
