from django.urls import include, path

from events.results_entry import views

sections = [
    path("new/", views.NewSection.as_view(), name="new_section"),
    path("<int:number>/grid/", views.grid, name="grid"),
    path("<int:number>/grid/cells/", views.grid_cells, name="grid_cells"),
]

urlpatterns = [
    path("desk/type-in/", views.Begin.as_view(), name="type_in"),
    path("desk/type-in/names/", views.typed_names, name="typed_names"),
    path("desk/members/", views.members, name="grid_members"),
    path("desk/reports/<int:pk>/sections/", include(sections)),
]
