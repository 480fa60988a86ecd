"""Uploading FIDE lists, and the progress of their import."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from players.fide.forms import FideListForm
from players.fide.queries import newest_list
from players.fide.services.lists import (
    IMPORT_FIDE_LIST,
    PERMISSION,
    cancel_import,
    receive_list,
)
from players.models import FideList
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.approvals.pages import ActionView, EditView
from ratings_site.common.jobs.progress import progress_context, progress_page
from ratings_site.common.models import Job
from ratings_site.common.ui.pagination import paginate
from ratings_site.common.web.requests import SignedInRequest


@staff_permission_required(PERMISSION)
class FideLists(EditView[None]):
    """List the FIDE lists, and accept a new one."""

    form_class = FideListForm
    template_name = "players/office/fide_lists.html"
    success_message = gettext_lazy("File uploaded. The import has started.")

    def do(self, data: dict[str, Any]) -> FideList:
        file = data.pop("file")
        return receive_list(
            actor=self.request.user, name=file.name, content=file.chunks(), **data
        )

    def context(self) -> dict[str, Any]:
        lists = FideList.objects.select_related("received_by")
        return {"page_obj": paginate(self.request, lists), "current": newest_list()}


@staff_permission_required(PERMISSION)
def fide_list(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = get_object_or_404(
        FideList.objects.select_related("received_by", "previous"), pk=pk
    )
    context = {
        "list": shown,
        "findings": list(map(_translated, shown.findings)),
        "job": _job_of(shown),
        **_progress(shown),
    }
    return render(request, "players/office/fide_list.html", context)


def _translated(finding: dict[str, Any]) -> dict[str, Any]:
    """Return a stored issue in the reader's language; old ones have no values."""
    if finding.get("values") is None:
        return finding
    sentence = _(finding["sentence"])
    if finding["values"]:  # without values, it may hold what a person typed
        sentence = sentence.format(**finding["values"])
    hint = _(finding["hint"]) if finding["hint"] else ""
    return finding | {"sentence": sentence, "hint": hint}


@staff_permission_required(PERMISSION)
@require_safe
def progress(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = get_object_or_404(FideList, pk=pk)
    is_done = shown.state != FideList.State.LOADING
    return progress_page(request, shown, is_done=is_done, progress=_progress(shown))


def _job_of(shown: FideList) -> Job | None:
    return Job.objects.filter(kind=IMPORT_FIDE_LIST, key=str(shown.pk)).first()


def _progress(shown: FideList) -> dict[str, object]:
    return progress_context(
        _job_of(shown) if shown.state == FideList.State.LOADING else None,
        poll_url=reverse("players_office:fide_progress", args=[shown.pk]),
        label=_("Import of the {shown}").format(shown=shown),
    )


@staff_permission_required(PERMISSION)
class CancelImport(ActionView[FideList]):
    template_name = "players/office/give_up.html"
    context_object_name = "list"
    success_message = gettext_lazy("Import canceled. None of the list is used.")
    queryset = FideList.objects.all()

    def do(self, data: dict[str, str]) -> object:
        return cancel_import(list_id=self.object.pk, actor=self.request.user, **data)
