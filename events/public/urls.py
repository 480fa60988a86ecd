from django.urls import path

from events.public.views import events, people

urlpatterns = [
    path("events/", events.event_list, name="list"),
    path("events/<str:event_id>/", events.event, name="event"),
    path("events/<str:event_id>/report.zip", events.export, name="export"),
    path(
        "events/<str:event_id>/report.trf16",
        events.export_trf,
        {"layout": "TRF16"},
        name="export_trf16",
    ),
    path(
        "events/<str:event_id>/report.trf26",
        events.export_trf,
        {"layout": "TRF26"},
        name="export_trf26",
    ),
    path(
        "events/<str:event_id>/report.csv",
        events.export_csv,
        name="export_csv",
    ),
    path(
        "events/<str:event_id>/report.json",
        events.export_document,
        name="export_json",
    ),
    path("affiliates/<str:affiliate_id>/", people.affiliate, name="affiliate"),
    path("tds/<member:member_id>/", people.director, name="director"),
]
