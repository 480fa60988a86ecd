"""The audit log as a page and as a CSV file."""

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.audit.forms import AuditFilter
from ratings_site.common.audit.log import ENTRIES_PER_PAGE, MAX_EXPORTED, export, lines
from ratings_site.common.web.files import CSV_TEXT, attachment_header
from ratings_site.common.web.requests import SignedInRequest


@staff_permission_required("common.view_auditentry")
def audit(request: SignedInRequest) -> HttpResponse:
    """List matching entries, the newest first, fifty per page.

    Keyset pagination: nothing is counted, and new entries do not shift pages.
    """
    form = AuditFilter(request.GET)
    is_valid = form.is_valid()
    wanted = form.wanted()
    entries = wanted.entries()
    before = form.cleaned_data.get("before")
    if before:
        entries = entries.filter(pk__lt=before)
    found = list(entries[: ENTRIES_PER_PAGE + 1])
    shown = found[:ENTRIES_PER_PAGE]
    context = {
        "form": form,
        "lines": lines(shown),
        "older": shown[-1].pk if len(found) > len(shown) else None,
        "is_newest": not before,
        "is_filtered": bool(wanted.in_words()),
        "most_exported": MAX_EXPORTED,
    }
    return render(
        request, "common/audit.html", context, status=200 if is_valid else 422
    )


@staff_permission_required("common.view_auditentry")
def export_audit(request: SignedInRequest) -> HttpResponseBase:
    """Return matching entries as a CSV file."""
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
        content_type=CSV_TEXT,
        headers=attachment_header(name),
    )
