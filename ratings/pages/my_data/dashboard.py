"""Pending deletion requests on the office's dashboard."""

from django.utils.translation import ngettext_lazy

from ratings.pages.my_data.queries import pending_deletion_requests
from ratings_site.common.dashboard.queries import register_count

register_count(
    pending_deletion_requests,
    order=120,
    what=ngettext_lazy("deletion request", "deletion requests"),
    page="ratings:forget_requests",
    at="#waiting",
    since="asked_at",
)
