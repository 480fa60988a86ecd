"""The page of the roster check. Nothing is stored; the form holds the list."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from events.access import get_submission_or_404, require_reporter
from events.models import Submission
from events.reports.services.submissions import reported_in
from ratings.pages.roster.forms import PROBLEMS_FIRST, RosterForm, as_text
from ratings.pages.roster.pages import csv_rows, page_lines, report_rows
from ratings.pages.roster.queries import RosterLine
from ratings.pages.roster.services import MAX_ROWS, QuotaExhausted, check_members
from ratings_site.common.accounts.permissions import restrict
from ratings_site.common.web.files import csv_attachment
from ratings_site.common.web.requests import SignedInRequest


@restrict(lambda request: require_reporter(request.user))
@require_http_methods(["GET", "HEAD", "POST"])
def roster_check(request: SignedInRequest) -> HttpResponse:
    """Check pasted players or a file; with ``report`` all players of that report."""
    today = timezone.localdate()
    initial = {"day": today, "order": PROBLEMS_FIRST}
    report = _report(request)
    if request.method == "POST":
        form = RosterForm(request.POST, request.FILES)
    elif report is not None and request.method == "GET":
        # Each view is charged and audited, because it shows as much as a POST does, and
        # what it shows may have changed.
        reported = reported_in(report)
        rows = report_rows(reported)[:MAX_ROWS]
        form = RosterForm(as_text(rows, reported.ends or today))
    else:
        return _page(request, RosterForm(initial=initial), report)
    if not form.is_valid():
        return _page(request, form, report, status=422)
    day = form.cleaned_data["day"]
    try:
        lines, _quota = check_members(rows=form.players, day=day, actor=request.user)
    except QuotaExhausted as refusal:
        form.add_error(None, str(refusal))
        return _page(request, form, report, status=429)
    if request.POST.get("format") == "csv":
        return csv_attachment(csv_rows(lines), f"players-{day:%Y-%m-%d}.csv")
    order = form.cleaned_data["order"]
    if form.cleaned_data["file"]:
        form = RosterForm(initial=as_text(form.players, day) | {"order": order})
    return _page(request, form, report, lines, order)


def _report(request: SignedInRequest) -> Submission | None:
    number = request.GET.get("report", "")
    is_number = number.isascii() and number.isdigit() and len(number) < 10
    return get_submission_or_404(request.user, int(number)) if is_number else None


def _page(
    request: SignedInRequest,
    form: RosterForm,
    report: Submission | None,
    lines: list[RosterLine] | None = None,
    order: str = PROBLEMS_FIRST,
    *,
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = {"form": form, "report": report}
    if lines is not None:
        problems = sum(line.has_problem for line in lines)
        context |= {
            "lines": page_lines(lines, order),
            "problems": problems,
            "without": len(lines) - problems,
        }
    return render(request, "ratings/pages/roster/check.html", context, status=status)
