"""The mail server's status, for the dashboard."""

from datetime import datetime

from django.core.cache import cache
from django.utils.translation import gettext as _

from ratings_site.common.dashboard.queries import StatusLine, age, register_status

DOWN_KEY = "mail-server-down"


def outage() -> tuple[datetime | None, datetime | None]:
    """Return when the mail server went down and when it is tried next."""
    return cache.get(DOWN_KEY) or (None, None)


@register_status
def _mail_server_status(now: datetime) -> list[StatusLine]:
    """Return a line only while the mail server is down."""
    since, _next_try = outage()
    if since is None:
        return []
    text = _("The mail server has not responded for {age}. Emails are queued.").format(
        age=age(since, now)
    )
    return [StatusLine(_("Email"), text, level="error")]
