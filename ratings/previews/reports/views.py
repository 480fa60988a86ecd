"""The rating preview of a report before it is accepted."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from events.access import get_submission_or_404, require_reporter
from ratings.previews.reports.pages import preview_page
from ratings_site.common.accounts.permissions import restrict


@require_safe
@restrict(lambda request: require_reporter(request.user))
def preview(request: HttpRequest, pk: int) -> HttpResponse:
    submission = get_submission_or_404(request.user, pk)
    context = {"submission": submission, **preview_page(submission)}
    return render(request, "ratings/preview.html", context)
