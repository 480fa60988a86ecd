"""Uploading FIDE lists, and the progress of their import."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from players.fide.forms import FideListForm
from players.fide.queries import newest_list
from players.fide.services.lists import (
    IMPORT_FIDE_LIST,
    PERMISSION,
    ListUploadRefused,
    cancel_import,
    receive_list,
)
from players.models import FideList
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.pages import action_page, post_data
from ratings_site.common.jobs.progress import progress_context, progress_page
from ratings_site.common.models import Job
from ratings_site.common.ui.pagination import ROWS_PER_PAGE
from ratings_site.common.web.requests import SignedInRequest


@staff_permission_required(PERMISSION)
def fide_lists(request: SignedInRequest) -> HttpResponse:
    """List the FIDE lists, and accept a new one."""
    form = FideListForm()
    status = 200
    if request.method == "POST":
        form = FideListForm(request.POST, request.FILES)
        status = 422
        if form.is_valid() and (received := _receive(request, form)):
            messages.success(request, _("File uploaded. The import has started."))
            return redirect(received)
    lists = FideList.objects.select_related("received_by")
    context = {
        "form": form,
        "page_obj": Paginator(lists, ROWS_PER_PAGE).get_page(request.GET.get("page")),
        "current": newest_list(),
    }
    return render(request, "players/office/fide_lists.html", context, status=status)


def _receive(request: SignedInRequest, form: FideListForm) -> FideList | None:
    data = form.cleaned_data
    try:
        return receive_list(
            actor=request.user,
            name=data["file"].name,
            content=data["file"].chunks(),
            list_date=data["list_date"],
            allow_older=data["allow_older"],
            allow_smaller=data["allow_smaller"],
            reason=data["reason"],
        )
    except ListUploadRefused as refusal:
        form.add_error(None, str(refusal))
        return None


@staff_permission_required(PERMISSION)
def fide_list(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = get_object_or_404(
        FideList.objects.select_related("received_by", "previous"), pk=pk
    )
    context = {"list": shown, "job": _job_of(shown), **_progress(shown)}
    return render(request, "players/office/fide_list.html", context)


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
def cancel(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = get_object_or_404(FideList, pk=pk)
    return action_page(
        request,
        ReasonForm(post_data(request)),
        lambda data: cancel_import(list_id=pk, actor=request.user, **data),
        done=_("Import canceled. None of the list is used."),
        to=shown.get_absolute_url(),
        template="players/office/give_up.html",
        list=shown,
    )
