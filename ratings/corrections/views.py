"""What a correction would do to ratings, beside the page on which it is decided."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from events.access import for_office
from events.checks.saying import said
from events.corrections.queries import request_by_pk
from events.corrections.services.reviews import Review, review_request
from events.models import CorrectionRequest, Section
from ratings.corrections.queries import effect_to_show
from ratings.corrections.services import dry_run_of, effect_of, is_quick, start_dry_run
from ratings.engine.time_controls import BadTimeControl
from ratings.ledger.queries.refusals import refusal
from ratings.models import Run
from ratings.rerates.pages import of_summary
from ratings.rerates.services.replay import NotReplayable


@for_office
def effect(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the dry run of a correction; a long one is started by a button.

    As part of a page (htmx) or as a page of its own.
    """
    found = request_by_pk(pk)
    if found is None:
        raise Http404(_("There is no correction of this number."))
    review = review_request(found)
    if request.method == "POST" and review.differences and not is_quick(review):
        start_dry_run(request=found, review=review, actor=request.user)
        return redirect("ratings:correction_effect", pk=pk)
    context = {
        "correction": found,
        "section": found.section,
        "event": found.section.event,
        **_effect(found, review),
    }
    part = "_effect" if request.htmx else "effect"
    return render(request, f"ratings/corrections/{part}.html", context)


def _refused(reason: str) -> dict[str, Any]:
    sentence = _("It cannot be rated like this. {refusal}")
    return {"sentence": sentence.format(refusal=reason)}


def _effect(found: CorrectionRequest, review: Review) -> dict[str, Any]:
    """Return what is known of the effect: the ratings that move, or how far it is."""
    if not review.differences:
        return {"sentence": _("Nothing would change.")}
    if found.section.status != Section.Status.RATED:
        return {"sentence": _("The section is not rated yet; it will be as corrected.")}
    if is_quick(review):
        try:
            summary = effect_of(found, review).as_json()
        except BadTimeControl as error:
            return _refused(said(refusal(error)))
        except NotReplayable as error:
            return _refused(str(error))
        return _shown(summary)
    run = dry_run_of(found)
    if run is None:
        return {"may_start": True}
    if run.status == Run.Status.FAILED:
        return {"may_start": True, "fault": run.message}
    if run.status == Run.Status.READY:
        return {"run": run, **_shown(run.summary)}
    return {"run": run, "is_running": True}


def _shown(summary: dict[str, Any]) -> dict[str, Any]:
    return {"effect": effect_to_show(summary), "effects": list(of_summary(summary))}
