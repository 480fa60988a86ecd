"""The official lists: public pages, and the office's pages to publish them."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db.models import Prefetch, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from events.access import office_required
from players.members.queries import PLAYER_BY_NAME, get_member
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import list_in_force
from ratings.lists.forms.lists import CompareForm, ListFilter, MonthForm, PublishForm
from ratings.lists.months import months_before
from ratings.lists.pages import approval_line, preview_preparing, preview_publishing
from ratings.lists.queries.official import (
    cut_off_for,
    latest_list,
    list_history,
    next_month_due,
    revised_values,
    written_moment,
)
from ratings.lists.queries.open_lists import stored_files
from ratings.lists.queries.rankings import (
    Difference,
    changed_ratings,
    count_differences,
    gains_between,
    page_of_changes,
)
from ratings.lists.services.lists import (
    MAY_PUBLISH,
    ListRefused,
    check_month,
    next_correction,
)
from ratings.lists.services.summaries import blocking_checks
from ratings.lists.tables import (
    ChangeTable,
    MemberListTable,
    OfficialListsTable,
    OfficialListTable,
)
from ratings.lists.tasks import (
    PUBLISH,
    enqueue_preparation,
    last_job_for,
    proposal_for,
    request_publication,
)
from ratings.models import ListDraft, OfficialList, OfficialListFile
from ratings.models.official import month_name
from ratings_site.common.accounts.queries import denial_reason
from ratings_site.common.approvals.pages import REFUSALS, EditView, post_data, refused
from ratings_site.common.jobs.progress import working_page
from ratings_site.common.models import Job, PendingAct, User
from ratings_site.common.ui.formatting import ApproximateRating
from ratings_site.common.ui.pagination import paginate, sort_and_paginate
from ratings_site.common.web.files import csv_download
from ratings_site.common.web.requests import SignedInRequest, choice_or


@require_safe
def lists(request: HttpRequest) -> HttpResponseBase:
    monthly = stored_files().filter(kind__in=OfficialListFile.MONTHLY)
    files = Prefetch("files", monthly)
    found = OfficialList.objects.with_withdrawn().prefetch_related(files)
    table = OfficialListsTable(found)
    if file := csv_download(request, table, "official-lists"):
        return file
    sort_and_paginate(request, table)
    table.in_force = list_in_force(timezone.localdate())
    return render(request, "ratings/lists/lists.html", {"table": table})


@require_safe
def official_list(request: HttpRequest, month: date) -> HttpResponseBase:
    """Show a list, one system at a time, with revisions on request."""
    versions = list(OfficialList.objects.filter(month=month))
    shown = _version(versions, month, request.GET.get("correction", ""))
    system = choice_or(System, request.GET.get("system"), System.OTBR)
    rows = (
        shown.ratings.filter(system=system)
        .select_related("player")
        .order_by("-rating", *PLAYER_BY_NAME)
    )
    totals = dict(_with_totals(shown))
    form = ListFilter(request.GET, lists=[shown])
    form.is_valid()
    table = OfficialListTable(form.narrowed(rows))
    name = f"{shown.key}-{system.lower()}"
    if file := csv_download(request, table, name):
        return file
    total = None if form.is_filtered else totals[system]
    sort_and_paginate(request, table, total=total)
    with_revised = request.GET.get("revised") == "1"
    if with_revised:
        table.revised_values = revised_values([one.record for one in table.page])
    else:
        table.columns.hide("revised")
    context = {
        "list": shown,
        "corrected": next((one for one in versions if _is_next(one, shown)), None),
        "withdrawn_by": next((one for one in versions if _is_next(shown, one)), None),
        "newest": versions[0],
        "cut_off": written_moment(shown.cut_off),
        "files": stored_files().filter(list=shown),
        "system": system,
        "systems": totals.items(),
        "form": form,
        "table": table,
        "has_about": any(one.record.is_about for one in table.page),
        "with_revised": with_revised,
    }
    return render(request, "ratings/lists/list.html", context)


def _with_totals(shown: OfficialList) -> list[tuple[System, int]]:
    totals: Mapping[str, dict[str, int]] = shown.summary["totals"]
    return [(system, totals.get(system, {}).get("", 0)) for system in System]


@require_safe
def compare(request: HttpRequest) -> HttpResponseBase:
    """Compare two lists, in whole numbers."""
    found = list(OfficialList.objects.effective())
    if len(found) < 2:
        return render(request, "ratings/lists/compare.html", {"form": None})
    later, earlier = found[:2]
    start = {"a": earlier.slug, "b": later.slug, "system": System.OTBR.value}
    form = CompareForm({**start, **request.GET.dict()}, lists=found)
    context: dict[str, Any] = {"form": form}
    if not form.is_valid():
        return render(request, "ratings/lists/compare.html", context, status=422)
    cleaned = form.cleaned_data
    earlier, later = form.lists[cleaned["a"]], form.lists[cleaned["b"]]
    system = System(cleaned["system"])
    kind = Difference(cleaned["show"] or Difference.CHANGED)
    gains = gains_between(earlier, later, system)
    counts = count_differences(gains, earlier, system)
    rows = changed_ratings(later, earlier, system, kind)
    if cleaned["state"]:
        rows = rows.filter(state=cleaned["state"])
    order = ChangeTable.sort_fields(request)
    if kind in (Difference.NEW, Difference.DROPPED):
        page = paginate(request, rows.order_by(*order) if order else rows)
    else:
        if cleaned["state"]:
            gains = gains_between(earlier, later, system, state=cleaned["state"])
        page = page_of_changes(rows, request.GET.get("page"), gains, kind, order)
    table = ChangeTable.of_page(request, page, earlier=earlier, later=later)
    name = f"changes-{system.lower()}-{earlier.key}-{later.key}"
    whole = rows.order_by(*order) if order else rows
    if file := csv_download(request, table, name, whole):
        return file
    context |= {
        "earlier": earlier,
        "later": later,
        "system": system,
        "kind": kind,
        "counts": counts,
        "table": table,
    }
    return render(request, "ratings/lists/compare.html", context)


@require_safe
def lists_of_player(request: HttpRequest, member_id: str) -> HttpResponseBase:
    """Show all lists a member was on, with revisions since."""
    player = get_member(member_id)
    if player is None:
        raise Http404(_("No member has this ID."))
    history = list_history(player)
    values = [value for line in history for value in line.values.values()]
    played = {system for line in history for system in line.values}
    table = MemberListTable(history, [one for one in System if one in played])
    if file := csv_download(request, table, f"official-ratings-{player.member_id}"):
        return file
    sort_and_paginate(request, table)
    about = any(isinstance(one.rating, ApproximateRating) for one in values)
    context = {"player": player, "table": table, "has_about": about}
    return render(request, "ratings/lists/player.html", context)


def _is_next(one: OfficialList, other: OfficialList) -> bool:
    return bool(one.correction + 1 == other.correction)


def _version(
    versions: list[OfficialList], month: date, correction: str
) -> OfficialList:
    """Return the requested version of a month's list, or else the effective one."""
    named = [one for one in versions if str(one.correction) == correction]
    found = next(iter([*named, *versions]), None)
    if found is None:
        raise Http404(
            _("There is no official rating list for {month_name}.").format(
                month_name=month_name(month)
            )
        )
    return found


# The office


@office_required
class OfficeLists(EditView[None]):
    """Show drafts and published lists, and prepare another one."""

    form_class = MonthForm
    template_name = "ratings/lists/office.html"
    error_field = "month"

    def get_initial(self) -> dict[str, Any]:
        """Begin with the month that is due, or the one after the newest list."""
        due, newest = next_month_due(timezone.now()), latest_list()
        return {"month": max(due, months_before(newest.month, -1)) if newest else due}

    def do(self, data: dict[str, Any]) -> HttpResponse:
        month = data["month"]
        check_month(month)
        enqueue_preparation(month, actor=self.request.user)
        return redirect("ratings:office_list", month=month)

    def context(self) -> dict[str, Any]:
        due = next_month_due(timezone.now())
        published = OfficialList.objects.with_withdrawn().select_related("published_by")
        newest = published.first()
        return {
            "effects": preview_preparing(),
            "due": due,
            "due_cut_off": written_moment(cut_off_for(due)),
            "is_due": newest is None or newest.month < due,
            "newest": newest,
            "drafts": _unpublished(newest),
            "page": paginate(self.request, published),
        }


def _unpublished(newest: OfficialList | None) -> list[ListDraft]:
    drafts = ListDraft.objects.select_related("prepared_by")
    if newest is None:
        return list(drafts)
    corrects = Q(month=newest.month, correction__gt=newest.correction)
    return list(drafts.filter(Q(month__gt=newest.month) | corrects))


@office_required
@require_POST
def correct(request: SignedInRequest, month: date) -> HttpResponse:
    """Start preparing a correction of the newest list."""
    try:
        enqueue_preparation(
            month, actor=request.user, correction=next_correction(month)
        )
    except ListRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("ratings:office_lists")
    return redirect("ratings:office_list", month=month)


@office_required
def office_list(request: SignedInRequest, month: date) -> HttpResponse:
    """Show the draft of a list with its checks, and publish it with a reason."""
    published = OfficialList.objects.filter(month=month).first()
    job = last_job_for(month)
    if job and (page := working_page(request, job, *_progress_words(month, job))):
        return page
    draft = ListDraft.objects.filter(month=month).first()
    if published is not None and not _corrects(draft, published):
        return _already_published_page(request, published)
    if draft is None:
        return _no_draft_page(request, month, job)
    failed = job if job and job.state == Job.State.FAILED else None
    again = {"digest": draft.digest, "reason": _failed_reason(failed, request.user)}
    form, status = PublishForm(post_data(request), initial=again), 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                done = request_publication(
                    draft, actor=request.user, **form.cleaned_data
                )
            except REFUSALS as refusal:
                status = refused(form, refusal, digest=draft.digest)
            else:
                if isinstance(done, PendingAct):
                    messages.success(
                        request, _("The list is awaiting a second approval.")
                    )
                return redirect("ratings:office_list", month=month)
    context = {
        **_preview(draft),
        "form": form,
        "failed": failed,
        "proposal": proposal_for(month),
        "second_person": settings.LIST_SECOND_PERSON,
        "effects": [*preview_publishing(draft), approval_line(request.user)],
        "not_now": " ".join(blocking_checks()),
        "not_yours": denial_reason(request.user, MAY_PUBLISH),
    }
    return render(request, "ratings/lists/office_list.html", context, status=status)


def _corrects(draft: ListDraft | None, published: OfficialList) -> bool:
    return draft is not None and draft.correction > published.correction


def _failed_reason(failed: Job | None, user: User) -> str:
    """Return the reason that this user entered for a publication that then failed."""
    if failed is None or failed.kind != PUBLISH or failed.args["actor"] != user.pk:
        return ""
    return str(failed.args["reason"])


def _already_published_page(
    request: HttpRequest, published: OfficialList
) -> HttpResponse:
    """Link to the published list, and show the text that the user entered meanwhile."""
    if request.method != "POST":
        return redirect(published)
    context = {
        "sentence": _("The {name} list is already published.").format(
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
    """Return 2026-12 as "December 2026", "" for ""."""
    return month_name(date.fromisoformat(f"{slug}-01")) if slug else ""


def _no_draft_page(request: HttpRequest, month: date, job: Job | None) -> HttpResponse:
    if job is None:
        raise Http404(
            _("No {month_name} list has been prepared.").format(
                month_name=month_name(month)
            )
        )
    context = {"name": month_name(month), "month": month, "failed": job}
    return render(request, "ratings/lists/office_list.html", context)


def _progress_words(month: date, job: Job) -> tuple[str, str]:
    return _("{name} list").format(name=month_name(month)), (
        _("The list is being published.")
        if job.kind == PUBLISH
        else _("The list is being prepared.")
    )
