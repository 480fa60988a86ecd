from typing import Any

from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import NotAllowed

# Models without an admin page, and why.
MODELS_WITHOUT_PAGE = {
    "common.apiuse": "counts the requests of one day and is deleted after it",
    "common.givenpermission": "what upgrades granted to a group; the group has a page",
    "common.signingkey": "a secret key; its public half has an address",
    "common.signoflife": "the last heartbeat of a worker; the job has a page",
    "common.uploadpart": "a part of an uploaded file; the file’s record has a page",
    "events.messagemark": "the last message that was read; the messages have a page",
    "events.packedsection": "a section as bytes for replays; the section has a page",
    "players.contact": "a private address, shown on the member’s page",
    "players.follow": "only the account sees what it follows",
    "players.guardian": "a private address, shown on the member’s page",
    "players.guardianaccount": "guardians are shown on the member’s page",
    "players.guardianconsent": "guardians switch it; the activity log has it",
    "players.intakerow": "rows of a pending import, with birth dates",
    "players.sharelink": "a secret address; the activity log says who made it",
    "ratings.calculationinputs": "inputs of the rating engine, with birth dates",
    "ratings.countedratings": "statistics that a job writes; public pages show them",
    "ratings.openfilepart": "a part of a file; the file has a page",
}


class OfficeAdminSite(admin.AdminSite):
    site_header = "Ratings office"
    site_title = "Ratings office"
    index_title = "Data"

    def has_permission(self, request: HttpRequest) -> bool:
        """Return whether the user is an active member of staff."""
        return request.user.is_active and request.user.is_staff

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirect to the site's sign-in page instead of showing the admin's own.

        The admin's form knows neither second factors nor rate limits.
        """
        if self.has_permission(request):
            return redirect("admin:index")
        if request.user.is_authenticated:
            raise NotAllowed(_("This page is for clerks of the ratings office."))
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"))
