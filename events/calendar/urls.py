from django.urls import path

from events.calendar.views import calendar, registrations

urlpatterns = [
    path("calendar/", calendar.this_month, name="calendar"),
    path("calendar/events.ics", calendar.calendar_feed, name="calendar_feed"),
    path("calendar/register/", registrations.Register.as_view(), name="register"),
    path("calendar/<str:month>/", calendar.one_month, name="month"),
    path("calendar/registered/<int:pk>/", registrations.registered, name="registered"),
    path(
        "calendar/registered/<int:pk>/event.ics",
        registrations.registered_ics,
        name="registered_ics",
    ),
    path(
        "calendar/registered/<int:pk>/change/",
        registrations.Change.as_view(),
        name="change_registration",
    ),
    path(
        "calendar/registered/<int:pk>/cancel/",
        registrations.Cancel.as_view(),
        name="cancel_registration",
    ),
    path("desk/registered/", registrations.mine, name="my_registrations"),
    path("desk/reports/<int:pk>/registered/", registrations.tie, name="tie"),
    path("office/expected/", registrations.all_expected, name="expected"),
]
