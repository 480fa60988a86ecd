"""Experiments: the committee runs them, everybody may read the published ones."""

import csv
from collections.abc import Callable, Iterator
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from ratings.experiments.forms.experiments import (
    ComparisonForm,
    ExperimentForm,
    PublishExperimentForm,
    RuleChangeForm,
    SearchForm,
)
from ratings.experiments.forms.our_rules import OurRulesForm
from ratings.experiments.plans import RUN
from ratings.experiments.queries.cells import harmless
from ratings.experiments.queries.experiments import (
    command_of,
    experiments_for,
    is_committee,
    label_of,
    progress_of,
    sheets_of,
    shown_experiment,
)
from ratings.experiments.queries.our_rules import badge_of
from ratings.experiments.services.asking import (
    ExperimentRefused,
    ask_experiment,
    cancel_experiment,
    is_given_up,
    publish_experiment,
    repeat_experiment,
    resume_experiment,
    withdraw_experiment,
)
from ratings.experiments.services.examples import EXAMPLES, start_example
from ratings.experiments.services.exports import TABLES, ExperimentData, archive
from ratings.experiments.services.histories import said
from ratings.experiments.tables import ExperimentTable
from ratings.laboratory.registry import RUNNABLE
from ratings.models import Experiment
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.looks.paging import sort_and_turn
from ratings_site.common.models import User
from ratings_site.common.web.files import CONTENT_TYPES, kinds_of_files, streamed

MOST_FINDINGS_SHOWN = 50

View = Callable[..., HttpResponse]


def for_committee(view: View) -> View:
    """Let the ratings committee through; nothing here is for caches."""

    @never_cache
    @login_required
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        require(request.user, RUN)
        return view(request, **kwargs)

    return guarded


def _experiment(user: User | AnonymousUser, pk: int) -> Experiment:
    """Return an experiment that this person may see; others are not found."""
    return get_object_or_404(experiments_for(user), pk=pk)


@require_safe
def experiments(request: HttpRequest) -> HttpResponse:
    """List what was asked; to everybody only what is published."""
    may_run = is_committee(request.user)
    table = ExperimentTable(experiments_for(request.user), for_committee=may_run)
    sort_and_turn(request, table)
    context = {"table": table, "may_run": may_run, "examples": EXAMPLES}
    return render(request, "ratings/laboratory/experiments.html", context)


# --- Asking ---


@for_committee
def new(request: HttpRequest) -> HttpResponse:
    """Ask for an experiment."""
    form = _form(request)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                experiment = _ask(request, form)
            except ExperimentRefused as refusal:
                form.add_error(None, str(refusal))
            else:
                messages.success(
                    request, _("The experiment is queued; a worker takes it.")
                )
                return redirect(experiment)
    context = {
        "form": form,
        "kind": form.kind,
        "kinds": Experiment.Kind.choices,
        "key": getattr(form, "key", ""),
        "systems": RUNNABLE,
        "examples": EXAMPLES,
    }
    return render(
        request, "ratings/laboratory/experiment_new.html", context, status=status
    )


def _form(request: HttpRequest) -> ExperimentForm:
    """Return the form of the kind that the address names."""
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    kind = request.GET.get("kind")
    if kind == Experiment.Kind.OUR_RULES:
        return OurRulesForm(*sent)
    if kind == Experiment.Kind.RULE_CHANGE:
        return RuleChangeForm(*sent)
    if kind == Experiment.Kind.SEARCH:
        key = request.GET.get("of", "")
        return SearchForm(*sent, key=key if key in RUNNABLE else next(iter(RUNNABLE)))
    return ComparisonForm(*sent)


def _ask(request: HttpRequest, form: ExperimentForm) -> Experiment:
    return ask_experiment(
        actor=request.user,
        title=form.cleaned_data["title"],
        reason=form.cleaned_data["reason"],
        kind=form.kind,
        asked=form.asked(),
        variants=form.variants(),
        file=form.sent_file(),
    )


@require_POST
@for_committee
def example(request: HttpRequest, name: str) -> HttpResponse:
    """Start one of the experiments that come with the laboratory."""
    if name not in EXAMPLES:
        raise Http404(_("There is no such example."))
    try:
        experiment = start_example(name=name, actor=request.user)
    except ExperimentRefused as refusal:
        messages.warning(request, str(refusal))
        return redirect("ratings:experiments")
    messages.success(request, _("The experiment is queued; a worker takes it."))
    return redirect(experiment)


# --- Looking ---


@require_safe
def experiment(request: HttpRequest, pk: int) -> HttpResponse:
    """Show how far an experiment is, or what came out."""
    found = _experiment(request.user, pk)
    may_run = is_committee(request.user)
    shown = shown_experiment(
        found, variant=request.GET.get("variant", ""), for_committee=may_run
    )
    # Only the committee is told; for everybody else they are not even loaded.
    findings = found.findings if may_run else []
    context = {
        "experiment": found,
        "shown": shown,
        "may_run": may_run,
        "progress": progress_of(found),
        "given_up": is_given_up(found),
        "badge": badge_of(found.results),
        "acts": _acts(found, request.user) if may_run else [],
        "findings": [said(one) for one in findings[:MOST_FINDINGS_SHOWN]],
        "more_findings": max(0, len(findings) - MOST_FINDINGS_SHOWN),
        "is_closer": "variant" in request.GET,
    }
    return render(request, "ratings/laboratory/experiment.html", context)


@require_safe
def report(request: HttpRequest, pk: int) -> HttpResponse:
    """Show all of a finished experiment on one page, to be printed or kept."""
    found = _experiment(request.user, pk)
    if found.results is None:
        raise Http404(_("The experiment is not finished."))
    may_run = is_committee(request.user)
    context = {
        "experiment": found,
        "shown": shown_experiment(found, variant="", for_committee=may_run),
        "may_run": may_run,
        "report": True,
        "digest": found.facts.get("history", ""),
        "command": command_of(found),
    }
    return render(request, "ratings/laboratory/experiment_report.html", context)


@require_safe
@for_committee
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the page that asks again while the work goes on."""
    found = _experiment(request.user, pk)
    context = {
        "experiment": found,
        "progress": progress_of(found),
        "given_up": is_given_up(found),
    }
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
        raise Http404(_("The experiment has no such table."))
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    file = f"experiment-{found.pk}-{name}.csv"
    response["Content-Disposition"] = f'attachment; filename="{file}"'
    rows = csv.writer(response)
    rows.writerow(sheets[name].columns)
    rows.writerows(map(harmless, row) for row in sheets[name].rows)
    return response


@require_safe
@for_committee
def games_file(request: HttpRequest, pk: int) -> HttpResponse:
    """Send the uploaded file back, byte for byte."""
    found = _experiment(request.user, pk)
    if found.file is None:
        raise Http404(_("The games of this experiment come from the books."))
    response = HttpResponse(
        bytes(found.file.content), content_type="application/octet-stream"
    )
    name = "".join(
        c if c.isascii() and (c.isalnum() or c in "._-") else "_"
        for c in found.file.name
    )
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_safe
@for_committee
def findings(request: HttpRequest, pk: int) -> HttpResponse:
    """Send all that the reader of the games found, as CSV."""
    found = _experiment(request.user, pk)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    file = f"experiment-{found.pk}-findings.csv"
    response["Content-Disposition"] = f'attachment; filename="{file}"'
    rows = csv.writer(response)
    rows.writerow(["place", "finding", "hint"])
    rows.writerows(
        [harmless(one[part]) for part in ("place", "sentence", "hint")]
        for one in map(said, found.findings)
    )
    return response


# --- Its data, game by game ---


@require_safe
def data(request: HttpRequest, pk: int) -> HttpResponse:
    """Say which files there are, and what stands in them."""
    found = _experiment(request.user, pk)
    may_run = is_committee(request.user)
    tables = ExperimentData(found, for_committee=may_run)
    context = {
        "experiment": found,
        "title": found.shown_title,
        "names": tables.names(),
        "kinds": kinds_of_files(),
        "tables": TABLES,
        "variants": [(one, label_of(one)) for one in tables.variants],
        "is_partial": tables.is_partial,
        "may_run": may_run,
    }
    return render(request, "ratings/laboratory/experiment_data.html", context)


@require_safe
def data_file(request: HttpRequest, pk: int, name: str, kind: str) -> HttpResponseBase:
    """Send a table, as it is made; *kind* is how its name ends."""
    found = _experiment(request.user, pk)
    tables = ExperimentData(found, for_committee=is_committee(request.user))
    if kind not in kinds_of_files() or name not in tables.names():
        raise Http404(_("The experiment has no such file for you."))
    table, rows = tables.table(name)
    content = streamed(kind, table.columns, rows)
    return _sent(content, CONTENT_TYPES[kind], f"experiment-{pk}-{name}.{kind}")


@require_safe
def data_archive(request: HttpRequest, pk: int, kind: str) -> HttpResponseBase:
    """Send all tables in one file, with the notebooks that read them."""
    found = _experiment(request.user, pk)
    tables = ExperimentData(found, for_committee=is_committee(request.user))
    if kind not in kinds_of_files() or not tables.names():
        raise Http404(_("The experiment has no such file for you."))
    return _sent(archive(tables, kind), "application/zip", f"experiment-{pk}.zip")


def _sent(content: Iterator[bytes], content_type: str, name: str) -> HttpResponseBase:
    response = StreamingHttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    # It is compressed already; this keeps the middleware from doing it again.
    response["Content-Encoding"] = "identity"
    response["Cache-Control"] = "private, no-cache"
    return response


# --- What may be done with one ---

# Word in the address: service, form, title, what the page says, done.
_ACTS: dict[str, tuple[Any, ...]] = {
    "cancel": (
        cancel_experiment,
        ReasonForm,
        gettext_lazy("Cancel"),
        gettext_lazy(
            "The work stops. Variants that are done are kept, and it can go on later."
        ),
        gettext_lazy("Canceled. It can go on where it stopped."),
    ),
    "resume": (
        resume_experiment,
        ReasonForm,
        gettext_lazy("Go on"),
        gettext_lazy("A worker runs the variants that are not done yet."),
        gettext_lazy("The experiment is queued again."),
    ),
    "repeat": (
        repeat_experiment,
        ReasonForm,
        gettext_lazy("Repeat"),
        gettext_lazy(
            "It is run once more on the very games that were kept, and its page says "
            "whether all bits agree."
        ),
        gettext_lazy("The repetition is queued; a worker takes it."),
    ),
    "publish": (
        publish_experiment,
        PublishExperimentForm,
        gettext_lazy("Publish"),
        gettext_lazy(
            "Everybody can see the plots and tables, without the name of any member."
        ),
        gettext_lazy("Published: everybody can see it."),
    ),
    "withdraw": (
        withdraw_experiment,
        ReasonForm,
        gettext_lazy("Take back"),
        gettext_lazy("Only the committee sees it then."),
        gettext_lazy("Taken back: only the committee sees it."),
    ),
}


def _acts(found: Experiment, user: User | AnonymousUser) -> list[tuple[str, str]]:
    """Return what this person may do with it now: word in the address, label."""
    possible = {
        Experiment.Status.QUEUED: ["cancel"],
        Experiment.Status.RUNNING: ["cancel"],
        Experiment.Status.DONE: ["repeat"],
        Experiment.Status.CANCELED: ["resume"],
        Experiment.Status.FAILED: ["resume"],
    }[Experiment.Status(found.status)]
    if is_given_up(found):
        possible = ["resume", *possible]
    if found.status == Experiment.Status.DONE and user.has_perm(
        "ratings.publish_experiment"
    ):
        possible = [*possible, "withdraw" if found.is_published else "publish"]
    return [(act, _ACTS[act][2]) for act in possible]


@for_committee
def act(request: HttpRequest, pk: int, act: str) -> HttpResponse:
    """Ask for the reason, and do it."""
    if act not in _ACTS:
        raise Http404(_("There is no such act."))
    found = _experiment(request.user, pk)
    do, form_class, title, intro, done = _ACTS[act]
    initial = {"public_title": found.public_title or found.title}
    form = form_class(
        request.POST if request.method == "POST" else None, initial=initial
    )
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                result = do(experiment_id=pk, actor=request.user, **form.cleaned_data)
            except ExperimentRefused as refusal:
                form.add_error(None, str(refusal))
            else:
                messages.success(request, done)
                return redirect(result)
    context = {
        "experiment": found,
        "form": form,
        "title": title,
        "intro": intro,
        "kind": "danger" if act in ("cancel", "withdraw") else "primary",
    }
    return render(
        request, "ratings/laboratory/experiment_act.html", context, status=status
    )
