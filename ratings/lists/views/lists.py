"""The official lists: for everybody to read, and for the office to publish."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.gzip import re_accepts_gzip
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import condition, require_safe

from events.access import for_office
from players.members.queries import by_member_id
from ratings.engine.systems import System
from ratings.ledger.queries.published import list_in_force
from ratings.lists.forms.lists import CompareForm, MonthForm, PublishForm
from ratings.lists.pages import of_preparing, of_publishing
from ratings.lists.queries.official import (
    cut_off_for,
    list_history,
    next_month_due,
    revised_values,
    written_moment,
)
from ratings.lists.queries.rankings import (
    Difference,
    differences,
    differing,
    moves_between,
    turned_to,
)
from ratings.lists.services.lists import MAY_PUBLISH, ListRefused, refuse_month
from ratings.lists.services.summaries import blocking_checks
from ratings.lists.tasks import (
    PUBLISH,
    enqueue_preparation,
    enqueue_publication,
    last_job_for,
)
from ratings.models import ListDraft, OfficialList, OfficialListFile
from ratings.models.official import month_name
from ratings_site.common.accounts.queries import why_not_yours
from ratings_site.common.acts.pages import REFUSALS, refused
from ratings_site.common.looks.figures import About
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE
from ratings_site.common.models import Job, User

CONTENT_TYPES = {
    OfficialListFile.Kind.CSV: "text/csv; charset=utf-8",
    OfficialListFile.Kind.TSV: "text/tab-separated-values; charset=utf-8",
    OfficialListFile.Kind.DBF: "application/x-dbf",
}


@require_safe
def lists(request: HttpRequest) -> HttpResponse:
    files = Prefetch("files", OfficialListFile.objects.defer("content", "compressed"))
    found = OfficialList.objects.prefetch_related(files)
    in_force = list_in_force(timezone.localdate())
    page = Paginator(found, ROWS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "in_force": in_force}
    return render(request, "ratings/lists/lists.html", context)


@require_safe
def official_list(request: HttpRequest, month: date) -> HttpResponse:
    """Show a list, one system at a time, and on demand what was revised since."""
    shown = _list_of(month)
    system = _system_of(request)
    rows = (
        shown.ratings.filter(system=system)
        .select_related("player")
        .order_by("-rating", "player__search_name", "player__member_id")
    )
    page = Paginator(rows, ROWS_ON_A_PAGE).get_page(request.GET.get("page"))
    with_revised = request.GET.get("revised") == "1"
    values = revised_values(page) if with_revised else {}
    context = {
        "list": shown,
        "cut_off": written_moment(shown.cut_off),
        "files": shown.files.defer("content", "compressed"),
        "system": system,
        "systems": _with_totals(shown),
        "page": page,
        "rows": [(row, values.get(row.pk)) for row in page],
        "has_about": any(row.is_about for row in page),
        "with_revised": with_revised,
    }
    return render(request, "ratings/lists/list.html", context)


def _with_totals(shown: OfficialList) -> list[tuple[System, int]]:
    totals: Mapping[str, dict[str, int]] = shown.summary["totals"]
    return [(system, totals.get(system, {}).get("", 0)) for system in System]


def _file_etag(request: HttpRequest, month: date, name: str) -> str:
    # Weak: the same file compressed and not has one tag.
    return f'W/"{_file(month, name).sha256}"'


def _file(month: date, name: str) -> OfficialListFile:
    files = OfficialListFile.objects.defer("content", "compressed")
    found = next(
        (one for one in files.filter(list__month=month) if one.name == name), None
    )
    if found is None:
        raise Http404(_("No file of the list has this name."))
    return found


@require_safe
@condition(etag_func=_file_etag)
def list_file(request: HttpRequest, month: date, name: str) -> HttpResponse:
    """Send a file byte for byte as it was published."""
    found = _file(month, name)
    response = HttpResponse(
        content_type=CONTENT_TYPES[OfficialListFile.Kind(found.kind)],
        headers={
            "Content-Disposition": f'attachment; filename="{found.name}"',
            "Cache-Control": "public, max-age=31536000, immutable",
            "Vary": "Accept-Encoding",
        },
    )
    takes_gzip = re_accepts_gzip.search(request.headers.get("Accept-Encoding", ""))
    # To compress it for each reader would take longer than all else.
    if takes_gzip and found.compressed is not None:
        response["Content-Encoding"] = "gzip"
        response.content = bytes(found.compressed)
    else:
        response.content = bytes(found.content)
    return response


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Lay two lists side by side, by whole numbers."""
    found = list(OfficialList.objects.all())
    if len(found) < 2:
        return render(request, "ratings/lists/compare.html", {"form": None})
    later, earlier = found[:2]
    start = {"a": earlier.slug, "b": later.slug, "system": System.OTBR.value}
    form = CompareForm({**start, **request.GET.dict()}, lists=found)
    context: dict[str, Any] = {"form": form}
    if not form.is_valid():
        return render(request, "ratings/lists/compare.html", context, status=422)
    said = form.cleaned_data
    earlier, later = form.lists[said["a"]], form.lists[said["b"]]
    system = System(said["system"])
    kind = Difference(said["show"] or Difference.CHANGED)
    found = differences(later, earlier, system)
    rows = differing(later, earlier, system, kind)
    if said["state"]:
        rows = rows.filter(state=said["state"])
    if kind in (Difference.NEW, Difference.DROPPED):
        page = Paginator(rows, ROWS_ON_A_PAGE).get_page(request.GET.get("page"))
    else:
        moves = found.moves
        if said["state"]:
            moves = moves_between(earlier, later, system, state=said["state"])
        page = turned_to(rows, request.GET.get("page"), moves, kind)
    context |= {
        "earlier": earlier,
        "later": later,
        "system": system,
        "kind": kind,
        "counts": found.counts(),
        "page": page,
    }
    return render(request, "ratings/lists/compare.html", context)


@require_safe
def lists_of_player(request: HttpRequest, member_id: str) -> HttpResponse:
    """Show all lists a member was on, with what was revised since."""
    player = by_member_id(member_id)
    if player is None:
        raise Http404(_("No member has this ID."))
    history = list_history(player)
    played = {system for line in history for system in line.values}
    systems = [system for system in System if system in played]
    context = {
        "player": player,
        "list_history": [(line.list, line.in_systems(systems)) for line in history],
        "has_about": any(
            isinstance(one.rating, About)
            for line in history
            for one in line.values.values()
        ),
        "systems": systems,
    }
    return render(request, "ratings/lists/player.html", context)


def _list_of(month: date) -> OfficialList:
    found = OfficialList.objects.filter(month=month).first()
    if found is None:
        raise Http404(
            _("There is no official list of {month_name}.").format(
                month_name=month_name(month)
            )
        )
    return found


def _system_of(request: HttpRequest) -> System:
    """Return the system the address names, regular for nonsense."""
    try:
        return System(request.GET.get("system", ""))
    except ValueError:
        return System.OTBR


# The office


@for_office
def office_lists(request: HttpRequest) -> HttpResponse:
    """Show drafts and published lists, and prepare another one."""
    due = next_month_due(timezone.now())
    sent = request.POST if request.method == "POST" else None
    form = MonthForm(sent, initial={"month": due})
    if form.is_valid():
        month = form.cleaned_data["month"]
        try:
            refuse_month(month)
        except ListRefused as refusal:
            form.add_error("month", str(refusal))
        else:
            enqueue_preparation(month, actor=request.user)
            return redirect("ratings:office_list", month=month)
    published = OfficialList.objects.select_related("published_by")
    newest = published.first()
    context = {
        "form": form,
        "effects": of_preparing(),
        "due": due,
        "due_cut_off": written_moment(cut_off_for(due)),
        "is_due": newest is None or newest.month < due,
        "drafts": _unpublished(newest),
        "page": Paginator(published, ROWS_ON_A_PAGE).get_page(request.GET.get("page")),
    }
    status = 422 if form.is_bound else 200
    return render(request, "ratings/lists/office.html", context, status=status)


def _unpublished(newest: OfficialList | None) -> list[ListDraft]:
    drafts = ListDraft.objects.select_related("prepared_by")
    return list(drafts.filter(month__gt=newest.month) if newest else drafts)


@for_office
def office_list(request: HttpRequest, month: date) -> HttpResponse:
    """Show the draft of a list with its checks, and publish it with a reason."""
    published = OfficialList.objects.filter(month=month).first()
    job = last_job_for(month)
    if published is None and job is not None and job.state in Job.OPEN_STATES:
        return _working(request, month, job)
    if request.htmx:
        return HttpResponse(headers={"HX-Refresh": "true"})
    if published is not None:
        return _published(request, published)
    draft = ListDraft.objects.filter(month=month).first()
    if draft is None:
        return _nothing_prepared(request, month, job)
    failed = job if job and job.state == Job.State.FAILED else None
    sent = request.POST if request.method == "POST" else None
    again = {"digest": draft.digest, "reason": _reason_of(failed, request.user)}
    form, status = PublishForm(sent, initial=again), 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                enqueue_publication(draft, actor=request.user, **form.cleaned_data)
            except REFUSALS as refusal:
                status = refused(form, refusal, digest=draft.digest)
            else:
                return redirect("ratings:office_list", month=month)
    context = {
        **_preview(draft),
        "form": form,
        "failed": failed,
        "effects": of_publishing(draft),
        "not_now": " ".join(blocking_checks()),
        "not_yours": why_not_yours(request.user, MAY_PUBLISH),
    }
    return render(request, "ratings/lists/office_list.html", context, status=status)


def _reason_of(failed: Job | None, user: User) -> str:
    """Return what somebody wrote for a publication that then failed."""
    if failed is None or failed.kind != PUBLISH or failed.args["actor"] != user.pk:
        return ""
    return failed.args["reason"]


def _published(request: HttpRequest, published: OfficialList) -> HttpResponse:
    """Lead to a list that is out; what was written for it meanwhile is shown."""
    if request.method != "POST":
        return redirect(published)
    context = {
        "sentence": _("The list of {name} is published already.").format(
            name=published.name
        ),
        "url": published.get_absolute_url(),
        "place": published.name,
    }
    return render(request, "common/not_now.html", context, status=409)


def _preview(draft: ListDraft) -> dict[str, Any]:
    summary = draft.summary
    return {
        "draft": draft,
        "summary": summary,
        "name": month_name(draft.month),
        "previous": _name_of(summary["previous"]),
        "cut_off": written_moment(draft.cut_off),
        "members_since": date.fromisoformat(summary["members_since"]),
        "is_blocked": any(check["level"] == "error" for check in summary["checks"]),
        "systems": [(System(one["system"]), one) for one in summary["systems"]],
        "largest": [
            (System(one["system"]), one, one["after"] - one["before"])
            for one in summary["largest"]
        ],
    }


def _name_of(slug: str) -> str:
    """Return 2026-12 as "December 2026"; nothing for nothing."""
    return month_name(date.fromisoformat(f"{slug}-01")) if slug else ""


def _nothing_prepared(
    request: HttpRequest, month: date, job: Job | None
) -> HttpResponse:
    if job is None:
        raise Http404(
            _("No list of {month_name} has been prepared.").format(
                month_name=month_name(month)
            )
        )
    context = {"name": month_name(month), "month": month, "failed": job}
    return render(request, "ratings/lists/office_list.html", context)


def _working(request: HttpRequest, month: date, job: Job) -> HttpResponse:
    """Show that the worker is at it; htmx asks again until it is done."""
    context = {
        "name": month_name(month),
        "month": month,
        "sentence": _("The list is being published.")
        if job.kind == PUBLISH
        else _("The list is being prepared."),
    }
    part = "progress" if request.htmx else "working"
    status = 409 if request.method == "POST" else 200
    return render(request, f"ratings/lists/{part}.html", context, status=status)
