from django.urls import path

from events.reports.views import acts, arrivals, desk, edits, messages, schedules

urlpatterns = [
    path("desk/reports/<int:pk>/messages/", messages.thread, name="messages"),
    path("desk/reports/<int:pk>/messages/read/", messages.read, name="read_messages"),
    path("office/messages/", messages.unread, name="unread"),
    path("desk/", desk.desk, name="desk"),
    path("desk/upload/", desk.upload, name="upload"),
    path(
        "desk/upload/templates/<slug:name>.csv",
        arrivals.template,
        {"ending": "csv"},
        name="template_csv",
    ),
    path(
        "desk/upload/templates/<slug:name>.xlsx",
        arrivals.template,
        {"ending": "xlsx"},
        name="template_xlsx",
    ),
    path("desk/reports/<int:pk>/columns/", arrivals.columns, name="columns"),
    path("desk/reports/<int:pk>/", desk.report, name="report"),
    path("desk/reports/<int:pk>/event/", edits.edit_event, name="edit_event"),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/",
        edits.edit_section,
        name="edit_section",
    ),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/schedules/",
        schedules.schedules,
        name="schedules",
    ),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/entries/<int:pairing_number>/",
        edits.edit_entry,
        name="edit_entry",
    ),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/entries/<int:pairing_number>"
        "/rounds/<int:round_number>/",
        edits.edit_cell,
        name="edit_cell",
    ),
    path("desk/reports/<int:pk>/override/", acts.override, name="override"),
    path("desk/reports/<int:pk>/matches/", acts.take_matches, name="take_matches"),
    path("desk/reports/<int:pk>/records/", acts.use_record, name="use_record"),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/entries/<int:pairing_number>"
        "/member/",
        acts.use_member,
        name="use_member",
    ),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/entries/<int:pairing_number>"
        "/rounds/<int:round_number>/word/",
        acts.settle_result,
        name="settle_result",
    ),
    path("desk/reports/<int:pk>/submit/", desk.submit, name="submit"),
    path("desk/reports/<int:pk>/withdraw/", desk.withdraw, name="withdraw"),
    path("desk/reports/<int:pk>/files/<int:file_pk>/", desk.download, name="file"),
    path("desk/reports/<int:pk>/progress/", desk.progress, name="progress"),
]
