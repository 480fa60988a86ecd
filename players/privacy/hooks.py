"""Privacy requests on the office's dashboard."""

from django.utils.translation import ngettext_lazy

from players.privacy.queries import open_privacy_requests
from ratings_site.common.dashboard.queries import register_count

register_count(
    open_privacy_requests,
    order=115,
    what=ngettext_lazy("privacy request", "privacy requests"),
    page="players_office:privacy_requests",
    at="#waiting",
    since="asked_at",
)
