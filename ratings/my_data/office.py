"""What wishes to be forgotten add to the office's first page."""

from datetime import datetime

from django.urls import reverse
from django.utils.translation import ngettext_lazy

from ratings.my_data.queries import waiting_wishes
from ratings_site.common.desk.queries import Waiting, says_what_waits, waiting_in


@says_what_waits
def _what_waits(now: datetime) -> list[Waiting]:
    return [
        waiting_in(
            waiting_wishes(),
            what=ngettext_lazy("wish to be forgotten", "wishes to be forgotten"),
            url=reverse("ratings:forget_requests"),
            now=now,
            since="asked_at",
        )
    ]
