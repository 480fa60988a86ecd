"""The rating preview of a report before it is accepted."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from events.access import get_submission_or_404, require_reporter
from ratings.previews.reports.pages import preview_tables


@require_safe
@never_cache
@login_required
def preview(request: HttpRequest, pk: int) -> HttpResponse:
    require_reporter(request.user)
    submission = get_submission_or_404(request.user, pk)
    tables = preview_tables(submission)
    context = {"submission": submission, "tables": tables}
    return render(request, "ratings/preview.html", context)
