from django.urls import include, path

from events.corrections import views

section = [
    path("correct/", views.Ask.as_view(), name="ask_correction"),
    path("history/", views.history, name="section_history"),
    path("history/<int:version>/", views.old_version, name="section_version"),
]
desk = [
    path("", views.my_corrections, name="my_corrections"),
    path("<int:pk>/", views.correction, name="correction"),
    path("<int:pk>/answer/", views.answer, name="answer_correction"),
    path("<int:pk>/withdraw/", views.withdraw, name="withdraw_correction"),
]
office = [
    path("", views.queue, name="corrections"),
    path("<int:pk>/", views.Decide.as_view(), name="decide_correction"),
    path("<int:pk>/refuse/", views.Refuse.as_view(), name="refuse_correction"),
    path("<int:pk>/restate/", views.Restate.as_view(), name="restate_correction"),
]

urlpatterns = [
    path("events/<str:event_id>/<int:number>/", include(section)),
    path("desk/corrections/", include(desk)),
    path("office/corrections/", include(office)),
]
