"""Partial updates of an open report page: only the parts that differ."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString

from events.access import get_submission_or_404, is_office
from events.checks.services import copy_findings
from events.models import Submission
from events.reports.pages.history import history_of
from events.reports.pages.report import ReportPage, report_page
from events.reports.pages.sections import SectionTable
from ratings_site.common.web.requests import SignedInRequest

# The version of the report that the browser shows.
SHOWN_VERSION = "X-Shown-Version"


@dataclass(frozen=True, slots=True)
class SectionUpdate:
    """The update of a section: a few rows, or its whole table."""

    part: SectionTable
    rows: list[SafeString]
    is_whole: bool


def shown_page(request: SignedInRequest, submission: Submission) -> ReportPage | None:
    """Return the page that the browser shows, to compare it with the changed one.

    None if it is unknown: for whole pages, and if the report has changed since.
    """
    if request.headers.get(SHOWN_VERSION) != str(submission.version):
        return None
    return report_page(submission, user=request.user)


def render_updates(
    request: SignedInRequest,
    known: Submission,
    shown: ReportPage | None,
    *,
    said: str,
    problem: bool = False,
) -> HttpResponse:
    """Render the findings and the rows that differ from those *shown*.

    *known* is the report after the action, with its findings.
    """
    submission = get_submission_or_404(request.user, known.pk)
    copy_findings(known, submission)
    if not (submission.is_editable or problem):  # the clerk's buttons change too
        messages.success(request, said)
        return HttpResponse(headers={"HX-Refresh": "true"})
    page = report_page(submission, user=request.user)
    before = {part.section.number: part for part in shown.sections} if shown else {}
    context = {
        "submission": submission,
        "page": page,
        "news": [
            _section_update(part, before.get(part.section.number))
            for part in page.sections
        ],
        "history": history_of(submission),
        "is_office": is_office(request.user),
        "is_part": True,
        "said": said,
        "problem": problem,
    }
    status = 422 if problem else 200
    response = render(request, "events/reports/_live.html", context, status=status)
    if not problem:
        response["HX-Trigger-After-Settle"] = "desk:saved"
    return response


def _section_update(part: SectionTable, before: SectionTable | None) -> SectionUpdate:
    if before is None or part.has_different_structure(before):
        return SectionUpdate(part, [], is_whole=True)
    return SectionUpdate(part, part.changed_rows(before), is_whole=False)
