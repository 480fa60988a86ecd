from django.urls import include, path

from events.calendar.views import calendar, registrations

registered = [
    path("", registrations.registered, name="registered"),
    path("event.ics", registrations.registered_ics, name="registered_ics"),
    path("change/", registrations.Change.as_view(), name="change_registration"),
    path("cancel/", registrations.Cancel.as_view(), name="cancel_registration"),
]

urlpatterns = [
    path("calendar/", calendar.this_month, name="calendar"),
    path("calendar/events.ics", calendar.calendar_feed, name="calendar_feed"),
    path("calendar/register/", registrations.Register.as_view(), name="register"),
    path("calendar/<str:month>/", calendar.one_month, name="month"),
    path("calendar/registered/<int:pk>/", include(registered)),
    path("desk/registered/", registrations.mine, name="my_registrations"),
    path("desk/reports/<int:pk>/registered/", registrations.tie, name="tie"),
    path("office/expected/", registrations.all_expected, name="expected"),
]
