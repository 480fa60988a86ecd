from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import NotAllowed

# The models that have no page here, and why.
WITHOUT_PAGE = {
    "common.apiuse": "counts the requests of a day, and is swept away after it",
    "common.givenpermission": "what upgrades gave to a group; the group has a page",
    "common.signoflife": "when a worker was last heard of; the job has a page",
    "events.messagemark": "how far somebody has read; the messages have a page",
    "events.packedsection": "a section as bytes for replays; the section has a page",
    "players.contact": "a private address, which stands on the member’s page",
    "players.guardian": "a private address, which stands on the member’s page",
    "players.guardianaccount": "who speaks for a child stands on the member’s page",
    "players.intakerow": "rows of a file that waits, with birth dates",
    "ratings.calculationinputs": "what the engine was given, with birth dates",
    "ratings.countedratings": "counts that a job writes; public pages show them",
    "ratings.openfilepart": "a piece of a file; the file has a page",
}


class OfficeAdminSite(admin.AdminSite):
    site_header = "Ratings office"
    site_title = "Ratings office"
    index_title = "Data"

    def has_permission(self, request) -> bool:
        """Let staff in only; a TD or member has pages of their own."""
        return request.user.is_active and request.user.is_staff

    def login(
        self, request: HttpRequest, extra_context: dict | None = None
    ) -> HttpResponseBase:
        """Send people to the sign-in that all pages have; nobody signs in here.

        A form here would know neither the second factor nor how often somebody tried.
        """
        if self.has_permission(request):
            return redirect("admin:index")
        if request.user.is_authenticated:
            raise NotAllowed(_("This page belongs to the ratings office."))
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"))
