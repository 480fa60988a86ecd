"""Answers for the report's page as it is open: only what reads otherwise now."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString

from events.access import is_office, submission_for
from events.checks.services import hand_over
from events.models import Submission
from events.reports.pages.history import history_of
from events.reports.pages.report import ReportPage, report_page
from events.reports.pages.sections import SectionTable

# The browser says which version of the report it shows.
SHOWN_VERSION = "X-Shown-Version"


@dataclass(frozen=True, slots=True)
class SectionNews:
    """What to replace of a section: a few rows, or its whole table."""

    part: SectionTable
    rows: list[SafeString]
    is_whole: bool


def page_shown(request: HttpRequest, submission: Submission) -> ReportPage | None:
    """Return what the browser shows of the report, to tell what an act changes.

    None where that is not known: for whole pages, and when the report has changed.
    """
    if request.headers.get(SHOWN_VERSION) != str(submission.version):
        return None
    return report_page(submission)


def refreshed(
    request: HttpRequest,
    known: Submission,
    shown: ReportPage | None,
    *,
    said: str,
    problem: bool = False,
) -> HttpResponse:
    """Answer with the findings and the rows that differ from those *shown*.

    *known* is the report as the act left it, with what it found.
    """
    submission = submission_for(request.user, known.pk)
    hand_over(known, submission)
    page = report_page(submission)
    before = {part.section.number: part for part in shown.sections} if shown else {}
    context = {
        "submission": submission,
        "page": page,
        "news": [
            _news(part, before.get(part.section.number)) for part in page.sections
        ],
        "history": history_of(submission),
        "is_office": is_office(request.user),
        "is_part": True,
        "said": said,
        "problem": problem,
    }
    status = 422 if problem else 200
    response = render(request, "events/desk/_live.html", context, status=status)
    if not problem:
        response["HX-Trigger-After-Settle"] = "desk:saved"
    return response


def _news(part: SectionTable, before: SectionTable | None) -> SectionNews:
    if before is None or part.differs_in_shape(before):
        return SectionNews(part, [], is_whole=True)
    return SectionNews(part, part.changed_rows(before), is_whole=False)
