from django.urls import include, path

from events.corrections import views

_section = [
    path("correct/", views.ask, name="ask_correction"),
    path("history/", views.history, name="section_history"),
    path("history/<int:version>/", views.old_version, name="section_version"),
]
_desk = [
    path("", views.my_corrections, name="my_corrections"),
    path("<int:pk>/", views.correction, name="correction"),
    path("<int:pk>/answer/", views.answer, name="answer_correction"),
    path("<int:pk>/withdraw/", views.withdraw, name="withdraw_correction"),
]
_office = [
    path("", views.queue, name="corrections"),
    path("<int:pk>/", views.decide, name="decide_correction"),
    path("<int:pk>/refuse/", views.refuse, name="refuse_correction"),
    path("<int:pk>/restate/", views.restate, name="restate_correction"),
]

urlpatterns = [
    path("events/<str:event_id>/<int:number>/", include(_section)),
    path("desk/corrections/", include(_desk)),
    path("office/corrections/", include(_office)),
]
