from django.urls import path

from players.identity import views

office = [
    path("duplicates/", views.duplicates, name="duplicates"),
    path("duplicates/several/", views.several_pairs, name="several_pairs"),
    path(
        "duplicates/<member:kept>/<member:merged>/", views.Pair.as_view(), name="pair"
    ),
    path("merges/<int:pk>/undo/", views.UndoMerge.as_view(), name="undo_merge"),
]
