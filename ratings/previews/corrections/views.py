"""The rating preview on the page of a correction request."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from events.access import office_required
from events.checks.messages import translated
from events.corrections.queries import request_by_pk
from events.corrections.services.reviews import Review, review_request
from events.models import CorrectionRequest, Section
from ratings.engine.time_controls import BadTimeControl
from ratings.ledger.queries.engine_errors import refusal
from ratings.models import Run
from ratings.previews.corrections.queries import load_effect
from ratings.previews.corrections.services import (
    dry_run_of,
    effect_of,
    is_short,
    start_dry_run,
)
from ratings.rerates.pages import preview_summary
from ratings.rerates.services.replay import NotReplayable
from ratings.rerates.services.what_if import is_outdated, job_of
from ratings_site.common.jobs.progress import job_progress
from ratings_site.common.web.requests import SignedInRequest


@office_required
def effect(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show the dry run of a correction; a long one starts with a button.

    As part of a page (htmx) or as a page of its own.
    """
    found = request_by_pk(pk)
    if found is None:
        raise Http404(_("There is no correction with this number."))
    review = review_request(found)
    if request.method == "POST" and review.differences and not is_short(review):
        start_dry_run(request=found, review=review, actor=request.user)
        return redirect("ratings:correction_effect", pk=pk)
    context = {
        "correction": found,
        "section": found.section,
        "event": found.section.event,
        **_effect(found, review),
    }
    part = "_effect" if request.htmx else "effect"
    return render(request, f"ratings/previews/corrections/{part}.html", context)


def _refused(reason: str) -> dict[str, Any]:
    sentence = _("This section cannot be rated. {refusal}")
    return {"sentence": sentence.format(refusal=reason)}


def _effect(found: CorrectionRequest, review: Review) -> dict[str, Any]:
    """Return the known effect: the changed ratings, or the progress of the dry run."""
    if not review.differences:
        return {"sentence": _("Nothing changes.")}
    if found.section.status != Section.Status.RATED:
        return {
            "sentence": _(
                "This section is not rated yet. It will be rated with the correction."
            )
        }
    if is_short(review):
        try:
            summary = effect_of(found, review).as_json()
        except BadTimeControl as error:
            return _refused(translated(refusal(error)))
        except NotReplayable as error:
            return _refused(str(error))
        return _shown(summary)
    run = dry_run_of(found)
    if run is None:
        return {"may_start": True}
    if run.status == Run.Status.FAILED:
        return {"may_start": True, "fault": run.message}
    if run.status == Run.Status.READY:
        as_of = {"as_of": run.created_at, "may_start": is_outdated(run)}
        return {"run": run, **as_of, **_shown(run.summary)}
    job = job_of(run)
    shown = job_progress(job) if job else {}
    return {"run": run, "is_running": True, "details": shown.get("details", ())}


def _shown(summary: dict[str, Any]) -> dict[str, Any]:
    return {"effect": load_effect(summary), "effects": list(preview_summary(summary))}
