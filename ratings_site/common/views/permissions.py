"""Who may do what, to be read only: accounts are kept in the admin."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from ratings_site.common.permissions import for_staff
from ratings_site.common.queries import who_may_do_what


@for_staff("common.view_auditentry")
def permissions(request: HttpRequest) -> HttpResponse:
    return render(request, "common/permissions.html", {"page": who_may_do_what()})
