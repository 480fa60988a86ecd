from django.urls import path

from events.review.views import (
    bulk_acceptance,
    claims,
    colleagues,
    invitations,
    lateness,
    newcomers,
    queue,
)

urlpatterns = [
    path("office/reports/<int:pk>/take/", claims.claim, name="claim"),
    path("office/reports/<int:pk>/give-back/", claims.release, name="release"),
    path(
        "office/colleagues/invite/",
        colleagues.Invite.as_view(),
        name="invite_colleague",
    ),
    path(
        "office/colleagues/<int:pk>/confirm/",
        colleagues.Confirm.as_view(),
        name="confirm_colleague",
    ),
    path("office/lateness/", lateness.lateness, name="lateness"),
    path(
        "office/invite-directors/",
        invitations.invite_directors,
        name="invite_directors",
    ),
    path("office/newcomers/", newcomers.newcomers, name="newcomers"),
    path(
        "office/newcomers/several/",
        newcomers.several_newcomers,
        name="several_newcomers",
    ),
    path("office/", queue.queue, name="queue"),
    path("office/people-waiting/", queue.people_waiting, name="people_waiting"),
    path("office/reports/<int:pk>/accept/", queue.Accept.as_view(), name="accept"),
    path("office/reports/<int:pk>/return/", queue.Return.as_view(), name="return"),
    path("office/reports/several/", bulk_acceptance.list_several, name="list_several"),
    path("office/reports/accept/", bulk_acceptance.accept_listed, name="accept_listed"),
    path("office/tasks/<int:pk>/", queue.Task.as_view(), name="task"),
    path("office/jobs/<int:pk>/retry/", queue.retry, name="retry"),
]
