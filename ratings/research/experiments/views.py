"""Experiments: the committee runs them, the published ones are public."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import Truncator, capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from ratings.engine.variation.variables import CATALOG
from ratings.laboratory.registry import RUNNABLE
from ratings.laboratory.rule_differences import formula_changes, rule_differences
from ratings.models import Experiment
from ratings.research.experiments.forms.experiments import (
    ComparisonForm,
    PublishExperimentForm,
    RuleChangeForm,
    SearchForm,
)
from ratings.research.experiments.forms.our_rules import OurRulesForm
from ratings.research.experiments.forms.rule_comparison import (
    RuleComparisonForm,
    form_defaults,
)
from ratings.research.experiments.plans import RUN
from ratings.research.experiments.queries.cells import escape_formula
from ratings.research.experiments.queries.experiments import (
    experiment_page,
    experiments_for,
    is_committee,
    names_of,
    progress_of,
    sheets_of,
    variants_of,
)
from ratings.research.experiments.queries.our_rules import badge_of
from ratings.research.experiments.queries.report import report_of
from ratings.research.experiments.queries.rule_comparison import (
    difference_row,
    effects_of,
    find_replay,
)
from ratings.research.experiments.services.examples import EXAMPLES, start_example
from ratings.research.experiments.services.exports import (
    TABLES,
    ExperimentData,
    archive,
)
from ratings.research.experiments.services.histories import render_finding
from ratings.research.experiments.services.lifecycle import (
    ExperimentRefused,
    cancel_experiment,
    is_stalled,
    publish_experiment,
    repeat_experiment,
    request_experiment,
    resume_experiment,
    withdraw_experiment,
)
from ratings.research.experiments.services.report_files import (
    markdown_report,
    pdf_report,
)
from ratings.research.experiments.tables import ExperimentTable
from ratings.research.experiments.variant_names import change_label
from ratings_site.common.accounts.permissions import permission_required
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.pages import EditView
from ratings_site.common.models import User
from ratings_site.common.ui.pagination import sort_and_paginate
from ratings_site.common.uploads.views import send_upload
from ratings_site.common.web.files import (
    CONTENT_TYPES,
    attachment_header,
    available_formats,
    csv_attachment,
    stream_file,
)
from ratings_site.common.web.requests import SignedInRequest

MAX_FINDINGS_SHOWN = 50
REPORT_FILES: dict[str, tuple[Callable[..., str | bytes], str]] = {
    "md": (markdown_report, "text/markdown; charset=utf-8"),
    "pdf": (pdf_report, "application/pdf"),
}

for_committee = permission_required(RUN)


def _experiment(user: User | AnonymousUser, pk: int) -> Experiment:
    """Return an experiment that this user may see, else raise Http404."""
    return get_object_or_404(experiments_for(user), pk=pk)


@require_safe
def experiments(request: HttpRequest) -> HttpResponse:
    """List the experiments; for the public only published ones."""
    may_run = is_committee(request.user)
    table = ExperimentTable(experiments_for(request.user), for_committee=may_run)
    sort_and_paginate(request, table)
    context = {"table": table, "may_run": may_run, "examples": EXAMPLES}
    return render(request, "ratings/laboratory/experiments.html", context)


# --- Request ---


WAITING = gettext_lazy("The experiment is waiting to start. You can leave this page.")


@for_committee
class New(EditView[None]):
    """Request an experiment."""

    template_name = "ratings/laboratory/experiment_new.html"
    success_message = WAITING

    def get_form(self, form_class: Any = None) -> Any:
        """Return the form of the kind that the address names."""
        is_sent = self.request.method == "POST"
        sent = (self.request.POST, self.request.FILES) if is_sent else ()
        key = self.request.GET.get("of", "")
        match self.request.GET.get("kind"):
            case Experiment.Kind.OUR_RULES:
                self.form = OurRulesForm(*sent)
            case Experiment.Kind.RULE_CHANGE:
                self.form = RuleChangeForm(*sent)
            case Experiment.Kind.SEARCH:
                key = key if key in RUNNABLE else next(iter(RUNNABLE))
                self.form = SearchForm(*sent, key=key)
            case _:
                self.form = ComparisonForm(*sent)
        return self.form

    def do(self, data: dict[str, Any]) -> Experiment:
        return request_experiment(
            actor=self.request.user,
            title=data["title"],
            reason=data["reason"],
            kind=self.form.kind,
            asked=self.form.asked(),
            variants=self.form.variants(),
            file=self.form.uploaded_file(),
        )

    def context(self) -> dict[str, Any]:
        return {
            "kind": self.form.kind,
            "kinds": Experiment.Kind.choices,
            "key": getattr(self.form, "key", ""),
            "systems": RUNNABLE,
            "examples": EXAMPLES,
        }


@require_POST
@for_committee
def example(request: SignedInRequest, name: str) -> HttpResponse:
    """Start one of the experiments that come with the laboratory."""
    if name not in EXAMPLES:
        raise Http404(_("This example doesn’t exist."))
    try:
        experiment = start_example(name=name, actor=request.user)
    except ExperimentRefused as refusal:
        messages.warning(request, str(refusal))
        return redirect("ratings:experiments")
    messages.success(request, WAITING)
    return redirect(experiment)


@for_committee
def editions(request: SignedInRequest) -> HttpResponse:
    """Compare two editions, or two sets of values; replay both if the form is sent."""
    sent = request.POST or request.GET
    form = RuleComparisonForm(sent if "before" in sent else form_defaults())
    context: dict[str, Any] = {"form": form, "rules": CATALOG.values()}
    if form.is_valid():
        found = find_replay(form.asked(), form.variants())
        if request.method == "POST":
            if found is None or not found.is_open:
                _replay_both(request, form)
            return redirect(f"{request.path}?{form.query()}#effect")
        # The copy that replays has the same fields, so no ids.
        hidden = RuleComparisonForm(form.data, auto_id=False)
        context |= _compared(form) | _replayed(found, form) | {"hidden_form": hidden}
    status = 200 if form.is_valid() else 422
    return render(request, "ratings/laboratory/editions.html", context, status=status)


def _replay_both(request: SignedInRequest, form: RuleComparisonForm) -> None:
    try:
        request_experiment(
            actor=request.user,
            title=Truncator(capfirst(change_label(*form.labels()))).chars(120),
            reason=_("Two sets of rules compared."),
            kind=Experiment.Kind.OUR_RULES,
            asked=form.asked(),
            variants=form.variants(),
        )
    except ExperimentRefused as refusal:
        messages.warning(request, str(refusal))


def _compared(form: RuleComparisonForm) -> dict[str, Any]:
    said = form.cleaned_data
    differences = rule_differences(
        *form.sides(), settings.RATING_EDITION, first_day=said["first_day"]
    )
    return {
        "labels": form.labels(),
        "differences": [difference_row(one) for one in differences],
        "formulas": formula_changes(said["before"], said["after"]),
    }


def _replayed(found: Experiment | None, form: RuleComparisonForm) -> dict[str, Any]:
    if found is None:
        return {}
    if found.is_open:
        return _progress_context(found)
    answers, sheets = effects_of(found, form.labels())
    return {"experiment": found, "answers": answers, "sheets": sheets}


# --- Reading ---


def _progress_context(found: Experiment) -> dict[str, Any]:
    return {
        "experiment": found,
        "progress": progress_of(found),
        "given_up": is_stalled(found),
    }


@require_safe
def experiment(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the progress of an experiment, or its results."""
    found = _experiment(request.user, pk)
    may_run = is_committee(request.user)
    shown = experiment_page(
        found, variant=request.GET.get("variant", ""), for_committee=may_run
    )
    # Only the committee sees these; for others they are not even loaded.
    findings = found.findings if may_run else []
    context = {
        **_progress_context(found),
        "shown": shown,
        "may_run": may_run,
        "badge": badge_of(found.results),
        "acts": _available_actions(found, request.user) if may_run else [],
        "findings": [render_finding(one) for one in findings[:MAX_FINDINGS_SHOWN]],
        "more_findings": max(0, len(findings) - MAX_FINDINGS_SHOWN),
        "is_closer": "variant" in request.GET,
    }
    return render(request, "ratings/laboratory/experiment.html", context)


@require_safe
def report(request: HttpRequest, pk: int) -> HttpResponse:
    """Show all of a finished experiment on one page, to print or save."""
    found = _experiment(request.user, pk)
    if found.results is None:
        raise Http404(_("The experiment isn’t finished yet."))
    may_run = is_committee(request.user)
    paper = report_of(found, for_committee=may_run)
    context = {
        "experiment": found,
        "shown": paper.page,
        "may_run": may_run,
        "report": True,
        "paper": paper,
    }
    return render(request, "ratings/laboratory/experiment_report.html", context)


@require_safe
def report_file(request: HttpRequest, pk: int, kind: str) -> HttpResponse:
    """Send the report as a file to attach to a proposal; *kind* is its extension."""
    found = _experiment(request.user, pk)
    if found.results is None or kind not in REPORT_FILES:
        raise Http404(_("The experiment isn’t finished yet."))
    make, content_type = REPORT_FILES[kind]
    paper = report_of(found, for_committee=is_committee(request.user))
    header = attachment_header(f"experiment-{found.pk}-report.{kind}")
    content = make(paper, found.finished_at)
    return HttpResponse(content, content_type, headers=header)


@require_safe
@for_committee
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the page that polls while the experiment runs."""
    found = _experiment(request.user, pk)
    context = _progress_context(found)
    response = render(request, "ratings/laboratory/experiment_progress.html", context)
    if not found.is_open:
        response["HX-Refresh"] = "true"
    return response


@require_safe
def sheet(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """Send the data of a table or plot as CSV."""
    found = _experiment(request.user, pk)
    sheets = sheets_of(found, for_committee=is_committee(request.user))
    if name not in sheets:
        raise Http404(_("This experiment has no such table."))
    rows = [map(escape_formula, row) for row in sheets[name].rows]
    columns = sheets[name].columns
    return csv_attachment([columns, *rows], f"experiment-{found.pk}-{name}.csv")


@require_safe
@for_committee
def games_file(request: HttpRequest, pk: int) -> HttpResponse:
    """Send the uploaded file back, byte for byte."""
    found = _experiment(request.user, pk)
    if found.file is None:
        raise Http404(
            _(
                "This experiment has no uploaded file. It uses the federation’s rated "
                "games."
            )
        )
    name = "".join(
        c if c.isascii() and (c.isalnum() or c in "._-") else "_"
        for c in found.file.name
    )
    return send_upload(found.file.stored_as, name)


@require_safe
@for_committee
def findings(request: HttpRequest, pk: int) -> HttpResponse:
    """Send all findings about the games file, as CSV."""
    found = _experiment(request.user, pk)
    rows = [
        [escape_formula(one[part]) for part in ("place", "sentence", "hint")]
        for one in map(render_finding, found.findings)
    ]
    name = f"experiment-{found.pk}-findings.csv"
    return csv_attachment([["place", "finding", "hint"], *rows], name)


# --- Its data, game by game ---


@require_safe
def data(request: HttpRequest, pk: int) -> HttpResponse:
    """List the data files, and describe their columns."""
    found = _experiment(request.user, pk)
    may_run = is_committee(request.user)
    tables = ExperimentData(found, for_committee=may_run)
    names = names_of(variants_of(found))
    context = {
        "experiment": found,
        "title": found.title if may_run else found.public_title,
        "names": tables.names(),
        "kinds": available_formats(),
        "tables": TABLES,
        "variants": [(one.number, names[one.number]) for one in tables.variants],
        "is_partial": tables.is_partial,
        "may_run": may_run,
    }
    return render(request, "ratings/laboratory/experiment_data.html", context)


@require_safe
def data_file(request: HttpRequest, pk: int, name: str, kind: str) -> HttpResponseBase:
    """Stream a table; *kind* is the extension of its name."""
    found = _experiment(request.user, pk)
    tables = ExperimentData(found, for_committee=is_committee(request.user))
    if kind not in available_formats() or name not in tables.names():
        raise Http404(
            _("This experiment has no such file, or you don’t have access to it.")
        )
    table, rows = tables.table(name)
    content = stream_file(kind, table.columns, rows)
    return _sent(content, CONTENT_TYPES[kind], f"experiment-{pk}-{name}.{kind}")


@require_safe
def data_archive(request: HttpRequest, pk: int, kind: str) -> HttpResponseBase:
    """Send all tables in one file, with the notebooks that read them."""
    found = _experiment(request.user, pk)
    tables = ExperimentData(found, for_committee=is_committee(request.user))
    if kind not in available_formats() or not tables.names():
        raise Http404(
            _("This experiment has no such file, or you don’t have access to it.")
        )
    return _sent(archive(tables, kind), "application/zip", f"experiment-{pk}.zip")


def _sent(content: Iterator[bytes], content_type: str, name: str) -> HttpResponseBase:
    header = attachment_header(name)
    response = StreamingHttpResponse(content, content_type, headers=header)
    # It is compressed already; this keeps the middleware from compressing it again.
    response["Content-Encoding"] = "identity"
    response["Cache-Control"] = "private, no-cache"
    return response


# --- Actions ---


class _Action(NamedTuple):
    """An action on an experiment: its service, form, and texts of the page."""

    do: Callable[..., object]
    form_class: type[ReasonForm]
    title: Any
    intro: Any
    done: Any


# By the word in the URL.
_ACTIONS = {
    "cancel": _Action(
        cancel_experiment,
        ReasonForm,
        gettext_lazy("Cancel"),
        gettext_lazy(
            "The experiment stops. Finished variants are kept, and you can "
            "resume it later."
        ),
        gettext_lazy("Canceled. You can resume it later."),
    ),
    "resume": _Action(
        resume_experiment,
        ReasonForm,
        gettext_lazy("Resume"),
        gettext_lazy(
            "The experiment continues with the variants that aren’t finished."
        ),
        gettext_lazy("The experiment is waiting to start again."),
    ),
    "repeat": _Action(
        repeat_experiment,
        ReasonForm,
        gettext_lazy("Repeat"),
        gettext_lazy(
            "The experiment runs again on the same games. Its page shows whether "
            "the results are identical."
        ),
        gettext_lazy("The repeat is waiting to start. You can leave this page."),
    ),
    "publish": _Action(
        publish_experiment,
        PublishExperimentForm,
        gettext_lazy("Publish"),
        gettext_lazy("Anyone can see the charts and tables. No member is named."),
        gettext_lazy("Published. Anyone can see it."),
    ),
    "withdraw": _Action(
        withdraw_experiment,
        ReasonForm,
        gettext_lazy("Unpublish"),
        gettext_lazy("Only the committee will be able to see it."),
        gettext_lazy("Unpublished. Only the committee can see it."),
    ),
}


def _available_actions(
    found: Experiment, user: User | AnonymousUser
) -> list[tuple[str, str]]:
    """Return the actions that are possible now: word in the URL, label."""
    possible = {
        Experiment.Status.QUEUED: ["cancel"],
        Experiment.Status.RUNNING: ["cancel"],
        Experiment.Status.DONE: ["repeat"],
        Experiment.Status.CANCELED: ["resume"],
        Experiment.Status.FAILED: ["resume"],
    }[Experiment.Status(found.status)]
    if is_stalled(found):
        possible = ["resume", *possible]
    if found.status == Experiment.Status.DONE and user.has_perm(
        "ratings.publish_experiment"
    ):
        possible = [*possible, "withdraw" if found.is_published else "publish"]
    return [(act, _ACTIONS[act].title) for act in possible]


@for_committee
class Act(EditView[Experiment]):
    """Ask for the reason, and run the action."""

    template_name = "ratings/laboratory/experiment_act.html"
    context_object_name = "experiment"

    def get_object(self) -> Experiment:
        if self.kwargs["act"] not in _ACTIONS:
            raise Http404(_("There is no such action."))
        self.action = _ACTIONS[self.kwargs["act"]]
        self.success_message = self.action.done
        return _experiment(self.request.user, self.kwargs["pk"])

    def get_form_class(self) -> type[ReasonForm]:
        return self.action.form_class

    def get_initial(self) -> dict[str, Any]:
        return {"public_title": self.object.public_title or self.object.title}

    def do(self, data: dict[str, Any]) -> object:
        pk, actor = self.object.pk, self.request.user
        return self.action.do(experiment_id=pk, actor=actor, **data)

    def context(self) -> dict[str, Any]:
        is_danger = self.kwargs["act"] in ("cancel", "withdraw")
        return {
            "title": self.action.title,
            "intro": self.action.intro,
            "kind": "danger" if is_danger else "primary",
        }
