"""FIDE lists: sending one, and how its import goes."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from players.fide.forms import FideListForm
from players.fide.jobs import IMPORT_FIDE_LIST, import_job_key
from players.fide.queries import newest_list
from players.fide.services.lists import (
    PERMISSION,
    ListNotTaken,
    give_up_list,
    receive_list,
)
from players.models import FideList
from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.acts.pages import act_page, posted
from ratings_site.common.jobs.pages import progress_of, progress_page
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE
from ratings_site.common.models import Job


@for_staff(PERMISSION)
def fide_lists(request: HttpRequest) -> HttpResponse:
    """Show the lists, and take another one."""
    form = FideListForm()
    status = 200
    if request.method == "POST":
        form = FideListForm(request.POST, request.FILES)
        status = 422
        if form.is_valid() and (received := _receive(request, form)):
            messages.success(request, _("The file is kept, and is being read."))
            return redirect(received)
    lists = FideList.objects.select_related("received_by")
    context = {
        "form": form,
        "page_obj": Paginator(lists, ROWS_ON_A_PAGE).get_page(request.GET.get("page")),
        "current": newest_list(),
    }
    return render(request, "players/office/fide_lists.html", context, status=status)


def _receive(request: HttpRequest, form: FideListForm) -> FideList | None:
    said = form.cleaned_data
    try:
        return receive_list(
            actor=request.user,
            name=said["file"].name,
            content=said["file"].chunks(),
            list_date=said["list_date"],
            allow_older=said["allow_older"],
            allow_smaller=said["allow_smaller"],
            reason=said["reason"],
        )
    except ListNotTaken as refusal:
        form.add_error(None, str(refusal))
        return None


@for_staff(PERMISSION)
def fide_list(request: HttpRequest, pk: int) -> HttpResponse:
    shown = get_object_or_404(
        FideList.objects.select_related("received_by", "previous"), pk=pk
    )
    context = {"list": shown, "job": _job_of(shown), **_progress(shown)}
    return render(request, "players/office/fide_list.html", context)


@for_staff(PERMISSION)
@require_safe
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    shown = get_object_or_404(FideList, pk=pk)
    is_done = shown.state != FideList.State.LOADING
    return progress_page(request, shown, is_done=is_done, progress=_progress(shown))


def _job_of(shown: FideList) -> Job | None:
    return Job.objects.filter(
        kind=IMPORT_FIDE_LIST, key=import_job_key(shown.pk)
    ).first()


def _progress(shown: FideList) -> dict[str, object]:
    return progress_of(
        _job_of(shown) if shown.state == FideList.State.LOADING else None,
        poll_url=reverse("players_office:fide_progress", args=[shown.pk]),
        label=_("Import of the {shown}").format(shown=shown),
    )


@for_staff(PERMISSION)
def give_up(request: HttpRequest, pk: int) -> HttpResponse:
    shown = get_object_or_404(FideList, pk=pk)
    return act_page(
        request,
        ReasonForm(posted(request)),
        lambda said: give_up_list(list_id=pk, actor=request.user, **said),
        done=_("Given up. Nothing of the list counts."),
        to=shown.get_absolute_url(),
        template="players/office/give_up.html",
        list=shown,
    )
