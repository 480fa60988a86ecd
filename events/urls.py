from django.urls import path

from events.views import desk, office, public

app_name = "events"

urlpatterns = [
    path("events/", public.event_list, name="list"),
    path("events/<str:event_id>/", public.event, name="event"),
    path("events/<str:event_id>/report.zip", public.export, name="export"),
    path("desk/", desk.desk, name="desk"),
    path("desk/upload/", desk.upload, name="upload"),
    path("desk/reports/<int:pk>/", desk.report, name="report"),
    path("desk/reports/<int:pk>/event/", desk.edit_event, name="edit_event"),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/",
        desk.edit_section,
        name="edit_section",
    ),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/entries/<int:pairing_number>/",
        desk.edit_entry,
        name="edit_entry",
    ),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/entries/<int:pairing_number>"
        "/rounds/<int:round_number>/",
        desk.edit_cell,
        name="edit_cell",
    ),
    path("desk/reports/<int:pk>/override/", desk.override, name="override"),
    path("desk/reports/<int:pk>/submit/", desk.submit, name="submit"),
    path("desk/reports/<int:pk>/withdraw/", desk.withdraw, name="withdraw"),
    path("desk/reports/<int:pk>/files/<int:file_pk>/", desk.download, name="file"),
    path("desk/reports/<int:pk>/progress/", desk.progress, name="progress"),
    path("office/", office.queue, name="queue"),
    path("office/reports/<int:pk>/accept/", office.accept, name="accept"),
    path("office/reports/<int:pk>/return/", office.return_report, name="return"),
    path("office/tasks/<int:pk>/", office.task, name="task"),
    path("office/jobs/<int:pk>/retry/", office.retry, name="retry"),
]
