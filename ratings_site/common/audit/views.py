"""The audit with its search, as a page and as a file."""

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.audit.forms import AuditFilter
from ratings_site.common.audit.log import (
    ENTRIES_ON_A_PAGE,
    MOST_EXPORTED,
    export,
    lines,
)


@for_staff("common.view_auditentry")
def audit(request: HttpRequest) -> HttpResponse:
    """List the entries that fit, the newest first, fifty at a time.

    Each page goes on below an entry's number, so that no entry is counted or skipped
    however many are added meanwhile.
    """
    form = AuditFilter(request.GET)
    is_valid = form.is_valid()
    wanted = form.wanted()
    entries = wanted.entries()
    before = form.cleaned_data.get("before")
    if before:
        entries = entries.filter(pk__lt=before)
    found = list(entries[: ENTRIES_ON_A_PAGE + 1])
    shown = found[:ENTRIES_ON_A_PAGE]
    context = {
        "form": form,
        "lines": lines(shown),
        "older": shown[-1].pk if len(found) > len(shown) else None,
        "is_newest": not before,
        "is_filtered": bool(wanted.in_words()),
        "most_exported": MOST_EXPORTED,
    }
    return render(
        request, "common/audit.html", context, status=200 if is_valid else 422
    )


@for_staff("common.view_auditentry")
def export_audit(request: HttpRequest) -> HttpResponseBase:
    """Hand out the entries that fit as a CSV file."""
    if request.method != "POST":
        return redirect("office:audit")
    form = AuditFilter(request.POST)
    if not form.is_valid():
        query = request.POST.copy()
        query.pop("csrfmiddlewaretoken", None)
        return redirect(f"{reverse('office:audit')}?{query.urlencode()}")
    name = f"audit-{timezone.localdate():%Y-%m-%d}.csv"
    return StreamingHttpResponse(
        export(wanted=form.wanted(), actor=request.user),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
