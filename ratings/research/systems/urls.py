from django.urls import path

from ratings.research.systems import views

urlpatterns = [
    path("laboratory/", views.index, name="laboratory"),
    path(
        "laboratory/how-ratings-work/", views.how_ratings_work, name="how_ratings_work"
    ),
    path("laboratory/chronology/", views.chronology, name="chronology"),
    path("laboratory/scales/", views.scales, name="scales"),
    path("laboratory/systems/<str:key>/", views.system, name="laboratory_system"),
    path(
        "events/<str:event_id>/<int:number>/laboratory/",
        views.section,
        name="laboratory_section",
    ),
    path("events/<str:event_id>/<int:number>/norms/", views.norms, name="fide_norms"),
    path(
        "players/<member:member_id>/laboratory/", views.career, name="laboratory_career"
    ),
]
