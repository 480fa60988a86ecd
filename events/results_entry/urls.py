from django.urls import path

from events.results_entry import views

urlpatterns = [
    path("desk/type-in/", views.begin, name="type_in"),
    path("desk/members/", views.members, name="grid_members"),
    path(
        "desk/reports/<int:pk>/sections/new/",
        views.NewSection.as_view(),
        name="new_section",
    ),
    path("desk/reports/<int:pk>/sections/<int:number>/grid/", views.grid, name="grid"),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/grid/cells/",
        views.grid_cells,
        name="grid_cells",
    ),
]
