"""What claims add to the office's first page."""

from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from players.claims.queries import waiting_claims
from ratings_site.common.desk.queries import Waiting, says_what_waits, waiting_in


@says_what_waits
def _what_waits(now: datetime) -> list[Waiting]:
    return [
        waiting_in(
            waiting_claims(),
            what=_("claims to be a member, or a parent"),
            url=reverse("players_office:claims"),
            now=now,
            since="asked_at",
        )
    ]
