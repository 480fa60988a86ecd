"""Corrections: ask, confirm, decide; and what everybody may see of them."""

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

from events.access import for_office, is_office, is_td_of, may_ask
from events.books.refusals import NotPossible, Outdated
from events.books.services.versions import document_of
from events.corrections.forms import (
    FORMS,
    AnswerForm,
    ApproveForm,
    ChangeForm,
    RefuseForm,
)
from events.corrections.pages import (
    chip_of,
    compared_rows,
    names_in,
    of_answering,
    of_approving,
    of_asking,
    of_refusing,
    of_restating,
    plain_rows,
)
from events.corrections.queries import (
    decided_requests,
    directors_who_play,
    history_of,
    is_overdue,
    open_requests,
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
    refuse_correction,
    restate_correction,
    why_closed,
    why_not_correct,
    withdraw_correction,
)
from events.corrections.services.reviews import review_request
from events.models import CorrectionRequest, Section
from events.models.correction import within_sentence
from events.models.documents import SectionDocument
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.accounts.queries import why_not_yours
from ratings_site.common.acts.pages import refused
from ratings_site.common.audit.log import lines
from ratings_site.common.audit.services import entries_about
from ratings_site.common.desk.queries import age

ON_A_PAGE = 50
LATEST_DECISIONS = 20

Kind = CorrectionRequest.Kind
# Kinds that speak of one player, and are reached from a row of the crosstable.
OF_A_ROW = (Kind.RESULT, Kind.MEMBER_ID, Kind.PLAYER)

View = Callable[..., HttpResponse]


def for_members(view: View) -> View:
    """Let members, TDs and staff through; nothing here is for caches."""

    @never_cache
    @login_required
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        if not may_ask(request.user):
            raise PermissionDenied(
                _(
                    "Only members, tournament directors and staff can ask for "
                    "corrections."
                )
            )
        return view(request, **kwargs)

    return guarded


def _section(event_id: str, number: int) -> Section:
    section = section_at(event_id, number)
    if section is None:
        raise Http404(_("No section of an event has this address."))
    return section


def _place(request: HttpRequest) -> dict[str, int]:
    """Return the row and round that the address points at."""
    return {
        name: int(text)
        for name in ("row", "round")
        if (text := request.GET.get(name, "")).isascii()
        and text.isdecimal()
        and len(text) <= 4
    }


# Asking


@for_members
def ask(request: HttpRequest, event_id: str, number: int) -> HttpResponse:
    """Choose what is wrong, then say how it should read."""
    section = _section(event_id, number)
    if sentence := why_not_correct(section):
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
            except (NotPossible, Outdated) as refusal:
                status = refused(form, refusal, version=section.version)
            else:
                messages.success(request, _thanks(asked))
                return redirect(asked)
    context = {
        "section": section,
        "event": section.event,
        "form": form,
        "label": Kind(kind).label,
        "effects": of_asking(section, request.user),
    }
    return render(request, "events/corrections/ask.html", context, status=status)


def _change_form(
    request: HttpRequest, kind: str, section: Section, document: SectionDocument
) -> ChangeForm:
    return FORMS[kind](
        request.POST if request.method == "POST" else None,
        document=document,
        place=_place(request),
        initial={"version": section.version},
    )


def _choose(
    request: HttpRequest, section: Section, document: SectionDocument
) -> HttpResponse:
    row = _place(request).get("row")
    only = {row} if document.entry(row or 0) else None
    context = {
        "section": section,
        "event": section.event,
        "rows": plain_rows(document, names_in(document), only=only),
        "rounds": range(1, document.rounds + 1),
        "is_one_row": only is not None,
        "kinds": [(kind, kind.label) for kind in Kind if kind not in OF_A_ROW],
    }
    return render(request, "events/corrections/choose.html", context)


def _thanks(asked: CorrectionRequest) -> str:
    if asked.state == CorrectionRequest.State.CONFIRMED:
        return _("Asked for, and confirmed as you are the TD. The office decides now.")
    return _("Asked for. The tournament director is asked to confirm it.")


# The request


@for_members
def my_corrections(request: HttpRequest) -> HttpResponse:
    requests = requests_concerning(request.user)
    page = Paginator(requests, ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page_obj": page,
        "rows": [(one, chip_of(one)) for one in page],
    }
    return render(request, "events/corrections/mine.html", context)


def _request_for(request: HttpRequest, pk: int) -> CorrectionRequest:
    """Return a request of one's own, of one's event, or any for the office."""
    found = request_by_pk(pk)
    if found is None or not (
        found.asked_by_id == request.user.pk
        or is_office(request.user)
        or is_td_of(request.user, found.section)
    ):
        raise Http404(_("There is no request of this number among yours."))
    return found


@for_members
def correction(request: HttpRequest, pk: int) -> HttpResponse:
    return _correction_page(request, _request_for(request, pk), AnswerForm())


def _correction_page(
    request: HttpRequest,
    found: CorrectionRequest,
    form: AnswerForm,
    *,
    refusal: object = "",
    status: int = 200,
) -> HttpResponse:
    """Show a request; with a *refusal* also what was written, to be copied."""
    may_answer = found.is_open and is_td_of(request.user, found.section)
    context = {
        "correction": found,
        "section": found.section,
        "event": found.section.event,
        "chip": chip_of(found),
        "form": form if may_answer else None,
        "refusal": refusal,
        "effects": of_answering(),
        "may_withdraw": found.is_open and found.asked_by_id == request.user.pk,
        "may_decide": found.is_open and request.user.has_perm(DECIDE),
        "history": lines(list(entries_about(found).order_by("pk"))),
    }
    return render(request, "events/corrections/correction.html", context, status=status)


@require_POST
@for_members
def answer(request: HttpRequest, pk: int) -> HttpResponse:
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
        return _not_now(request, found, refusal)
    messages.success(request, _("Thank you. The office reads your answer."))
    return redirect(found)


def _not_now(
    request: HttpRequest, found: CorrectionRequest, refusal: object
) -> HttpResponse:
    """Say on the page of a request why its form was refused, with what was written."""
    found = _request_for(request, found.pk)
    status = 403 if isinstance(refusal, NotAllowed) else 409
    return _correction_page(
        request, found, AnswerForm(), refusal=refusal, status=status
    )


@require_POST
@for_members
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    found = _request_for(request, pk)
    try:
        withdraw_correction(request_id=pk, actor=request.user)
    except NotPossible as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(request, _("Withdrawn. The section stays as it is."))
    return redirect(found)


# The office


@for_office
def queue(request: HttpRequest) -> HttpResponse:
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


@for_office
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """The difference, what speaks against it, what it does to ratings; approve."""
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
            except (NotPossible, Outdated, NotAllowed) as refusal:
                found = _request_for(request, pk)
                if not found.is_open:
                    return _not_now(request, found, refusal)
                status = refused(form, refusal, version=found.section.version)
            else:
                messages.success(request, _("Corrected. Ratings follow with a rerate."))
                return redirect(found)
    return _decide_page(
        request, found, approve=form, refuse=RefuseForm(), status=status
    )


def _closed(request: HttpRequest, found: CorrectionRequest) -> HttpResponse:
    """Lead from a decided request to its page; what was written meanwhile is shown."""
    if request.method == "POST":
        return _not_now(request, found, why_closed(found))
    return redirect(found)


def _decide_page(
    request: HttpRequest,
    found: CorrectionRequest,
    *,
    approve: ApproveForm,
    refuse: RefuseForm,
    status: int,
) -> HttpResponse:
    result = review_request(found)
    rows = compared_rows(result.before, result.after)
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
        "playing": directors_who_play(
            found,
            {row.member_id for pair in rows for row in (pair.before, pair.after)},
        ),
        "may_decide": request.user.has_perm(DECIDE),
        "not_yours": why_not_yours(request.user, DECIDE),
        "effects": of_approving(found, result) if result.is_possible else (),
        "refusing": of_refusing(),
        "kinds": [
            (kind, within_sentence(kind.label)) for kind in Kind if kind != Kind.OTHER
        ],
    }
    return render(request, "events/corrections/decide.html", context, status=status)


@require_POST
@for_office
def refuse(request: HttpRequest, pk: int) -> HttpResponse:
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
            return _not_now(request, found, refusal)
        except NotAllowed as refusal:
            status = refused(form, refusal)
        else:
            messages.success(
                request, _("Refused. Who asked and the TD read the reason.")
            )
            return redirect(found)
    unbound = ApproveForm(is_confirmed=True, initial={"version": found.section.version})
    return _decide_page(request, found, approve=unbound, refuse=form, status=status)


@for_office
def restate(request: HttpRequest, pk: int) -> HttpResponse:
    """Put a request as another change."""
    found = _request_for(request, pk)
    kind = request.GET.get("kind", "")
    if not found.is_open:
        return _closed(request, found)
    if kind not in FORMS or kind == Kind.OTHER:
        raise Http404(_("Choose what should change on the page of the request."))
    section = found.section
    form = _change_form(request, kind, section, document_of(section))
    form.ask_why_anew()
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
            except (NotPossible, Outdated, NotAllowed) as refusal:
                found = _request_for(request, pk)
                if not found.is_open:
                    return _not_now(request, found, refusal)
                status = refused(form, refusal, version=found.section.version)
            else:
                messages.success(
                    request, _("The request is changed. The TD is asked to confirm it.")
                )
                return redirect("events:decide_correction", pk=pk)
    context = {
        "correction": found,
        "section": section,
        "event": section.event,
        "form": form,
        "label": Kind(kind).label,
        "effects": of_restating(found, request.user),
        "not_yours": why_not_yours(request.user, DECIDE),
    }
    return render(request, "events/corrections/restate.html", context, status=status)


# For everybody


@require_safe
def history(request: HttpRequest, event_id: str, number: int) -> HttpResponse:
    """All versions of a section, with what changed from each to the next."""
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
    """What a section said in one version: results only."""
    section = _section(event_id, number)
    found = version_of(section, version)
    if found is None:
        raise Http404(_("This section has no version of this number."))
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
