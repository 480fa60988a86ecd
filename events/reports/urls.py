from typing import Any

from django.urls import include, path

from events.reports.views import (
    actions,
    edits,
    messages,
    reports,
    schedules,
    statements,
    table_uploads,
)

entry = [
    path("", edits.EditEntry.as_view(), name="edit_entry"),
    path("rounds/<int:round_number>/", edits.EditCell.as_view(), name="edit_cell"),
    path("member/", actions.AssignMember.as_view(), name="use_member"),
    path("remove/", actions.RemoveEntry.as_view(), name="remove_entry"),
    path(
        "rounds/<int:round_number>/word/",
        actions.SettleResult.as_view(),
        name="settle_result",
    ),
]
section: list[Any] = [
    path("", edits.EditSection.as_view(), name="edit_section"),
    path("schedules/", schedules.Schedules.as_view(), name="schedules"),
    path("entries/<int:pairing_number>/", include(entry)),
]
report: list[Any] = [
    path("messages/", messages.Thread.as_view(), name="messages"),
    path("messages/read/", messages.read, name="read_messages"),
    path("columns/", table_uploads.Columns.as_view(), name="columns"),
    path("", reports.report, name="report"),
    path("event/", edits.EditEvent.as_view(), name="edit_event"),
    path("sections/<int:number>/", include(section)),
    path("override/", actions.Override.as_view(), name="override"),
    path("matches/", actions.AcceptMatches.as_view(), name="take_matches"),
    path("records/", actions.UseRecord.as_view(), name="use_record"),
    path("undo/", actions.Undo.as_view(), name="undo_fixes"),
    path("submit/", reports.submit, name="submit"),
    path("withdraw/", reports.Withdraw.as_view(), name="withdraw"),
    path("files/<int:file_pk>/", reports.download, name="file"),
    path("progress/", reports.progress, name="progress"),
]
fees: list[Any] = [
    path("<month:month>/", statements.statement, name="statement"),
    path("<month:month>.csv", statements.statement, {"is_csv": True}, "statement_csv"),
]
templates = [
    path("<slug:name>.csv", table_uploads.template, {"ending": "csv"}, "template_csv"),
    path(
        "<slug:name>.xlsx", table_uploads.template, {"ending": "xlsx"}, "template_xlsx"
    ),
]

urlpatterns = [
    path("desk/", reports.desk, name="desk"),
    path("desk/upload/", reports.upload, name="upload"),
    path("desk/upload/templates/", include(templates)),
    path("desk/reports/<int:pk>/", include(report)),
    path("office/messages/", messages.unread, name="unread"),
    path("desk/affiliates/<slug:affiliate_id>/fees/", include(fees)),
    path("office/fees/", include(fees)),
]
