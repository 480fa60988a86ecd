from django.urls import path

from events.reports.views import (
    actions,
    edits,
    messages,
    reports,
    schedules,
    table_uploads,
)

urlpatterns = [
    path("desk/reports/<int:pk>/messages/", messages.Thread.as_view(), name="messages"),
    path("desk/reports/<int:pk>/messages/read/", messages.read, name="read_messages"),
    path("office/messages/", messages.unread, name="unread"),
    path("desk/", reports.desk, name="desk"),
    path("desk/upload/", reports.upload, name="upload"),
    path(
        "desk/upload/templates/<slug:name>.csv",
        table_uploads.template,
        {"ending": "csv"},
        name="template_csv",
    ),
    path(
        "desk/upload/templates/<slug:name>.xlsx",
        table_uploads.template,
        {"ending": "xlsx"},
        name="template_xlsx",
    ),
    path(
        "desk/reports/<int:pk>/columns/",
        table_uploads.Columns.as_view(),
        name="columns",
    ),
    path("desk/reports/<int:pk>/", reports.report, name="report"),
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
    path("desk/reports/<int:pk>/override/", actions.override, name="override"),
    path("desk/reports/<int:pk>/matches/", actions.accept_matches, name="take_matches"),
    path("desk/reports/<int:pk>/records/", actions.use_record, name="use_record"),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/entries/<int:pairing_number>"
        "/member/",
        actions.assign_member,
        name="use_member",
    ),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/entries/<int:pairing_number>"
        "/remove/",
        actions.remove,
        name="remove_entry",
    ),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/entries/<int:pairing_number>"
        "/rounds/<int:round_number>/word/",
        actions.settle_result,
        name="settle_result",
    ),
    path("desk/reports/<int:pk>/submit/", reports.submit, name="submit"),
    path(
        "desk/reports/<int:pk>/withdraw/", reports.Withdraw.as_view(), name="withdraw"
    ),
    path("desk/reports/<int:pk>/files/<int:file_pk>/", reports.download, name="file"),
    path("desk/reports/<int:pk>/progress/", reports.progress, name="progress"),
]
