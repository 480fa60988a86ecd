from django.urls import path

from ratings.pages.crosstable import views

urlpatterns = [
    path("events/<str:event_id>/all/", views.all_sections, name="all_sections"),
    path("events/<str:event_id>/<int:number>/", views.crosstable, name="crosstable"),
]
