from django.urls import include, path

from events.foreign import views

event = [
    path("change/", views.Change.as_view(), name="foreign_change"),
    path("upload/", views.Upload.as_view(), name="foreign_upload"),
    path("member/", views.ChooseMember.as_view(), name="foreign_member"),
    path("enter/<member:member_id>/", views.enter, name="foreign_enter"),
]

urlpatterns = [
    path("office/foreign/events/new/", views.New.as_view(), name="foreign_new"),
    path("office/foreign/upload/", views.Upload.as_view(), name="foreign_upload_new"),
    path("office/foreign/template.csv", views.sample, name="foreign_template"),
    path("office/foreign/files/<int:pk>/", views.file, name="foreign_file"),
    path("office/foreign/events/<int:pk>/", include(event)),
]
