from django.urls import path

from ratings.open_data import views

urlpatterns = [
    path("open-data/", views.open_data, name="open_data"),
    path("open-data/files/<str:name>", views.newest, name="open_file"),
    path("open-data/files/<int:pk>/<str:name>", views.old_file, name="old_open_file"),
]
