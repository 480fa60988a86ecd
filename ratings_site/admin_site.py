from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import NotAllowed


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
