"""What members add to the office's first page."""

from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from players.models import FideOptIn
from ratings_site.common.desk.queries import Waiting, says_what_waits, waiting_in


@says_what_waits
def _what_waits(now: datetime) -> list[Waiting]:
    asking = FideOptIn.objects.filter(opt_out_asked_on__isnull=False, opted_out_on=None)
    return [
        waiting_in(
            asking,
            what=_("members who ask to opt out of events abroad"),
            url=reverse("players_office:opt_ins"),
            now=now,
        )
    ]
