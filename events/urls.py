from django.urls import path

from events.calendar.views import calendar
from events.calendar.views import registrations as registration
from events.corrections import views as corrections
from events.foreign import views as foreign
from events.key_in import views as key_in
from events.office.views import lateness
from events.office.views import queue as office
from events.public.views import events as public
from events.public.views import people
from events.reports.views import acts as desk_acts
from events.reports.views import arrivals, desk, messages, schedules
from events.reports.views import edits as desk_edits

app_name = "events"

urlpatterns = [
    path("events/", public.event_list, name="list"),
    path("events/<str:event_id>/", public.event, name="event"),
    path("events/<str:event_id>/report.zip", public.export, name="export"),
    path(
        "events/<str:event_id>/report.trf16",
        public.export_trf,
        {"layout": "TRF16"},
        name="export_trf16",
    ),
    path(
        "events/<str:event_id>/report.trf26",
        public.export_trf,
        {"layout": "TRF26"},
        name="export_trf26",
    ),
    path(
        "events/<str:event_id>/report.csv",
        public.export_csv,
        name="export_csv",
    ),
    path(
        "events/<str:event_id>/report.json",
        public.export_document,
        name="export_json",
    ),
    path(
        "events/<str:event_id>/<int:number>/correct/",
        corrections.ask,
        name="ask_correction",
    ),
    path(
        "events/<str:event_id>/<int:number>/history/",
        corrections.history,
        name="section_history",
    ),
    path(
        "events/<str:event_id>/<int:number>/history/<int:version>/",
        corrections.old_version,
        name="section_version",
    ),
    path("desk/corrections/", corrections.my_corrections, name="my_corrections"),
    path("desk/corrections/<int:pk>/", corrections.correction, name="correction"),
    path(
        "desk/corrections/<int:pk>/answer/",
        corrections.answer,
        name="answer_correction",
    ),
    path(
        "desk/corrections/<int:pk>/withdraw/",
        corrections.withdraw,
        name="withdraw_correction",
    ),
    path("office/corrections/", corrections.queue, name="corrections"),
    path("office/corrections/<int:pk>/", corrections.decide, name="decide_correction"),
    path(
        "office/corrections/<int:pk>/refuse/",
        corrections.refuse,
        name="refuse_correction",
    ),
    path(
        "office/corrections/<int:pk>/restate/",
        corrections.restate,
        name="restate_correction",
    ),
    path("calendar/", calendar.this_month, name="calendar"),
    path("calendar/events.ics", calendar.calendar_feed, name="calendar_feed"),
    path("calendar/register/", registration.register, name="register"),
    path("calendar/<str:month>/", calendar.one_month, name="month"),
    path("calendar/registered/<int:pk>/", registration.registered, name="registered"),
    path(
        "calendar/registered/<int:pk>/event.ics",
        registration.registered_ics,
        name="registered_ics",
    ),
    path(
        "calendar/registered/<int:pk>/change/",
        registration.change,
        name="change_registration",
    ),
    path(
        "calendar/registered/<int:pk>/cancel/",
        registration.cancel,
        name="cancel_registration",
    ),
    path("affiliates/<str:affiliate_id>/", people.affiliate, name="affiliate"),
    path("tds/<member:member_id>/", people.director, name="director"),
    path("desk/registered/", registration.mine, name="my_registrations"),
    path("desk/reports/<int:pk>/messages/", messages.thread, name="messages"),
    path("desk/reports/<int:pk>/messages/read/", messages.read, name="read_messages"),
    path("desk/reports/<int:pk>/registered/", registration.tie, name="tie"),
    path("office/messages/", messages.unread, name="unread"),
    path("office/expected/", registration.all_expected, name="expected"),
    path("office/lateness/", lateness.lateness, name="lateness"),
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
    path("desk/reports/<int:pk>/event/", desk_edits.edit_event, name="edit_event"),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/",
        desk_edits.edit_section,
        name="edit_section",
    ),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/schedules/",
        schedules.schedules,
        name="schedules",
    ),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/entries/<int:pairing_number>/",
        desk_edits.edit_entry,
        name="edit_entry",
    ),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/entries/<int:pairing_number>"
        "/rounds/<int:round_number>/",
        desk_edits.edit_cell,
        name="edit_cell",
    ),
    path("desk/type-in/", key_in.begin, name="type_in"),
    path("desk/members/", key_in.members, name="grid_members"),
    path("desk/reports/<int:pk>/sections/new/", key_in.new_section, name="new_section"),
    path("desk/reports/<int:pk>/sections/<int:number>/grid/", key_in.grid, name="grid"),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/grid/cells/",
        key_in.grid_cells,
        name="grid_cells",
    ),
    path("desk/reports/<int:pk>/override/", desk_acts.override, name="override"),
    path("desk/reports/<int:pk>/records/", desk_acts.use_record, name="use_record"),
    path(
        "desk/reports/<int:pk>/sections/<int:number>/entries/<int:pairing_number>"
        "/member/",
        desk_acts.use_member,
        name="use_member",
    ),
    path("desk/reports/<int:pk>/submit/", desk.submit, name="submit"),
    path("desk/reports/<int:pk>/withdraw/", desk.withdraw, name="withdraw"),
    path("desk/reports/<int:pk>/files/<int:file_pk>/", desk.download, name="file"),
    path("desk/reports/<int:pk>/progress/", desk.progress, name="progress"),
    path("office/", office.queue, name="queue"),
    path("office/people-waiting/", office.people_waiting, name="people_waiting"),
    path("office/reports/<int:pk>/take/", desk_acts.claim, name="claim"),
    path("office/reports/<int:pk>/give-back/", desk_acts.release, name="release"),
    path("office/reports/<int:pk>/accept/", office.accept, name="accept"),
    path("office/reports/<int:pk>/return/", office.return_report, name="return"),
    path("office/tasks/<int:pk>/", office.task, name="task"),
    path("office/jobs/<int:pk>/retry/", office.retry, name="retry"),
    path("office/foreign/events/new/", foreign.new, name="foreign_new"),
    path("office/foreign/upload/", foreign.upload, name="foreign_upload_new"),
    path("office/foreign/template.csv", foreign.sample, name="foreign_template"),
    path("office/foreign/files/<int:pk>/", foreign.file, name="foreign_file"),
    path(
        "office/foreign/events/<int:pk>/change/", foreign.change, name="foreign_change"
    ),
    path(
        "office/foreign/events/<int:pk>/upload/", foreign.upload, name="foreign_upload"
    ),
    path(
        "office/foreign/events/<int:pk>/member/", foreign.member, name="foreign_member"
    ),
    path(
        "office/foreign/events/<int:pk>/enter/<member:member_id>/",
        foreign.enter,
        name="foreign_enter",
    ),
]
