from django.urls import path

from events.foreign import views

urlpatterns = [
    path("office/foreign/events/new/", views.New.as_view(), name="foreign_new"),
    path("office/foreign/upload/", views.Upload.as_view(), name="foreign_upload_new"),
    path("office/foreign/template.csv", views.sample, name="foreign_template"),
    path("office/foreign/files/<int:pk>/", views.file, name="foreign_file"),
    path(
        "office/foreign/events/<int:pk>/change/",
        views.Change.as_view(),
        name="foreign_change",
    ),
    path(
        "office/foreign/events/<int:pk>/upload/",
        views.Upload.as_view(),
        name="foreign_upload",
    ),
    path(
        "office/foreign/events/<int:pk>/member/",
        views.ChooseMember.as_view(),
        name="foreign_member",
    ),
    path(
        "office/foreign/events/<int:pk>/enter/<member:member_id>/",
        views.enter,
        name="foreign_enter",
    ),
]
