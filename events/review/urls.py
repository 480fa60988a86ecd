from django.urls import include, path

from events.review.views import (
    bulk_acceptance,
    claims,
    colleagues,
    fide_approvals,
    invitations,
    lateness,
    newcomers,
    queue,
)

office = [
    path("reports/<int:pk>/take/", claims.claim, name="claim"),
    path("reports/<int:pk>/give-back/", claims.release, name="release"),
    path("colleagues/invite/", colleagues.Invite.as_view(), name="invite_colleague"),
    path(
        "colleagues/<int:pk>/confirm/",
        colleagues.Confirm.as_view(),
        name="confirm_colleague",
    ),
    path("lateness/", lateness.lateness, name="lateness"),
    path("invite-directors/", invitations.invite_directors, name="invite_directors"),
    path("newcomers/", newcomers.newcomers, name="newcomers"),
    path("newcomers/several/", newcomers.several_newcomers, name="several_newcomers"),
    path("", queue.queue, name="queue"),
    path("people-waiting/", queue.people_waiting, name="people_waiting"),
    path("reports/<int:pk>/accept/", queue.Accept.as_view(), name="accept"),
    path("reports/<int:pk>/return/", queue.Return.as_view(), name="return"),
    path("reports/several/", bulk_acceptance.list_several, name="list_several"),
    path("reports/accept/", bulk_acceptance.accept_listed, name="accept_listed"),
    path(
        "reports/accept/<int:pk>/",
        bulk_acceptance.accepted_listed,
        name="accepted_listed",
    ),
    path(
        "events/<str:event_id>/fide/",
        fide_approvals.FideApproval.as_view(),
        name="fide_approval",
    ),
    path("tasks/<int:pk>/", queue.Task.as_view(), name="task"),
    path("jobs/<int:pk>/retry/", queue.retry, name="retry"),
]

urlpatterns = [path("office/", include(office))]
