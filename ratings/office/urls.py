from django.urls import path

from ratings.office import views

urlpatterns = [
    path("office/members/", views.members, name="members"),
    path("office/members/file/", views.MemberFile.as_view(), name="member_file"),
    path("office/members/<member:member_id>/", views.member, name="member"),
]
