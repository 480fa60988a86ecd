"""Pages of staff actions: preview, form and refusals."""

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import Any, Generic, Self, TypeVar, cast
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.db.models import QuerySet
from django.forms.utils import pretty_name
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import Resolver404, resolve, reverse
from django.utils.functional import Promise, cached_property
from django.utils.translation import gettext as _
from django.views.generic import FormView

from ratings_site.common.accounts.permissions import NotAllowed, require_permission
from ratings_site.common.accounts.queries import permission_holders
from ratings_site.common.approvals.bulk_actions import (
    BULK_ACTIONS,
    MAX_ROWS,
    BulkResult,
    apply_to_rows,
)
from ratings_site.common.approvals.forms import ReasonForm, RowSelection
from ratings_site.common.approvals.kinds import Refusal, shown_digest
from ratings_site.common.approvals.preview import (
    IMPOSSIBLE,
    PreviewLine,
    impossible_line,
    no_approval_line,
    preview_action,
    second_approval_line,
)
from ratings_site.common.approvals.services import refuse_duplicate
from ratings_site.common.approvals.tasks import enqueue_bulk_action
from ratings_site.common.db.locks import RatingsBusy
from ratings_site.common.jobs.services import page_of
from ratings_site.common.models import User
from ratings_site.common.web.requests import SignedInRequest

# The preview button, and the digest of the values that were previewed.
PREVIEW_FIELD, PREVIEWED_FIELD = "look", "seen"
# Fields that do not affect the preview.
REASON_FIELDS = ("reason", "evidence")
# A longer request is an upload, not typed text.
MAX_RESTORED_LENGTH = 200_000
SECRET_FIELD_WORDS = ("csrf", "password", "secret", "token", "credential")
# Forms there hold only secrets: sign-in, passwords, two-step verification.
SECRET_PATH = "/accounts/"  # noqa: S105 (an address)
# Fields of buttons, checkboxes and page state.
CONTROL_FIELDS = {
    PREVIEW_FIELD,
    PREVIEWED_FIELD,
    "act",
    "confirm",
    "row",
    "leave_out",
    "then",
    "use",
    "was",
}
_ROW_FIELD = re.compile(r"(?:.+-)?[0-9]+-(\w+)", re.ASCII)

Data = dict[str, Any]
Subject = TypeVar("Subject")

# Exceptions of services that refuse an action. The form is shown again.
REFUSALS = (Refusal, RatingsBusy, NotAllowed)


def refused(
    form: Any, refusal: Exception, *, field: str | None = None, **now: object
) -> int:
    """Add a refusal to a form's errors; return the status of the page.

    The submitted values stay, except *now*: current values such as the version.
    """
    form.add_error(field, str(refusal))
    if now:
        form.data = form.data.copy()
        for name, value in now.items():
            form.data[name] = value
    return 403 if isinstance(refusal, NotAllowed) else 422


class EditView(FormView, Generic[Subject]):  # type: ignore[type-arg]
    """A form that a service saves: message and redirect, or the form again (422).

    *do* calls the service with the valid data. Its result is the page to show next,
    unless there is a success URL. *refusals* of the service become errors of the form
    or of its *error_field*, and the submitted values stay. *context* is for the page.
    """

    http_method_names = ["get", "head", "post", "options"]
    request: SignedInRequest
    object: Subject
    queryset: QuerySet[Any] | None = None
    context_object_name = ""
    success_message: str | Promise = ""
    refusals: tuple[type[Exception], ...] = (Refusal,)
    error_field: str | None = None

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        self.object = self.get_object()
        return self.unavailable_response() or super().dispatch(request, *args, **kwargs)

    def get_object(self) -> Any:
        """Return the record that is edited, if any; raise Http404."""
        if self.queryset is not None:
            return get_object_or_404(self.queryset, pk=self.kwargs["pk"])
        return None

    def unavailable_response(self) -> HttpResponseBase | None:
        """Return the response if the record cannot be edited now."""
        return None

    def do(self, data: Data) -> Any:
        """Call the service."""
        raise NotImplementedError

    def get_form(self, form_class: Any = None) -> Any:
        self.form = super().get_form(form_class)
        return self.form

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            result = self.do(form.cleaned_data)
        except self.refusals as refusal:
            return self.refuse(refusal)
        if message := self.get_success_message(result):
            messages.success(self.request, message)
        return self.get_success_response(result)

    def get_success_message(self, result: Any) -> str:
        """Return the message. If there is a success URL, it may be the result."""
        if self.success_message or not self.redirect_url:
            return str(self.success_message)
        return result if isinstance(result, str) else ""

    def get_success_response(self, result: Any) -> HttpResponse:
        if isinstance(result, HttpResponseBase):
            return cast(HttpResponse, result)
        return redirect(self.redirect_url or result)

    @cached_property
    def redirect_url(self) -> str:
        """The success URL, looked up once the service has done its work."""
        return self.get_success_url()

    def get_success_url(self) -> str:
        return str(self.success_url or "")

    def form_invalid(self, form: Any) -> HttpResponse:
        return self.show(422)

    def refuse(self, refusal: Exception, **now: Any) -> HttpResponse:
        """Show the form with a refusal; *now* is as in `refused`."""
        return self.show(refused(self.form, refusal, field=self.error_field, **now))

    def show(self, status: int, **context: Any) -> HttpResponse:
        context = self.get_context_data(form=self.form) | context
        return self.render_to_response(context, status=status)

    def get_context_data(self, **kwargs: Any) -> Data:
        context = super().get_context_data(**kwargs) | self.context()
        if self.context_object_name:
            context[self.context_object_name] = self.object
        return context

    def context(self) -> Data:
        return {}

    def render_to_response(self, context: Data, **kwargs: Any) -> HttpResponse:
        return render(self.request, self.get_template_names(), context, **kwargs)


class ActionView(EditView[Subject]):
    """A staff action: its preview, the form with a reason, and refusals.

    *effects* returns the preview. Without *permission* the form is disabled, and a
    preview that the rules refuse takes its place. If only one decision of the form is
    refused, that is *refusable_decision*, and the others stay.
    """

    form_class: Any = ReasonForm
    template_name = "common/act.html"
    permission = ""
    refusals = REFUSALS
    refusable_decision = ""
    previews_form = False

    def effects(self) -> Sequence[PreviewLine]:
        return ()

    def preview_lines(
        self, kind: str, facts: Data, *, approvers: str = ""
    ) -> list[PreviewLine]:
        """Return the preview of a kind; *approvers* may give the second approval."""
        try:
            if approvers:
                refuse_duplicate(kind, facts)
            lines = preview_action(kind, facts, self.request.user)
        except Refusal as refusal:
            if self.previews_form:
                raise
            return [impossible_line(refusal)]
        if approvers:
            return [*lines, second_approval_line(approvers, self.request.user)]
        return [*lines, no_approval_line()]

    @cached_property
    def why_not(self) -> list[str]:
        return denial_sentences(self.request.user, self.permission)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        form = self.get_form()
        is_valid = form.is_valid()
        if self.why_not:
            return self.show(_refused(form, self.why_not, 403))
        return self.form_valid(form) if is_valid else self.form_invalid(form)

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        status = 403 if isinstance(refusal, NotAllowed) else 422
        sentences = refusal_sentences(refusal, self.request.user)
        return self.show(_refused(self.form, sentences, status))

    def get_success_url(self) -> str:
        if self.success_url is None:
            return str(cast(Any, self.object).get_absolute_url())
        return super().get_success_url()

    def get_success_response(self, result: Any) -> HttpResponse:
        return redirect(self.redirect_url)

    def get_context_data(self, **kwargs: Any) -> Data:
        effects = () if self.why_not else self.effects()
        impossible = [one.sentence for one in effects if one.code == IMPOSSIBLE]
        context = super().get_context_data(**kwargs) | {
            "cancel_url": self.get_success_url(),
            "why_not": self.why_not,
            "impossible": impossible,
            "looks": self.previews_form,
            "seen": None,
            "effects": effects,
        }
        if impossible and self.refusable_decision:
            self._leave_out_decision(context)
        elif impossible:
            context["why_not"] = impossible
        return context

    def _leave_out_decision(self, context: Data) -> None:
        field, refused = self.form.fields["decision"], self.refusable_decision
        field.choices = [one for one in field.choices if one[0] != refused]
        buttons = context.get("choices", ())
        context["choices"] = [one for one in buttons if one[0] != refused]


class PreviewedActionView(ActionView[Subject]):
    """A staff action whose preview depends on the form.

    The page shows what *form_preview* returns first, and again if values change.
    """

    previews_form = True

    def form_preview(self, data: Data) -> Sequence[PreviewLine]:
        raise NotImplementedError

    def form_valid(self, form: Any) -> HttpResponse:
        if not _needs_preview(self.request, form):
            return super().form_valid(form)
        try:
            lines = self.form_preview(form.cleaned_data)
        except self.refusals as refusal:
            return self.refuse(refusal)
        return self.show(200, effects=lines, seen=lines and _digest(form))


def _refused(form: forms.Form, sentences: Sequence[str], status: int) -> int:
    for sentence in sentences:
        form.add_error(None, sentence)
    return status


def _needs_preview(request: HttpRequest, form: forms.Form) -> bool:
    """Return whether the preview of these values has not been shown yet."""
    seen = request.POST.get(PREVIEWED_FIELD)
    return PREVIEW_FIELD in request.POST or (seen is not None and seen != _digest(form))


def _digest(form: forms.Form) -> str:
    facts = sorted(
        (name, str(value))
        for name, value in form.cleaned_data.items()
        if name not in REASON_FIELDS
    )
    return shown_digest(facts)


def post_data(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None


# Refusals


def denial_sentences(user: User | AnonymousUser, permission: str) -> list[str]:
    """Return why *user* may not do an action and who may; empty if they may."""
    if not permission:
        return []
    try:
        require_permission(user, permission)
    except NotAllowed as refusal:
        return refusal_sentences(refusal, user)
    return []


def refusal_sentences(refusal: Exception, user: User | AnonymousUser) -> list[str]:
    """Return the sentences of a refusal; for staff, with who has the permission."""
    sentences = list(getattr(refusal, "sentences", [str(refusal)]))
    permission = getattr(refusal, "permission", "")
    names = permission_holders(permission) if permission and user.is_staff else []
    if names:
        said = _("Who can do this: {names}.")
        sentences.append(said.format(names=", ".join(names)))
    return sentences


def submitted_text(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the typed values of a refused form, so that they can be copied."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    is_short = length.isascii() and length.isdigit() and len(length) < 9
    if request.method != "POST" or not is_short or int(length) > MAX_RESTORED_LENGTH:
        return []
    try:
        return label_fields(request.path_info, submitted_fields(request))
    except (BadRequest, MultiPartParserError, SuspiciousOperation):
        return []


def submitted_fields(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the submitted fields without secrets."""
    if request.path_info.startswith(SECRET_PATH):
        return []
    return [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if not any(word in name for word in SECRET_FIELD_WORDS)
    ]


def label_fields(path: str, fields: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return typed values with the labels of their fields.

    Values without a known label are joined under one heading.
    """
    labels = _labels(path)
    said, others = [], []
    for name, value in fields:
        line = _ROW_FIELD.fullmatch(name)
        label = labels.get(name) or (line and labels.get(line[1]))
        is_typed = value.strip() and name not in CONTROL_FIELDS and name not in labels
        if label and value.strip():
            said.append((str(label), value))
        elif is_typed and not (line and line[1] in labels):
            others.append(value)
    return [*said, (_("Other fields"), "\n".join(others))] if others else said


def _labels(path: str) -> dict[str, Any]:
    """Return labels by field name, preferring the view's form or those of its module.

    Hidden fields have a blank label. Of several labels the most common is used.
    """
    known: dict[str, Counter[Any]] = defaultdict(Counter)
    own = _own_forms(path)
    for form in _forms(forms.BaseForm):
        weight = 1_000 if form.__name__ in own else 1
        for name, one in getattr(form, "base_fields", {}).items():
            label = "" if one.widget.is_hidden else one.label or pretty_name(name)
            known[name][label] += weight
    return {name: counts.most_common(1)[0][0] for name, counts in known.items()}


def _forms(kind: type) -> set[type]:
    below: list[type] = kind.__subclasses__()
    return {*below, *(one for form in below for one in _forms(form))}


def _own_forms(path: str) -> Collection[str]:
    """Return the name of the form of the view at a path, or those in its module."""
    try:
        view = resolve(path).func
    except Resolver404:
        return ()
    form = getattr(getattr(view, "view_class", None), "form_class", None)
    if form is not None:
        return (form.__name__,)
    return vars(sys.modules[view.__module__]).keys()


# Lists and bulk actions


class ListState:
    """The state of a list: its URL, filter and page.

    *said* is its query string. The pages of an action pass it on, so that the user
    returns to the same rows.
    """

    query_name = "list"

    def __init__(self, said: QueryDict, view: str) -> None:
        self.said, self.view = said, view

    @classmethod
    def from_request(cls, request: HttpRequest, view: str) -> Self:
        """Return the list that the query string of another page holds."""
        return cls(QueryDict(request.GET.get(cls.query_name, "")), view)

    @property
    def url(self) -> str:
        return with_query(reverse(self.view), self.said.urlencode())

    @property
    def query(self) -> str:
        """The query string that passes the state on; "" for the plain list."""
        said = self.said.urlencode()
        return with_query("", urlencode({self.query_name: said}) if said else "")


def with_query(url: str, query: str) -> str:
    return f"{url}?{query}" if query else url


def bulk_action_page(request: SignedInRequest, shown: ListState) -> HttpResponse:
    """Preview a bulk action on the selected rows, or do it once confirmed."""
    code, which = RowSelection.act(request.POST)
    act = BULK_ACTIONS[shown.view][1].get(code)
    if request.method != "POST" or act is None:
        return redirect(shown.url)
    if which == RowSelection.ALL and act.every is not None:
        keys = list(act.every(shown.said))
    else:
        keys = RowSelection.keys(request.POST, which)
    return run_bulk_action(request, code, keys, shown)


def run_bulk_action(
    request: SignedInRequest,
    code: str,
    keys: Sequence[str],
    shown: ListState,
    do_url: str = "",
) -> HttpResponse:
    """Preview a bulk action on the rows of these keys, or do it once confirmed."""
    act = BULK_ACTIONS[shown.view][1][code]
    is_confirmed = "confirm" in request.POST
    form = ReasonForm(
        request.POST if is_confirmed else None,
        initial={"reason": request.POST.get("reason", "")},
    )
    rows, left_out = act.look(keys[:MAX_ROWS], request.user)
    if is_confirmed and keys and form.is_valid():
        reason = form.cleaned_data["reason"]
        if len(rows) > act.most_at_once:
            keys = keys[:MAX_ROWS]
            job = enqueue_bulk_action(shown.view, code, keys, reason, request.user)
            return redirect(page_of(job) + shown.query)
        outcome = apply_to_rows(rows, lambda row: act.do(row, request.user, reason))
        outcome.left_out[:0] = left_out
        return bulk_result_page(request, act.done, outcome, shown)
    context = {
        "asks": act.asks,
        "button": act.button,
        "kind": act.kind,
        "code": code,
        "listed": rows,
        "left_out": left_out,
        "has_more": len(keys) > MAX_ROWS,
        "after": act.after(),
        "form": form,
        "shown": shown,
        "do_url": do_url,
    }
    status = 200 if keys and not is_confirmed else 422
    return bulk_preview_page(request, context, status=status)


def bulk_preview_page(
    request: HttpRequest, context: dict[str, Any], *, status: int
) -> HttpResponse:
    """Show the preview of each row, with the form that confirms the action."""
    number = len(context["listed"])
    context |= {
        "asks": context["asks"].format(number=number),
        "button": context["button"].format(number=number),
        "to_look_at": sum(line.needs_review for line in context["listed"]),
        "most": MAX_ROWS,
    }
    return render(request, "common/several.html", context, status=status)


def bulk_result_page(
    request: HttpRequest,
    done: Any,
    outcome: BulkResult,
    shown: ListState,
    **context: object,
) -> HttpResponse:
    """Show the result for each row."""
    context |= {
        "done": done.format(number=len(outcome.done)),
        "outcome": outcome,
        "shown": shown,
    }
    return render(request, "common/several_done.html", context)


def list_shortcuts(
    *, tick: str, act: str, other: str = "", all_ticked: str
) -> list[tuple[str, str]]:
    """Return the keyboard shortcuts of a list with checkboxes."""
    keys = [("x", tick), ("a", act), ("b", other), ("Shift+A", all_ticked)]
    return [(key, sentence) for key, sentence in keys if sentence]
