"""The page that exports everything, and its archives."""

from typing import Any

from allauth.account.decorators import reauthentication_required
from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from events.models import Event
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.approvals.pages import ActionView
from ratings_site.common.audit.services import record
from ratings_site.common.db.size import database_bytes
from ratings_site.common.jobs.progress import progress_context
from ratings_site.common.models import Job, Office
from ratings_site.common.uploads.services import upload_storage
from ratings_site.common.web.requests import SignedInRequest
from ratings_site.leaving.queries import (
    EXPORT,
    KEEP,
    archive_name,
    expires_at,
    is_available,
    left_out,
    newest_exports,
)
from ratings_site.leaving.services.requests import PERMISSION, request_export

# Measured (docs/leaving.md): the bytes of the database that are exported in a second,
# the seconds that the report of an event takes, and the archive's share of the size.
BYTES_PER_SECOND, SECONDS_PER_EVENT, ARCHIVE_SHARE = 3_000_000, 0.031, 0.4


@reauthentication_required  # type: ignore[untyped-decorator]
def _require_reauthentication(request: SignedInRequest) -> None:
    """Raise ReauthenticationRequired if the password has to be entered again."""


@staff_permission_required("common.view_job")
class Export(ActionView[None]):
    """What an export contains, the newest exports, and the form to start one."""

    template_name = "leaving/export.html"
    permission = PERMISSION
    success_message = gettext_lazy("The export has started.")
    success_url = reverse_lazy("leaving:export")

    def unavailable_response(self) -> None:
        if self.request.method == "POST" and not self.why_not:
            _require_reauthentication(self.request)

    def do(self, data: dict[str, Any]) -> Job:
        return request_export(actor=self.request.user, **data)

    def context(self) -> dict[str, Any]:
        jobs = newest_exports()
        size = database_bytes()
        seconds = size / BYTES_PER_SECOND + Event.objects.count() * SECONDS_PER_EVENT
        return {
            "exports": [(job, expires_at(job), is_available(job)) for job in jobs],
            **_progress(jobs),
            "left_out": list(left_out()),
            "keep_days": KEEP.days,
            "expected_megabytes": max(1, round(size * ARCHIVE_SHARE / 1e6)),
            "expected_minutes": max(1, round(seconds / 60)),
        }


@staff_permission_required("common.view_job")
@require_safe
def export_progress(request: SignedInRequest) -> HttpResponseBase:
    """The progress bar, or a refresh of the page once the export has ended."""
    progress = _progress(newest_exports())
    if not progress["sentence"]:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "partials/progress.html", progress)


def _progress(jobs: list[Job]) -> dict[str, object]:
    running = next((job for job in jobs if job.state in Job.OPEN_STATES), None)
    poll_url, label = reverse("leaving:export_progress"), _("Export of all data")
    return progress_context(running, poll_url=poll_url, label=label)


@staff_permission_required(PERMISSION)
@require_safe
def archive(request: SignedInRequest, pk: int) -> HttpResponseBase:
    """Send an archive while it is kept; each download is in the activity log."""
    _require_reauthentication(request)
    job = get_object_or_404(Job, pk=pk, kind=EXPORT)
    name = archive_name(job.pk)
    if not is_available(job) or not upload_storage().exists(name):
        raise Http404(
            _("This export has been deleted. Start a new one on the export page.")
        )
    day = timezone.localtime(job.finished_at).date()
    facts = {"export": job.pk}
    record(
        "office.export_taken",
        subject=Office.objects.get(),
        actor=request.user,
        facts=facts,
    )
    response = FileResponse(
        upload_storage().open(name),
        as_attachment=True,
        filename=f"office-export-{day}.zip",
        content_type="application/zip",
    )
    # The file is compressed already; this stops the middleware from compressing it.
    response["Content-Encoding"] = "identity"
    return response
