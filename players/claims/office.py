"""What claims add to the office's first page, and lists of members to invite."""

from datetime import datetime

from django.urls import reverse
from django.utils.translation import ngettext_lazy

from players.claims import saying
from players.claims.queries import waiting_claims
from players.claims.services import lists
from players.claims.services.claiming import PERMISSION
from players.intake.kinds import IntakeKind, register
from players.intake.saying import add_words
from players.models import Intake
from ratings_site.common.desk.queries import Waiting, says_what_waits, waiting_in

register(
    IntakeKind(
        name=Intake.Kind.INVITATIONS,
        read=lists.read,
        enter=lists.enter,
        undo=None,
        permission=PERMISSION,
        spellings=lists.COLUMNS,
        needed=lists.NEEDED,
        columns=list(lists.COLUMNS),
        example=["12345678", "ann@example.org", lists.MEMBER],
    )
)
add_words(saying.SENTENCES, saying.COLUMNS)


@says_what_waits
def _what_waits(now: datetime) -> list[Waiting]:
    return [
        waiting_in(
            waiting_claims(),
            what=ngettext_lazy(
                "claim to be a member, or a parent",
                "claims to be a member, or a parent",
            ),
            url=reverse("players_office:claims"),
            now=now,
            since="asked_at",
        )
    ]
