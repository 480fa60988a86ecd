from django.urls import include, path

from events.public.views import events, people

event = [
    path("", events.event, name="event"),
    path("report.zip", events.export, name="export"),
    path("report.trf16", events.export_trf, {"layout": "TRF16"}, "export_trf16"),
    path("report.trf26", events.export_trf, {"layout": "TRF26"}, "export_trf26"),
    path("report.csv", events.export_csv, name="export_csv"),
    path("report.json", events.export_document, name="export_json"),
]

urlpatterns = [
    path("events/", events.event_list, name="list"),
    path("events/<str:event_id>/", include(event)),
    path("affiliates/", people.affiliate_list, name="affiliates"),
    path("affiliates/<str:affiliate_id>/", people.affiliate, name="affiliate"),
    path("tds/<member:member_id>/", people.director, name="director"),
]
