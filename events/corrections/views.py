"""Pages for corrections: request, confirm, decide, and the public history."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from events.access import can_request_corrections, is_office, is_td_of, office_required
from events.corrections.forms import (
    FORMS,
    AnswerForm,
    ApproveForm,
    ChangeForm,
    RefuseForm,
)
from events.corrections.pages import (
    answer_preview,
    approval_preview,
    chip_of,
    names_in,
    plain_rows,
    refusal_preview,
    request_preview,
    restatement_preview,
    row_comparisons,
)
from events.corrections.queries import (
    decided_requests,
    history_of,
    is_overdue,
    open_requests,
    playing_directors,
    request_by_pk,
    requests_concerning,
    section_at,
    version_of,
)
from events.corrections.services.requests import (
    DECIDE,
    answer_correction,
    approve_correction,
    ask_for_correction,
    closed_message,
    correction_denial_reason,
    refuse_correction,
    restate_correction,
    withdraw_correction,
)
from events.corrections.services.reviews import review_request
from events.models import CorrectionRequest, Section
from events.models.correction import within_sentence
from events.models.documents import SectionDocument
from events.records.exceptions import NotPossible, VersionConflict
from events.records.services.versions import document_of
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.accounts.queries import denial_reason
from ratings_site.common.approvals.pages import refused
from ratings_site.common.audit.log import lines
from ratings_site.common.audit.services import entries_about
from ratings_site.common.dashboard.queries import age
from ratings_site.common.web.requests import SignedInRequest

ON_A_PAGE = 50
LATEST_DECISIONS = 20

Kind = CorrectionRequest.Kind
# Kinds about one player, linked from a row of the crosstable.
ROW_KINDS = (Kind.RESULT, Kind.MEMBER_ID, Kind.PLAYER)

View = Callable[..., HttpResponse]


def member_required(view: View) -> View:
    """Allow members, TDs and staff only; the response is never cached."""

    @never_cache
    @login_required
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        if not can_request_corrections(request.user):
            raise PermissionDenied(
                _(
                    "Only members, TDs, and clerks can ask for corrections. Link your "
                    "account to your membership first."
                )
            )
        return view(request, **kwargs)

    return guarded


def _section(event_id: str, number: int) -> Section:
    section = section_at(event_id, number)
    if section is None:
        raise Http404(_("There’s no section at this address."))
    return section


def _place(request: SignedInRequest) -> dict[str, int]:
    """Return the row and round in the address."""
    return {
        name: int(text)
        for name in ("row", "round")
        if (text := request.GET.get(name, "")).isascii()
        and text.isdecimal()
        and len(text) <= 4
    }


# Asking


@member_required
def ask(request: SignedInRequest, event_id: str, number: int) -> HttpResponse:
    """Choose the kind of error, then enter the correct values."""
    section = _section(event_id, number)
    if sentence := correction_denial_reason(section):
        messages.error(request, sentence)
        return redirect(section)
    document = document_of(section)
    kind = request.GET.get("kind", "")
    if kind not in FORMS:
        return _choose(request, section, document)
    form = _change_form(request, kind, section, document)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                asked = ask_for_correction(
                    section=section,
                    kind=kind,
                    change=form.change(),
                    text=form.cleaned_data["text"],
                    version=form.cleaned_data["version"],
                    actor=request.user,
                )
            except (NotPossible, VersionConflict) as refusal:
                status = refused(form, refusal, version=section.version)
            else:
                messages.success(request, _success_message(asked))
                return redirect(asked)
    context = {
        "section": section,
        "event": section.event,
        "form": form,
        "label": Kind(kind).label,
        "effects": request_preview(section, request.user),
    }
    return render(request, "events/corrections/ask.html", context, status=status)


def _change_form(
    request: SignedInRequest, kind: str, section: Section, document: SectionDocument
) -> ChangeForm:
    return FORMS[kind](
        request.POST if request.method == "POST" else None,
        document=document,
        place=_place(request),
        initial={"version": section.version},
    )


def _choose(
    request: SignedInRequest, section: Section, document: SectionDocument
) -> HttpResponse:
    row = _place(request).get("row") or 0
    only = {row} if document.entry(row) else None
    context = {
        "section": section,
        "event": section.event,
        "rows": plain_rows(document, names_in(document), only=only),
        "rounds": range(1, document.rounds + 1),
        "is_one_row": only is not None,
        "kinds": [(kind, kind.label) for kind in Kind if kind not in ROW_KINDS],
    }
    return render(request, "events/corrections/choose.html", context)


def _success_message(asked: CorrectionRequest) -> str:
    if asked.state == CorrectionRequest.State.CONFIRMED:
        return _(
            "Correction requested. You’re the TD, so it’s confirmed; the office "
            "decides next."
        )
    return _("Correction requested. We’ve asked the tournament director to confirm it.")


# The request


@member_required
def my_corrections(request: SignedInRequest) -> HttpResponse:
    requests = requests_concerning(request.user)
    page = Paginator(requests, ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page_obj": page,
        "rows": [(one, chip_of(one)) for one in page],
    }
    return render(request, "events/corrections/mine.html", context)


def _request_for(request: SignedInRequest, pk: int) -> CorrectionRequest:
    """Return the user's request, one of their event, or any for the office."""
    found = request_by_pk(pk)
    if found is None or not (
        found.asked_by_id == request.user.pk
        or is_office(request.user)
        or is_td_of(request.user, found.section)
    ):
        raise Http404(_("You have no request with this number."))
    return found


@member_required
def correction(request: SignedInRequest, pk: int) -> HttpResponse:
    return _correction_page(request, _request_for(request, pk), AnswerForm())


def _correction_page(
    request: SignedInRequest,
    found: CorrectionRequest,
    form: AnswerForm,
    *,
    refusal: object = "",
    status: int = 200,
) -> HttpResponse:
    """Show a request; with a *refusal*, also the submitted text to copy."""
    may_answer = found.is_open and is_td_of(request.user, found.section)
    context = {
        "correction": found,
        "section": found.section,
        "event": found.section.event,
        "chip": chip_of(found),
        "form": form if may_answer else None,
        "refusal": refusal,
        "effects": answer_preview(),
        "may_withdraw": found.is_open and found.asked_by_id == request.user.pk,
        "may_decide": found.is_open and request.user.has_perm(DECIDE),
        "history": lines(list(entries_about(found).order_by("pk"))),
    }
    return render(request, "events/corrections/correction.html", context, status=status)


@require_POST
@member_required
def answer(request: SignedInRequest, pk: int) -> HttpResponse:
    """Confirm or object, as the TD."""
    found = _request_for(request, pk)
    form = AnswerForm(request.POST)
    if not form.is_valid():
        return _correction_page(request, found, form, status=422)
    try:
        answer_correction(
            request_id=pk,
            agrees=form.cleaned_data["answer"] == "confirm",
            note=form.cleaned_data["note"],
            actor=request.user,
        )
    except (NotPossible, NotAllowed) as refusal:
        return _refused_page(request, found, refusal)
    messages.success(request, _("Thank you. The office will read your answer."))
    return redirect(found)


def _refused_page(
    request: SignedInRequest, found: CorrectionRequest, refusal: object
) -> HttpResponse:
    """Show the request with the reason why its form was refused."""
    found = _request_for(request, found.pk)
    status = 403 if isinstance(refusal, NotAllowed) else 409
    return _correction_page(
        request, found, AnswerForm(), refusal=refusal, status=status
    )


@require_POST
@member_required
def withdraw(request: SignedInRequest, pk: int) -> HttpResponse:
    found = _request_for(request, pk)
    try:
        withdraw_correction(request_id=pk, actor=request.user)
    except NotPossible as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(request, _("Request withdrawn. The section doesn’t change."))
    return redirect(found)


# The office


@office_required
def queue(request: SignedInRequest) -> HttpResponse:
    now = timezone.now()
    page = Paginator(open_requests(), ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page_obj": page,
        "rows": [
            (one, chip_of(one), age(one.asked_at, now), is_overdue(one, now))
            for one in page
        ],
        "decided": [
            (one, chip_of(one)) for one in decided_requests()[:LATEST_DECISIONS]
        ],
    }
    return render(request, "events/corrections/queue.html", context)


@office_required
def decide(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show the differences, findings and rating effects; approve."""
    found = _request_for(request, pk)
    if not found.is_open:
        return _closed(request, found)
    form = ApproveForm(
        request.POST if request.method == "POST" else None,
        is_confirmed=found.state == CorrectionRequest.State.CONFIRMED,
        initial={"version": found.section.version},
    )
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                approve_correction(
                    request_id=pk,
                    version=form.cleaned_data["version"],
                    public_note=form.cleaned_data["public_note"],
                    reason=form.cleaned_data["reason"],
                    actor=request.user,
                )
            except (NotPossible, VersionConflict, NotAllowed) as refusal:
                found = _request_for(request, pk)
                if not found.is_open:
                    return _refused_page(request, found, refusal)
                status = refused(form, refusal, version=found.section.version)
            else:
                messages.success(
                    request,
                    _("Section corrected. Ratings update with the next rerate."),
                )
                return redirect(found)
    return _decide_page(
        request, found, approve=form, refuse=RefuseForm(), status=status
    )


def _closed(request: SignedInRequest, found: CorrectionRequest) -> HttpResponse:
    """Redirect from a decided request to its page; show any submitted text."""
    if request.method == "POST":
        return _refused_page(request, found, closed_message(found))
    return redirect(found)


def _decide_page(
    request: SignedInRequest,
    found: CorrectionRequest,
    *,
    approve: ApproveForm,
    refuse: RefuseForm,
    status: int,
) -> HttpResponse:
    result = review_request(found)
    rows = row_comparisons(result.before, result.after)
    context = {
        "correction": found,
        "section": found.section,
        "event": found.section.event,
        "chip": chip_of(found),
        "review": result,
        "rows": rows,
        "rounds": range(1, result.after.rounds + 1),
        "approve": approve,
        "refuse": refuse,
        "playing": playing_directors(
            found,
            {row.member_id for pair in rows for row in (pair.before, pair.after)},
        ),
        "may_decide": request.user.has_perm(DECIDE),
        "not_yours": denial_reason(request.user, DECIDE),
        "effects": approval_preview(found, result) if result.is_possible else (),
        "refusing": refusal_preview(),
        "kinds": [
            (kind, within_sentence(kind.label)) for kind in Kind if kind != Kind.OTHER
        ],
    }
    return render(request, "events/corrections/decide.html", context, status=status)


@require_POST
@office_required
def refuse(request: SignedInRequest, pk: int) -> HttpResponse:
    found = _request_for(request, pk)
    if not found.is_open:
        return _closed(request, found)
    form, status = RefuseForm(request.POST), 422
    if form.is_valid():
        try:
            refuse_correction(
                request_id=pk, reason=form.cleaned_data["reason"], actor=request.user
            )
        except NotPossible as refusal:
            return _refused_page(request, found, refusal)
        except NotAllowed as refusal:
            status = refused(form, refusal)
        else:
            messages.success(
                request,
                _(
                    "Request declined. The person who asked and the TD will "
                    "see your reason."
                ),
            )
            return redirect(found)
    unbound = ApproveForm(is_confirmed=True, initial={"version": found.section.version})
    return _decide_page(request, found, approve=unbound, refuse=form, status=status)


@office_required
def restate(request: SignedInRequest, pk: int) -> HttpResponse:
    """Restate a request as another change."""
    found = _request_for(request, pk)
    kind = request.GET.get("kind", "")
    if not found.is_open:
        return _closed(request, found)
    if kind not in FORMS or kind == Kind.OTHER:
        raise Http404(_("Choose what to change on the request’s page."))
    section = found.section
    form = _change_form(request, kind, section, document_of(section))
    form.require_staff_reason()
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                restate_correction(
                    request_id=pk,
                    kind=kind,
                    change=form.change(),
                    version=form.cleaned_data["version"],
                    reason=form.cleaned_data["text"],
                    actor=request.user,
                )
            except (NotPossible, VersionConflict, NotAllowed) as refusal:
                found = _request_for(request, pk)
                if not found.is_open:
                    return _refused_page(request, found, refusal)
                status = refused(form, refusal, version=found.section.version)
            else:
                messages.success(
                    request, _("Request changed. We’ve asked the TD to confirm it.")
                )
                return redirect("events:decide_correction", pk=pk)
    context = {
        "correction": found,
        "section": section,
        "event": section.event,
        "form": form,
        "label": Kind(kind).label,
        "effects": restatement_preview(found, request.user),
        "not_yours": denial_reason(request.user, DECIDE),
    }
    return render(request, "events/corrections/restate.html", context, status=status)


# Public pages


@require_safe
def history(request: HttpRequest, event_id: str, number: int) -> HttpResponse:
    """Show all versions of a section with their differences."""
    section = _section(event_id, number)
    context = {
        "section": section,
        "event": section.event,
        "lines": history_of(section)[::-1],
    }
    return render(request, "events/corrections/history.html", context)


@require_safe
def old_version(
    request: HttpRequest, event_id: str, number: int, version: int
) -> HttpResponse:
    """Show the results of one version of a section."""
    section = _section(event_id, number)
    found = version_of(section, version)
    if found is None:
        raise Http404(_("This section has no version with this number."))
    document = SectionDocument.from_text(found.document)
    context = {
        "section": section,
        "event": section.event,
        "version": found,
        "document": document,
        "rows": plain_rows(document, names_in(document)),
        "rounds": range(1, document.rounds + 1),
        "is_newest": found.number == section.version,
    }
    return render(request, "events/corrections/version.html", context)
