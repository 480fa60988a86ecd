from django.urls import path

from events.corrections import views

urlpatterns = [
    path(
        "events/<str:event_id>/<int:number>/correct/",
        views.Ask.as_view(),
        name="ask_correction",
    ),
    path(
        "events/<str:event_id>/<int:number>/history/",
        views.history,
        name="section_history",
    ),
    path(
        "events/<str:event_id>/<int:number>/history/<int:version>/",
        views.old_version,
        name="section_version",
    ),
    path("desk/corrections/", views.my_corrections, name="my_corrections"),
    path("desk/corrections/<int:pk>/", views.correction, name="correction"),
    path(
        "desk/corrections/<int:pk>/answer/",
        views.answer,
        name="answer_correction",
    ),
    path(
        "desk/corrections/<int:pk>/withdraw/",
        views.withdraw,
        name="withdraw_correction",
    ),
    path("office/corrections/", views.queue, name="corrections"),
    path(
        "office/corrections/<int:pk>/", views.Decide.as_view(), name="decide_correction"
    ),
    path(
        "office/corrections/<int:pk>/refuse/",
        views.Refuse.as_view(),
        name="refuse_correction",
    ),
    path(
        "office/corrections/<int:pk>/restate/",
        views.Restate.as_view(),
        name="restate_correction",
    ),
]
