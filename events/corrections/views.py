"""Pages for corrections: request, confirm, decide, and the public history."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from events.access import can_request_corrections, is_office, is_td_of, office_required
from events.corrections.forms import (
    FORMS,
    AnswerForm,
    ApproveForm,
    ChangeForm,
    RefuseForm,
    StatusFilter,
)
from events.corrections.pages import (
    answer_preview,
    approval_preview,
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
    open_requests,
    playing_directors,
    request_by_pk,
    requests_concerning,
    section_at,
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
from events.corrections.tables import CHIPS, CorrectionTable, PendingTable
from events.models import CorrectionRequest, Section
from events.models.correction import within_sentence
from events.models.documents import SectionDocument
from events.records.exceptions import NotPossible, VersionConflict
from events.records.services.versions import document_of
from ratings_site.common.accounts.permissions import NotAllowed, restrict
from ratings_site.common.accounts.queries import denial_reason
from ratings_site.common.approvals.pages import EditView, Subject, post_data, refused
from ratings_site.common.audit.log import lines
from ratings_site.common.audit.services import entries_about
from ratings_site.common.ui.pagination import sort_and_paginate
from ratings_site.common.web.files import csv_download
from ratings_site.common.web.requests import SignedInRequest

LATEST_DECISIONS = 20

Kind = CorrectionRequest.Kind
# Kinds about one player, linked from a row of the crosstable.
ROW_KINDS = (Kind.RESULT, Kind.MEMBER_ID, Kind.PLAYER)


def _require_member(request: HttpRequest) -> None:
    if not can_request_corrections(request.user):
        raise PermissionDenied(
            _(
                "Only members, TDs, and staff can request corrections. Link your "
                "account to your membership first."
            )
        )


member_required = restrict(_require_member)


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


class ChangeView(EditView[Subject]):
    """The form for one kind of change, with the version that the reader saw."""

    refusals: tuple[type[Exception], ...] = (NotPossible, VersionConflict, NotAllowed)

    @property
    def section(self) -> Section:
        raise NotImplementedError

    @property
    def kind(self) -> str:
        return self.request.GET.get("kind", "")

    @cached_property
    def document(self) -> SectionDocument:
        return document_of(self.section)

    def get_form_class(self) -> type[ChangeForm]:
        return FORMS[self.kind]

    def get_form_kwargs(self) -> dict[str, Any]:
        more = {"document": self.document, "place": _place(self.request)}
        return super().get_form_kwargs() | more

    def get_initial(self) -> dict[str, Any]:
        return {"version": self.section.version}

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        return super().refuse(refusal, version=self.section.version)

    def context(self) -> dict[str, Any]:
        return {
            "section": self.section,
            "event": self.section.event,
            "label": Kind(self.kind).label,
        }


@member_required
class Ask(ChangeView[Section]):
    """Choose the kind of error, then enter the correct values."""

    template_name = "events/corrections/ask.html"
    refusals = (NotPossible, VersionConflict)

    def get_object(self) -> Section:
        return _section(self.kwargs["event_id"], self.kwargs["number"])

    @property
    def section(self) -> Section:
        return self.object

    def unavailable_response(self) -> HttpResponse | None:
        if sentence := correction_denial_reason(self.section):
            messages.error(self.request, sentence)
            return redirect(self.section)
        if self.kind not in FORMS:
            return _choose(self.request, self.section, self.document)
        return None

    def do(self, data: dict[str, Any]) -> CorrectionRequest:
        return ask_for_correction(
            section=self.section,
            kind=self.kind,
            change=self.form.change(),
            text=data["text"],
            version=data["version"],
            actor=self.request.user,
        )

    def get_success_message(self, result: CorrectionRequest) -> str:
        if result.state == CorrectionRequest.State.CONFIRMED:
            return _(
                "Correction requested. You’re the TD, so it’s confirmed; the office "
                "decides next."
            )
        return _(
            "Correction requested. We’ve asked the tournament director to confirm it."
        )

    def context(self) -> dict[str, Any]:
        effects = request_preview(self.section, self.request.user)
        return super().context() | {"effects": effects}


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


# The request


@member_required
def my_corrections(request: SignedInRequest) -> HttpResponseBase:
    form = StatusFilter(request.GET)
    status = 200 if form.is_valid() else 422
    rows = form.narrowed(requests_concerning(request.user))
    table = CorrectionTable(rows, reader=request.user)
    if file := csv_download(request, table, "corrections"):
        return file
    sort_and_paginate(request, table)
    context = {"form": form, "table": table}
    return render(request, "events/corrections/mine.html", context, status=status)


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
        "chip": CHIPS[found.state],
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
def queue(request: SignedInRequest) -> HttpResponseBase:
    table = PendingTable(open_requests(), reader=request.user)
    if file := csv_download(request, table, "pending-corrections"):
        return file
    sort_and_paginate(request, table)
    context = {
        "table": table,
        "decided": [
            (one, CHIPS[one.state]) for one in decided_requests()[:LATEST_DECISIONS]
        ],
    }
    return render(request, "events/corrections/queue.html", context)


def _closed(request: SignedInRequest, found: CorrectionRequest) -> HttpResponse:
    """Redirect from a decided request to its page; show any submitted text."""
    if request.method == "POST":
        return _refused_page(request, found, closed_message(found))
    return redirect(found)


@office_required
class Decide(EditView[CorrectionRequest]):
    """Show the differences, findings and rating effects; approve."""

    template_name = "events/corrections/decide.html"
    context_object_name = "correction"
    success_message = gettext_lazy(
        "Section corrected. Ratings update with the next rerate."
    )
    refusals = (NotPossible, VersionConflict, NotAllowed)

    def get_object(self) -> CorrectionRequest:
        return _request_for(self.request, self.kwargs["pk"])

    def unavailable_response(self) -> HttpResponse | None:
        return None if self.object.is_open else _closed(self.request, self.object)

    def get_form(self, form_class: Any = None) -> Any:
        is_confirmed = self.object.state == CorrectionRequest.State.CONFIRMED
        self.form = self.approve_form(post_data(self.request), is_confirmed)
        return self.form

    def approve_form(self, data: Any, is_confirmed: bool) -> ApproveForm:
        initial = {"version": self.object.section.version}
        return ApproveForm(data, is_confirmed=is_confirmed, initial=initial)

    def do(self, data: dict[str, Any]) -> CorrectionRequest:
        pk, actor = self.object.pk, self.request.user
        approve_correction(request_id=pk, actor=actor, **data)
        return self.object

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        self.object = self.get_object()
        if not self.object.is_open:
            return _refused_page(self.request, self.object, refusal)
        return super().refuse(refusal, version=self.object.section.version)

    def forms(self) -> dict[str, Any]:
        return {"approve": self.form, "refuse": RefuseForm()}

    def context(self) -> dict[str, Any]:
        found, user = self.object, self.request.user
        result = review_request(found)
        rows = row_comparisons(result.before, result.after)
        return {
            **self.forms(),
            "section": found.section,
            "event": found.section.event,
            "chip": CHIPS[found.state],
            "review": result,
            "rows": rows,
            "rounds": range(1, result.after.rounds + 1),
            "playing": playing_directors(
                found,
                {row.member_id for pair in rows for row in pair},
            ),
            "may_decide": user.has_perm(DECIDE),
            "not_yours": denial_reason(user, DECIDE),
            "effects": approval_preview(found, result) if result.is_possible else (),
            "refusing": refusal_preview(),
            "kinds": [
                (kind, within_sentence(kind.label))
                for kind in Kind
                if kind != Kind.OTHER
            ],
        }


@method_decorator(require_POST, name="dispatch")
class Refuse(Decide):
    success_message = gettext_lazy(
        "Request declined. The person who asked and the TD will see your reason."
    )

    def get_form(self, form_class: Any = None) -> Any:
        self.form = RefuseForm(self.request.POST)
        return self.form

    def do(self, data: dict[str, Any]) -> CorrectionRequest:
        refuse_correction(
            request_id=self.object.pk, reason=data["reason"], actor=self.request.user
        )
        return self.object

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        if isinstance(refusal, NotAllowed):
            return self.show(refused(self.form, refusal))
        return _refused_page(self.request, self.object, refusal)

    def forms(self) -> dict[str, Any]:
        approve = self.approve_form(None, is_confirmed=True)
        return {"approve": approve, "refuse": self.form}


@office_required
class Restate(ChangeView[CorrectionRequest]):
    """Restate a request as another change."""

    template_name = "events/corrections/restate.html"
    context_object_name = "correction"
    success_message = gettext_lazy("Request changed. We’ve asked the TD to confirm it.")

    def get_object(self) -> CorrectionRequest:
        return _request_for(self.request, self.kwargs["pk"])

    @property
    def section(self) -> Section:
        return self.object.section

    def unavailable_response(self) -> HttpResponse | None:
        if not self.object.is_open:
            return _closed(self.request, self.object)
        if self.kind not in FORMS or self.kind == Kind.OTHER:
            raise Http404(_("Choose what to change on the request’s page."))
        return None

    def get_form(self, form_class: Any = None) -> ChangeForm:
        form: ChangeForm = super().get_form(form_class)
        form.require_staff_reason()
        return form

    def do(self, data: dict[str, Any]) -> HttpResponse:
        restate_correction(
            request_id=self.object.pk,
            kind=self.kind,
            change=self.form.change(),
            version=data["version"],
            reason=data["text"],
            actor=self.request.user,
        )
        return redirect("events:decide_correction", pk=self.object.pk)

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        self.object = self.get_object()
        if not self.object.is_open:
            return _refused_page(self.request, self.object, refusal)
        return super().refuse(refusal)

    def context(self) -> dict[str, Any]:
        user = self.request.user
        return super().context() | {
            "effects": restatement_preview(self.object, user),
            "not_yours": denial_reason(user, DECIDE),
        }


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
    found = section.versions.filter(number=version).first()
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
