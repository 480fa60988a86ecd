from django.urls import URLPattern, URLResolver, include, path

from events.reports.views import (
    actions,
    edits,
    messages,
    reports,
    schedules,
    table_uploads,
)

Patterns = list[URLPattern | URLResolver]

_cell: Patterns = [
    path("", edits.edit_cell, name="edit_cell"),
    path("word/", actions.settle_result, name="settle_result"),
]
_entry: Patterns = [
    path("", edits.edit_entry, name="edit_entry"),
    path("member/", actions.assign_member, name="use_member"),
    path("remove/", actions.remove, name="remove_entry"),
    path("rounds/<int:round_number>/", include(_cell)),
]
_section: Patterns = [
    path("", edits.edit_section, name="edit_section"),
    path("schedules/", schedules.schedules, name="schedules"),
    path("entries/<int:pairing_number>/", include(_entry)),
]
_report: Patterns = [
    path("", reports.report, name="report"),
    path("messages/", messages.thread, name="messages"),
    path("messages/read/", messages.read, name="read_messages"),
    path("columns/", table_uploads.columns, name="columns"),
    path("event/", edits.edit_event, name="edit_event"),
    path("sections/<int:number>/", include(_section)),
    path("override/", actions.override, name="override"),
    path("matches/", actions.accept_matches, name="take_matches"),
    path("records/", actions.use_record, name="use_record"),
    path("submit/", reports.submit, name="submit"),
    path("withdraw/", reports.withdraw, name="withdraw"),
    path("files/<int:file_pk>/", reports.download, name="file"),
    path("progress/", reports.progress, name="progress"),
]
_template = table_uploads.template
_templates = [
    path("<slug:name>.csv", _template, {"ending": "csv"}, name="template_csv"),
    path("<slug:name>.xlsx", _template, {"ending": "xlsx"}, name="template_xlsx"),
]

urlpatterns = [
    path("office/messages/", messages.unread, name="unread"),
    path("desk/", reports.desk, name="desk"),
    path("desk/upload/", reports.upload, name="upload"),
    path("desk/upload/templates/", include(_templates)),
    path("desk/reports/<int:pk>/", include(_report)),
]
