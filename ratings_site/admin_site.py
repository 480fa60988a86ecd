from django.contrib import admin


class OfficeAdminSite(admin.AdminSite):
    site_header = "Ratings office"
    site_title = "Ratings office"
    index_title = "Data"

    def has_permission(self, request) -> bool:
        """Let staff in only; a TD or member has pages of their own."""
        return request.user.is_active and request.user.is_staff
